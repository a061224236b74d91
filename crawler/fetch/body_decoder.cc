#include "crawler/fetch/body_decoder.h"

#include <brotli/decode.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/check.h"

namespace crawler {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{32} * 1024;

// Window bits as inflateInit2 takes them (zlib.h): 15 is the largest window, +16 reads the gzip
// wrapper, negative reads none.
constexpr int kZlibBits = 15;
constexpr int kGzipBits = 15 + 16;
constexpr int kRawBits = -15;

/// Where decoded bytes stand before the limits let them into a body; one a thread, for a decoder
/// uses it only inside one call.
std::array<unsigned char, kPieceBytes>& Piece() {
  thread_local std::array<unsigned char, kPieceBytes> piece;
  return piece;
}

ContentCoding CodingNamed(std::string_view name) {
  if (name.empty() || base::EqualsIgnoreCase(name, "identity")) return ContentCoding::kIdentity;
  if (base::EqualsIgnoreCase(name, "gzip") || base::EqualsIgnoreCase(name, "x-gzip")) {
    return ContentCoding::kGzip;
  }
  if (base::EqualsIgnoreCase(name, "deflate")) return ContentCoding::kDeflate;
  if (base::EqualsIgnoreCase(name, "br")) return ContentCoding::kBrotli;
  return ContentCoding::kUnknown;
}

bool IsZlibHeader(unsigned char first, unsigned char second) {
  return (first & 0x0f) == Z_DEFLATED && (first >> 4) <= 7 && (first * 256 + second) % 31 == 0;
}

}  // namespace

ContentCoding ParseContentCoding(std::string_view value) {
  ContentCoding coding = ContentCoding::kIdentity;
  for (;;) {
    const std::size_t comma = value.find(',');
    const ContentCoding next = CodingNamed(base::Trim(value.substr(0, comma), base::kHttpBlanks));
    if (next != ContentCoding::kIdentity) {
      if (coding != ContentCoding::kIdentity) return ContentCoding::kNested;
      coding = next;
    }
    if (comma == std::string_view::npos) return coding;
    value.remove_prefix(comma + 1);
  }
}

struct BodyDecoder::Inflater {
  z_stream stream{};
  Inflater() {
    // Fails only without memory, as operator new would.
    CHECK(inflateInit2(&stream, kGzipBits) == Z_OK);
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

struct BodyDecoder::Brotli {
  BrotliDecoderState* const state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  Brotli() { CHECK(state != nullptr); }
  ~Brotli() { BrotliDecoderDestroyInstance(state); }
  Brotli(const Brotli&) = delete;
  Brotli& operator=(const Brotli&) = delete;
};

BodyDecoder::BodyDecoder() = default;
BodyDecoder::~BodyDecoder() = default;

void BodyDecoder::Start(ContentCoding coding, std::size_t body_bytes_max) {
  CHECK(coding != ContentCoding::kUnknown && coding != ContentCoding::kNested);
  coding_ = coding;
  phase_ = coding == ContentCoding::kIdentity ? Phase::kDone : Phase::kBegin;
  body_bytes_max_ = body_bytes_max;
  wire_bytes_ = 0;
  first_byte_.reset();
  // Brotli cannot be rewound, and its window may be 16 MiB: not kept.
  brotli_.reset();
  if (coding == ContentCoding::kBrotli) brotli_ = std::make_unique<Brotli>();
}

BodyDecoder::State BodyDecoder::Write(std::string_view wire, std::string& body) {
  wire_bytes_ += wire.size();
  if (coding_ == ContentCoding::kIdentity) return WriteIdentity(wire, body);
  const State state =
      coding_ == ContentCoding::kBrotli ? WriteBrotli(wire, body) : WriteInflate(wire, body);
  if (state == State::kMore && wire_bytes_ > body_bytes_max_ + kWireSlackBytes) {
    return State::kFull;
  }
  return state;
}

bool BodyDecoder::Ended() const {
  return phase_ == Phase::kDone || phase_ == Phase::kMember || wire_bytes_ == 0;
}

BodyDecoder::State BodyDecoder::WriteIdentity(std::string_view wire, std::string& body) {
  const std::size_t room = body_bytes_max_ - body.size();
  body.append(wire.substr(0, room));
  return wire.size() > room ? State::kFull : State::kMore;
}

BodyDecoder::State BodyDecoder::Append(const unsigned char* bytes, std::size_t count,
                                       std::string& body) const {
  const std::size_t room = body_bytes_max_ - body.size();
  body.append(reinterpret_cast<const char*>(bytes), std::min(count, room));
  if (body.size() > kBombBytes && body.size() / kBombRatio > wire_bytes_) return State::kBomb;
  return count > room ? State::kFull : State::kMore;
}

bool BodyDecoder::ChooseFormat(unsigned char first, unsigned char second) {
  int bits = kGzipBits;
  if (coding_ == ContentCoding::kGzip) {
    if (first != 0x1f || second != 0x8b) return false;
  } else {
    bits = IsZlibHeader(first, second) ? kZlibBits : kRawBits;
  }
  if (!inflater_) inflater_ = std::make_unique<Inflater>();
  CHECK(inflateReset2(&inflater_->stream, bits) == Z_OK);
  return true;
}

BodyDecoder::State BodyDecoder::BeginInflate(unsigned char next, std::string& body) {
  if (!first_byte_) {
    first_byte_ = next;
    return State::kMore;
  }
  const char header[2] = {static_cast<char>(*first_byte_), static_cast<char>(next)};
  const bool known = ChooseFormat(*first_byte_, next);
  first_byte_.reset();
  if (!known) {
    if (phase_ == Phase::kBegin) return State::kCorrupt;
    phase_ = Phase::kDone;
    return State::kMore;
  }
  phase_ = Phase::kStream;
  std::string_view begun(header, sizeof header);
  return Inflate(begun, body);
}

BodyDecoder::State BodyDecoder::WriteInflate(std::string_view wire, std::string& body) {
  State state = State::kMore;
  while (state == State::kMore && !wire.empty() && phase_ != Phase::kDone) {
    if (phase_ == Phase::kStream) {
      state = Inflate(wire, body);
    } else {
      const auto next = static_cast<unsigned char>(wire.front());
      wire.remove_prefix(1);
      state = BeginInflate(next, body);
    }
  }
  return state;
}

BodyDecoder::State BodyDecoder::Inflate(std::string_view& wire, std::string& body) {
  z_stream& stream = inflater_->stream;
  auto& piece = Piece();
  // zlib reads through this pointer and never writes.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(wire.data()));
  stream.avail_in = static_cast<uInt>(wire.size());
  for (;;) {
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    wire.remove_prefix(wire.size() - stream.avail_in);
    const std::size_t count = piece.size() - stream.avail_out;
    if (const State state = Append(piece.data(), count, body); state != State::kMore) return state;
    if (code == Z_STREAM_END) {
      phase_ = coding_ == ContentCoding::kGzip ? Phase::kMember : Phase::kDone;
      return State::kMore;
    }
    if (code == Z_BUF_ERROR) return State::kMore;  // wants more input
    if (code != Z_OK) return State::kCorrupt;
    if (stream.avail_in == 0 && stream.avail_out != 0) return State::kMore;
  }
}

BodyDecoder::State BodyDecoder::WriteBrotli(std::string_view wire, std::string& body) {
  if (phase_ == Phase::kDone) return State::kMore;
  if (!wire.empty()) phase_ = Phase::kStream;
  auto& piece = Piece();
  const auto* in = reinterpret_cast<const std::uint8_t*>(wire.data());
  std::size_t in_bytes = wire.size();
  for (;;) {
    std::uint8_t* out = piece.data();
    std::size_t out_bytes = piece.size();
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(brotli_->state, &in_bytes, &in, &out_bytes, &out, nullptr);
    const std::size_t count = piece.size() - out_bytes;
    if (const State state = Append(piece.data(), count, body); state != State::kMore) return state;
    switch (result) {
      case BROTLI_DECODER_RESULT_SUCCESS:
        phase_ = Phase::kDone;
        return State::kMore;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        return State::kMore;
      case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        break;
      case BROTLI_DECODER_RESULT_ERROR:
        return State::kCorrupt;
    }
  }
}

}  // namespace crawler

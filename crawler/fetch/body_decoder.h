#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawler {

/// What a Content-Encoding header says.
enum class ContentCoding : std::uint8_t {
  kIdentity,
  kGzip,
  kDeflate,  // zlib (RFC 1950) by the standard, raw deflate (RFC 1951) by some servers
  kBrotli,
  kUnknown,
  kNested,  // more than one coding: nobody needs it, and 1.8 KB of it make 1 GB
};

/// The coding named by the Content-Encoding fields' values joined by commas (RFC 9110 8.4);
/// "identity" counts as none.
ContentCoding ParseContentCoding(std::string_view value);

/// What we send as Accept-Encoding: the codings BodyDecoder decodes.
inline constexpr char kAcceptEncoding[] = "gzip, deflate, br";

/// Removes the content coding from a body as it arrives, within limits.
///
///     BodyDecoder decoder;
///     decoder.Start(ContentCoding::kGzip, 2 * 1024 * 1024);
///     while (Receive(wire)) if (decoder.Write(wire, body) != BodyDecoder::State::kMore) break;
///     bool whole = decoder.Ended();
///
/// Promises: `body` never grows beyond the limit; a bomb is recognised before more than a little
/// over 1 MiB of it is decoded, where the limit allows so much at all.
///
/// Thread safety: none; one object a transfer. Cost: zlib's state (44 KiB) is kept for reuse.
class BodyDecoder {
 public:
  enum class State : std::uint8_t {
    kMore,     // give me what comes next
    kFull,     // the limit is reached, `body` holds the beginning
    kCorrupt,  // not the coding it claims to be
    kBomb,     // decoded over kBombBytes at a ratio over kBombRatio
  };
  static constexpr std::uint64_t kBombBytes = std::uint64_t{1024} * 1024;
  static constexpr std::uint64_t kBombRatio = 100;
  /// Wire bytes that may come beyond body_bytes_max before a stream that decodes to little or
  /// nothing (empty gzip members, garbage after the end) is cut.
  static constexpr std::uint64_t kWireSlackBytes = std::uint64_t{64} * 1024;

  BodyDecoder();
  ~BodyDecoder();
  BodyDecoder(const BodyDecoder&) = delete;
  BodyDecoder& operator=(const BodyDecoder&) = delete;

  /// Begins a new body. REQUIRES: a coding other than kUnknown and kNested.
  void Start(ContentCoding coding, std::size_t body_bytes_max);
  /// Decodes `wire` onto the end of `body`. Once it returned another state than kMore it must not
  /// be called again before Start().
  State Write(std::string_view wire, std::string& body);
  /// After the last Write(): whether the coded stream had ended by itself. Identity and an empty
  /// wire always have.
  bool Ended() const;
  std::uint64_t wire_bytes() const { return wire_bytes_; }

 private:
  struct Inflater;
  struct Brotli;
  enum class Phase : std::uint8_t {
    kBegin,   // nothing of the coded stream was decoded yet
    kStream,  // within it
    kMember,  // a gzip member ended; another may follow (RFC 1952 section 2.2)
    kDone,    // ended; what else comes is ignored, as browsers do
  };
  State WriteIdentity(std::string_view wire, std::string& body);
  State WriteInflate(std::string_view wire, std::string& body);
  State WriteBrotli(std::string_view wire, std::string& body);
  /// Collects the two bytes that tell the format and begins the stream with them.
  State BeginInflate(unsigned char next, std::string& body);
  /// Chooses the format by the two bytes; false when they are not of the coding.
  bool ChooseFormat(unsigned char first, unsigned char second);
  /// Decodes within one stream and takes what it used off `wire`.
  State Inflate(std::string_view& wire, std::string& body);
  /// Appends decoded bytes as far as the limits let it.
  State Append(const unsigned char* bytes, std::size_t count, std::string& body) const;

  ContentCoding coding_ = ContentCoding::kIdentity;
  Phase phase_ = Phase::kDone;
  std::size_t body_bytes_max_ = 0;
  std::uint64_t wire_bytes_ = 0;
  /// The first byte of an inflate stream while the second has not come.
  std::optional<unsigned char> first_byte_;
  std::unique_ptr<Inflater> inflater_;
  std::unique_ptr<Brotli> brotli_;
};

}  // namespace crawler

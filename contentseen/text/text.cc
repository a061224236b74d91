#include "contentseen/text/text.h"

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/check.h"
#include "contentseen/text/code_points.h"
#include "contentseen/text/nfkc_casefold.h"
#include "contentseen/text/simd.h"
#include "contentseen/text/utf8.h"

#if defined(CONTENTSEEN_X86)
#include <emmintrin.h>
#endif

namespace contentseen {
namespace {

using Byte = unsigned char;

// What an ASCII character becomes: lower case, or a space for white space and controls.
constexpr std::array<char, 128> kAsciiFolded = [] {
  std::array<char, 128> folded{};
  for (int c = 0; c < 128; ++c) {
    const int lower = c >= 'A' && c <= 'Z' ? c + 32 : c;
    folded[static_cast<std::size_t>(c)] = static_cast<char>(c <= ' ' || c == 0x7F ? ' ' : lower);
  }
  return folded;
}();

// Writes one normalised text. ASCII and code points that fold alone are handled in place; a
// stretch of code points that combine is cut out, with the one it combines with, and given to ICU.
class Normalization {
 public:
  Normalization(std::string_view text, std::string* out)
      : in_(reinterpret_cast<const Byte*>(text.data())), end_(in_ + text.size()), out_(out) {
    out_->resize(text.size() + kRoom);
    write_ = out_->data();
  }

  void Run() {
    while (in_ < end_) {
      if (*in_ < 0x80) {
        Ascii();
      } else {
        Other();
      }
    }
    const bool trailing_space = after_space_ && write_ != out_->data();
    out_->resize(static_cast<std::size_t>(write_ - out_->data()) - (trailing_space ? 1 : 0));
  }

 private:
  // What is folded byte by byte before vectors are tried again.
  static constexpr std::ptrdiff_t kAsciiBytes = 16;
  static constexpr int kVector = 16;
  // Bytes to spare beyond what the rest of the input takes if it keeps its length.
  static constexpr std::size_t kRoom = 64;
  // UTF-16 units of a stretch, and of what it may become.
  static constexpr std::size_t kUnitsMax = 2 * kCombiningRunMax;
  static constexpr std::size_t kFoldedUnitsMax = 20 * kCombiningRunMax;

  void Ascii() {
    AsciiVectors();
    // What remains is a space after a space, or the end.
    // Every byte is written; the place moves on unless it was a space after a space.
    const Byte* in = in_;
    char* write = write_;
    bool after_space = after_space_;
    const Byte* const end = end_ - in > kAsciiBytes ? in + kAsciiBytes : end_;
    while (in < end && *in < 0x80) {
      const char folded = kAsciiFolded[*in++];
      const bool space = folded == ' ';
      *write = folded;
      write += !(space && after_space);
      after_space = space;
    }
    if (in == in_) return;
    in_ = in;
    write_ = write;
    after_space_ = after_space;
    last_in_ = in - 1;
    last_write_ = after_space ? nullptr : write - 1;
  }

  // Sixteen bytes at a time, up to some of which one is a space after a space.
  void AsciiVectors() {
#if defined(CONTENTSEEN_X86)
    const Byte* in = in_;
    char* write = write_;
    unsigned after_space = after_space_ ? 1 : 0;
    while (end_ - in >= kVector) {
      // Signed comparisons; negative bytes are not ASCII, and end the run.
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
      const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                          _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
      const __m128i lower = _mm_add_epi8(bytes, _mm_and_si128(upper, _mm_set1_epi8(32)));
      const __m128i space = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ' + 1)),
                                         _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
      const __m128i folded =
          _mm_or_si128(_mm_andnot_si128(space, lower), _mm_and_si128(space, _mm_set1_epi8(' ')));
      const auto others = static_cast<unsigned>(_mm_movemask_epi8(bytes));
      const auto spaces = static_cast<unsigned>(_mm_movemask_epi8(space));
      const unsigned dropped = spaces & (spaces << 1 | after_space);
      const int size = others == 0 ? kVector : std::countr_zero(others);
      if ((dropped & ((1U << size) - 1)) != 0 || size == 0) break;
      // What is written behind the run is overwritten.
      _mm_storeu_si128(reinterpret_cast<__m128i*>(write), folded);
      after_space = spaces >> (size - 1) & 1;
      if (size < kVector) {
        in += size;
        write += size;
        break;
      }
      in += kVector;
      write += kVector;
    }
    if (in == in_) return;
    in_ = in;
    write_ = write;
    after_space_ = after_space != 0;
    last_in_ = in - 1;
    last_write_ = after_space_ ? nullptr : write - 1;
#endif
  }

  // The run of code points of three bytes that stay what they are: nearly all of Chinese and
  // Japanese text.
  void ThreeByteRun() {
    const Byte* in = in_;
    char* write = write_;
    for (; end_ - in >= 4 && (in[0] & 0xF0) == 0xE0; in += 3, write += 3) {
      const char32_t c =
          static_cast<char32_t>((in[0] & 0x0F) << 12 | (in[1] & 0x3F) << 6 | (in[2] & 0x3F));
      // Continuation bytes; not overlong. (A surrogate is not simple.)
      if ((in[1] & 0xC0) != 0x80 || (in[2] & 0xC0) != 0x80 || c < 0x800) break;
      const CodePoint known = CodePoints::Of(c);
      if (!known.IsSimple() || known.IsSpace() || known.folded() != c) break;
      // Four bytes, of which the last is overwritten.
      std::memcpy(write, in, 4);
    }
    if (in == in_) return;
    in_ = in;
    write_ = write;
    after_space_ = false;
    last_in_ = in - 3;
    last_write_ = write - 3;
  }

  void Other() {
    ThreeByteRun();
    if (in_ == end_ || *in_ < 0x80) return;
    const Byte* const start = in_;
    const char32_t c = DecodeUtf8(in_, end_);
    const CodePoint known = CodePoints::Of(c);
    if (!known.IsSimple()) return Stretch(start, known.Joins());
    if (known.IsSpace()) return Space();
    last_in_ = start;
    last_write_ = write_;
    Put(known.folded());
  }

  // Code points from `start` on (from the last one written, when the first joins it) up to the
  // next that does not combine with what stands before it.
  void Stretch(const Byte* start, bool joins) {
    if (joins && last_write_ != nullptr) {
      start = last_in_;
      write_ = last_write_;
      after_space_ = write_ == out_->data() || write_[-1] == ' ';
    }
    std::array<UChar, kUnitsMax> units;
    std::int32_t n = 0;
    std::size_t taken = 0;
    in_ = start;
    while (in_ < end_) {
      const Byte* const at = in_;
      const char32_t c = DecodeUtf8(in_, end_);
      if (at != start && !CodePoints::Of(c).Joins()) {
        in_ = at;
        break;
      }
      if (taken++ >= kCombiningRunMax) continue;
      U16_APPEND_UNSAFE(units, n, static_cast<UChar32>(c));
    }
    PutFolded(units.data(), n);
    last_write_ = nullptr;
  }

  void PutFolded(const UChar* units, std::int32_t n) {
    std::array<UChar, kFoldedUnitsMax> folded;
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t folded_units = unorm2_normalize(
        NfkcCasefold(), units, n, folded.data(), static_cast<std::int32_t>(folded.size()), &error);
    CHECK(U_SUCCESS(error));
    std::size_t put = 0;
    for (std::int32_t i = 0; i < folded_units && put < kCombiningRunMax; ++put) {
      UChar32 c = 0;
      U16_NEXT(folded.data(), i, folded_units, c);
      if (CodePoints::Of(static_cast<char32_t>(c)).IsSpace()) {
        Space();
      } else {
        Put(static_cast<char32_t>(c));
      }
    }
  }

  void Put(char32_t c) {
    MakeRoom();
    write_ = EncodeUtf8(c, write_);
    after_space_ = false;
  }

  void Space() {
    MakeRoom();
    *write_ = ' ';
    write_ += !after_space_;
    after_space_ = true;
    last_write_ = nullptr;
  }

  // Keeps the promise that the rest of the input fits if it keeps its length.
  void MakeRoom() {
    const auto used = static_cast<std::size_t>(write_ - out_->data());
    const std::size_t needed = used + static_cast<std::size_t>(end_ - in_) + kRoom / 2;
    if (needed <= out_->size()) return;
    const std::ptrdiff_t last = last_write_ == nullptr ? -1 : last_write_ - out_->data();
    out_->resize(needed + needed / 4 + kRoom);
    write_ = out_->data() + used;
    last_write_ = last < 0 ? nullptr : out_->data() + last;
  }

  const Byte* in_;
  const Byte* const end_;
  std::string* const out_;
  char* write_ = nullptr;
  // The last thing written was a space, or nothing was: a further space is dropped.
  bool after_space_ = true;
  // Where the last code point that a combining one could join was read and written; null when
  // there is none.
  const Byte* last_in_ = nullptr;
  char* last_write_ = nullptr;
};

}  // namespace

void NormalizeText(std::string_view text, std::string* out) {
  const std::less<const char*> before;
  CHECK(text.empty() || before(text.data() + text.size() - 1, out->data()) ||
        before(out->data() + out->capacity(), text.data()));
  // Of a code point that is cut in two, what remains becomes U+FFFD.
  Normalization(text.substr(0, kTextBytesMax), out).Run();
}

std::string NormalizeText(std::string_view text) {
  std::string out;
  NormalizeText(text, &out);
  return out;
}

}  // namespace contentseen

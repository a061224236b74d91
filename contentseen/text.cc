#include "contentseen/text.h"

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/check.h"
#include "contentseen/code_points.h"
#include "contentseen/nfkc_casefold.h"
#include "contentseen/utf8.h"

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
  // Bytes to spare beyond what the rest of the input takes if it keeps its length.
  static constexpr std::size_t kRoom = 64;
  // UTF-16 units of a stretch, and of what it may become.
  static constexpr std::size_t kUnitsMax = 2 * kCombiningRunMax;
  static constexpr std::size_t kFoldedUnitsMax = 20 * kCombiningRunMax;

  void Ascii() {
    // Every byte is written; the place moves on unless it was a space after a space.
    const Byte* in = in_;
    char* write = write_;
    bool after_space = after_space_;
    while (in < end_ && *in < 0x80) {
      const char folded = kAsciiFolded[*in++];
      const bool space = folded == ' ';
      *write = folded;
      write += !(space && after_space);
      after_space = space;
    }
    in_ = in;
    write_ = write;
    after_space_ = after_space;
    last_in_ = in - 1;
    last_write_ = after_space ? nullptr : write - 1;
  }

  void Other() {
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
  // Of a code point that is cut in two, what remains becomes U+FFFD.
  Normalization(text.substr(0, kTextBytesMax), out).Run();
}

std::string NormalizeText(std::string_view text) {
  std::string out;
  NormalizeText(text, &out);
  return out;
}

}  // namespace contentseen

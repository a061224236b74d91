#include "contentseen/tokens.h"

#include <algorithm>
#include <array>

#include "contentseen/code_points.h"
#include "contentseen/utf8.h"

namespace contentseen {
namespace {

using Byte = unsigned char;

// Letters and digits of ASCII, once normalised.
constexpr std::array<bool, 256> kAsciiWord = [] {
  std::array<bool, 256> word{};
  for (std::size_t c = '0'; c <= '9'; ++c) word[c] = true;
  for (std::size_t c = 'a'; c <= 'z'; ++c) word[c] = word[c - 32] = true;
  return word;
}();

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::vector<Token>* tokens)
      : begin_(reinterpret_cast<const Byte*>(text.data())),
        end_(begin_ + text.size()),
        tokens_(tokens) {}

  void Run() {
    const Byte* p = begin_;
    while (p < end_) {
      if (kAsciiWord[*p]) {
        const Byte* const start = p;
        while (p < end_ && kAsciiWord[*p]) ++p;
        Take(CharClass::kWord, start, p);
      } else if (*p < 0x80) {
        ++p;
        Close();
      } else {
        const Byte* const start = p;
        const char32_t c = DecodeUtf8(p, end_);
        Take(CodePoints::Of(c).char_class(), start, p);
      }
    }
    Close();
  }

 private:
  // One code point (or several of a word) at [start, end).
  void Take(CharClass char_class, const Byte* start, const Byte* end) {
    if (char_class == CharClass::kMark) {
      char_class = open_ == CharClass::kSeparator ? CharClass::kWord : open_;
    }
    if (char_class != open_) {
      Close();
      open_ = char_class;
      starts_.fill(start);
    }
    if (char_class == CharClass::kSeparator) return;
    last_ = end;
    ++units_;
    if (char_class == CharClass::kWord) return;
    const std::size_t width = char_class == CharClass::kBigram ? 2 : 3;
    // starts_ holds where the last units began, the oldest first.
    starts_[0] = starts_[1];
    starts_[1] = starts_[2];
    starts_[2] = start;
    if (units_ >= width) Emit(starts_[3 - width], end);
  }

  // Ends the run that is open.
  void Close() {
    const bool whole = open_ == CharClass::kWord || (open_ == CharClass::kBigram && units_ < 2) ||
                       (open_ == CharClass::kTrigram && units_ < 3);
    if (whole) Emit(first(), last_);
    open_ = CharClass::kSeparator;
    units_ = 0;
  }

  // Where a run began that is emitted whole: it has fewer units than starts_ holds, and filling
  // starts_ with the first unit's place left that in front.
  const Byte* first() const { return starts_[0]; }

  void Emit(const Byte* begin, const Byte* end) {
    tokens_->push_back(
        {static_cast<std::uint32_t>(begin - begin_), static_cast<std::uint32_t>(end - begin)});
  }

  const Byte* const begin_;
  const Byte* const end_;
  std::vector<Token>* const tokens_;
  // The run that is open; kSeparator when none is.
  CharClass open_ = CharClass::kSeparator;
  std::uint64_t units_ = 0;
  std::array<const Byte*, 3> starts_{};
  const Byte* last_ = nullptr;
};

}  // namespace

void Tokenize(std::string_view normalized, std::vector<Token>* tokens) {
  tokens->clear();
  Tokenizer(normalized, tokens).Run();
}

}  // namespace contentseen

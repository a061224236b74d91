#include "contentseen/text/tokens.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "contentseen/text/code_points.h"
#include "contentseen/text/simd.h"
#include "contentseen/text/utf8.h"

#if defined(CONTENTSEEN_X86)
#include <emmintrin.h>
#endif

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

// Bit i of each mask speaks of byte i of 64.
struct Masks {
  std::uint64_t word = 0;       // ASCII letter or digit
  std::uint64_t non_ascii = 0;  // part of a longer UTF-8 sequence
};

constexpr std::ptrdiff_t kMaskBytes = 64;

#if defined(CONTENTSEEN_X86)

Masks MasksOf(const Byte* p) {
  const __m128i case_bit = _mm_set1_epi8(0x20);
  Masks masks;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i);
    // Signed comparisons: bytes above 0x7F are negative, and in neither range.
    const __m128i lower = _mm_or_si128(bytes, case_bit);
    const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)),
                                         _mm_cmplt_epi8(lower, _mm_set1_epi8('z' + 1)));
    const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('0' - 1)),
                                        _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
    const auto word = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(letter, digit)));
    masks.word |= std::uint64_t{word} << (16 * i);
    masks.non_ascii |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(bytes))} << (16 * i);
  }
  return masks;
}

#else

Masks MasksOf(const Byte* p) {
  Masks masks;
  for (int i = 0; i < kMaskBytes; ++i) {
    masks.word |= std::uint64_t{kAsciiWord[p[i]]} << i;
    masks.non_ascii |= std::uint64_t{p[i] >= 0x80} << i;
  }
  return masks;
}

#endif

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::vector<Token>* tokens)
      : begin_(reinterpret_cast<const Byte*>(text.data())),
        end_(begin_ + text.size()),
        tokens_(tokens) {
    tokens_->resize(std::max(tokens_->capacity(), std::size_t{2} * kRoom));
  }

  void Run() {
    const Byte* p = begin_;
    while (p < end_) {
      MakeRoom();
      if (*p >= 0x80) {
        if (open_ == CharClass::kBigram) p = BigramRun(p);
        if (p == end_ || *p < 0x80) continue;
        const Byte* const start = p;
        const char32_t c = DecodeUtf8(p, end_);
        Take(CodePoints::Of(c).char_class(), start, p);
      } else if (end_ - p >= kMaskBytes) {
        p = Block(p);
      } else if (kAsciiWord[*p]) {
        Take(CharClass::kWord, p, p + 1);
        ++p;
      } else {
        Close();
        ++p;
      }
    }
    Close();
    tokens_->resize(count_);
  }

 private:
  // Tokens that there is room for at the beginning of each step.
  static constexpr std::size_t kRoom = 64;

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

  // The ASCII bytes at the beginning of 64; returns the place behind them. A word's bounds are
  // where the mask of word bytes changes, so the only loop is over whole words.
  const Byte* Block(const Byte* p) {
    const Masks masks = MasksOf(p);
    const int size = std::countr_zero(masks.non_ascii);
    const std::uint64_t in_block =
        size == kMaskBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    if (open_ != CharClass::kWord) Close();
    const Byte* start = open_ == CharClass::kWord ? first() : nullptr;
    const std::uint64_t word = masks.word & in_block;
    const std::uint64_t before = word << 1 | (start != nullptr ? 1 : 0);
    std::uint64_t starts = word & ~before;
    std::uint64_t ends = before & ~word & in_block;
    if (start != nullptr && ends != 0) {
      Emit(start, p + std::countr_zero(ends));
      ends &= ends - 1;
      start = nullptr;
    }
    // Local, for the compiler cannot know that tokens do not overwrite members.
    Token* token = tokens_->data() + count_;
    const auto at = static_cast<std::uint32_t>(p - begin_);
    for (; ends != 0; ends &= ends - 1, starts &= starts - 1) {
      const auto first_bit = static_cast<std::uint32_t>(std::countr_zero(starts));
      const auto end_bit = static_cast<std::uint32_t>(std::countr_zero(ends));
      *token++ = {at + first_bit, end_bit - first_bit};
    }
    count_ = static_cast<std::size_t>(token - tokens_->data());
    if (starts != 0) start = p + std::countr_zero(starts);
    open_ = start != nullptr ? CharClass::kWord : CharClass::kSeparator;
    starts_.fill(start);
    last_ = p + size;
    units_ = 1;
    return p + size;
  }

  // More of a run of Han, kana or Hangul, as far as there is room: each code point ends a bigram.
  const Byte* BigramRun(const Byte* p) {
    const Byte* last = starts_[2];
    const Byte* const run = p;
    Token* token = tokens_->data() + count_;
    for (std::size_t n = 2; n < kRoom && end_ - p >= 3 && (*p & 0xF0) == 0xE0; ++n) {
      // The text is well-formed. (Were it not, this were some code point or other.)
      const Byte* const start = p;
      const char32_t c =
          static_cast<char32_t>((p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F));
      if (CodePoints::Of(c).char_class() != CharClass::kBigram) break;
      p += 3;
      *token++ = {static_cast<std::uint32_t>(last - begin_), static_cast<std::uint32_t>(p - last)};
      last = start;
    }
    if (p == run) return p;
    const auto units = static_cast<std::size_t>(p - run) / 3;
    count_ += units;
    units_ += units;
    starts_.fill(last);
    last_ = p;
    return p;
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
    (*tokens_)[count_++] = {static_cast<std::uint32_t>(begin - begin_),
                            static_cast<std::uint32_t>(end - begin)};
  }

  void MakeRoom() {
    if (tokens_->size() - count_ < kRoom) [[unlikely]]
      tokens_->resize(tokens_->size() * 2);
  }

  const Byte* const begin_;
  const Byte* const end_;
  // As large as it may be; the first count_ are set.
  std::vector<Token>* const tokens_;
  std::size_t count_ = 0;
  // The run that is open; kSeparator when none is.
  CharClass open_ = CharClass::kSeparator;
  std::uint64_t units_ = 0;
  std::array<const Byte*, 3> starts_{};
  const Byte* last_ = nullptr;
};

}  // namespace

void Tokenize(std::string_view normalized, std::vector<Token>* tokens) {
  Tokenizer(normalized, tokens).Run();
}

}  // namespace contentseen

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace contentseen {

/// How a character takes part in tokens; see tokens.h.
enum class CharClass : std::uint8_t {
  kSeparator,
  kWord,     // letters and digits of spaced scripts
  kMark,     // combining marks: continue whatever run is open
  kBigram,   // Han, kana, Hangul ...
  kTrigram,  // Thai and other scripts without spaces
};

/// What the tables know of one code point.
class CodePoint {
 public:
  CodePoint() = default;
  CodePoint(char32_t folded, bool simple, bool space, bool joins, CharClass char_class)
      : bits_(static_cast<std::uint32_t>(folded) | (simple ? kSimple : 0) | (space ? kSpace : 0) |
              (joins ? kJoins : 0) | static_cast<std::uint32_t>(char_class) << kClassShift) {}

  /// NFKC_Casefold of the code point, when IsSimple().
  char32_t folded() const { return bits_ & 0x1FFFFF; }
  /// It folds to one code point, alone and whatever stands before it.
  bool IsSimple() const { return (bits_ & kSimple) != 0; }
  /// White space or a control character, once folded.
  bool IsSpace() const { return (bits_ & kSpace) != 0; }
  /// It may combine with what stands before it.
  bool Joins() const { return (bits_ & kJoins) != 0; }
  CharClass char_class() const { return static_cast<CharClass>(bits_ >> kClassShift); }

 private:
  static constexpr std::uint32_t kSimple = 1u << 21;
  static constexpr std::uint32_t kSpace = 1u << 22;
  static constexpr std::uint32_t kJoins = 1u << 23;
  static constexpr int kClassShift = 24;
  std::uint32_t bits_ = 0;
};

/// Unicode's properties as ICU has them, in tables of 256 code points that are made when first
/// asked for.
///
/// Thread safety: yes. Cost: two loads; some 10 us for the first code point of a table. Memory:
/// 1 KiB a table, kept for the life of the process (Chinese, Japanese and Korean take some 150).
class CodePoints {
 public:
  /// REQUIRES: code_point <= 0x10FFFF.
  static CodePoint Of(char32_t code_point) {
    // Acquire: the table's contents were written before its address was published.
    const Table* table = tables_[code_point >> 8].load(std::memory_order_acquire);
    if (table == nullptr) [[unlikely]]
      table = Make(code_point >> 8);
    return (*table)[code_point & 0xFF];
  }

 private:
  using Table = std::array<CodePoint, 256>;
  static const Table* Make(char32_t block);

  static std::array<std::atomic<const Table*>, 0x1100> tables_;
};

}  // namespace contentseen

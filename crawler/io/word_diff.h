#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// Words of `text` as a reader sees them: cut at white space; a Chinese or Japanese character is a
/// word of its own. Views into `text`.
///
/// Thread safety: pure. Cost: linear.
std::vector<std::string_view> DiffTokens(std::string_view text);

/// A run of words that stand in both texts, or in one of them.
struct DiffRun {
  enum class Kind : std::uint8_t { kSame, kRemoved, kAdded };
  Kind kind = Kind::kSame;
  /// Of kSame, as they stand in the first text.
  std::vector<std::string_view> words;

  friend bool operator==(const DiffRun&, const DiffRun&) = default;
};

/// How to make the second text out of the first.
struct WordDiff {
  /// No two neighbours of one kind; what is removed stands before what is added in its place.
  std::vector<DiffRun> runs;
  std::size_t same = 0;
  std::size_t removed = 0;
  std::size_t added = 0;
};

/// Edits up to which a diff is the shortest there is.
inline constexpr std::size_t kDiffEditsExactMax = 1'000;

/// The difference of two texts, word by word: Myers, "An O(ND) Difference Algorithm and Its
/// Variations" (1986), the linear-space refinement of its section 4b. Where two stretches differ
/// by more than kDiffEditsExactMax words, the search stops at the farthest point it has reached
/// and goes on from there: still a correct diff, no longer the shortest.
///
///     WordDiff diff = DiffWords(original, skipped);
///     terminal.out.Write(DiffText(diff, 8, terminal.out.colours()));
///
/// Thread safety: pure. Ownership: the result refers to both texts. Cost: at most about
/// kDiffEditsExactMax steps a word; memory, 40 bytes a word.
WordDiff DiffWords(std::string_view a, std::string_view b);

/// Words one after another, with spaces but between Chinese or Japanese characters. Not escaped.
std::string JoinedWords(std::span<const std::string_view> words);

/// For people: removed words [-so-] or red, added ones {+so+} or green; of what is the same,
/// `context` words at each side of a change. Escaped.
std::string DiffText(const WordDiff& diff, std::size_t context, bool colours);

}  // namespace crawler

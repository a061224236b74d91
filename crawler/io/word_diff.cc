#include "crawler/io/word_diff.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "crawler/io/terminal.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

using Words = std::vector<std::string_view>;
// A word's number: equal words, equal numbers.
using Ids = std::vector<std::uint32_t>;
using Index = std::ptrdiff_t;

bool IsSpace(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

/// Scripts written without spaces: kana, Han and their punctuation, full-width forms.
bool IsWordOfItsOwn(char32_t c) {
  return (c >= 0x3001 && c <= 0x30ff) || (c >= 0x31f0 && c <= 0x31ff) ||
         (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff01 && c <= 0xffef) ||
         (c >= 0x20000 && c <= 0x3ffff);
}

Ids Numbered(const Words& words, std::unordered_map<std::string_view, std::uint32_t>& numbers) {
  Ids ids;
  ids.reserve(words.size());
  for (std::string_view word : words) {
    ids.push_back(
        numbers.try_emplace(word, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return ids;
}

/// Marks the words that are not on the path of matches.
class Differ {
 public:
  Differ(const Ids& a, const Ids& b)
      : a_(a),
        b_(b),
        removed_(a.size()),
        added_(b.size()),
        shift_(static_cast<Index>(b.size()) + 1),
        forward_(a.size() + b.size() + 3),
        backward_(forward_.size()) {}

  void Run() { Solve({0, Size(a_), 0, Size(b_)}); }

  bool removed(std::size_t i) const { return removed_[i]; }
  bool added(std::size_t j) const { return added_[j]; }

 private:
  struct Box {
    Index a_begin, a_end, b_begin, b_end;
  };
  struct Point {
    Index a, b;
  };
  /// The diagonals a - b that a search has reached.
  struct Reach {
    Index low, high;
  };

  static Index Size(const Ids& ids) { return static_cast<Index>(ids.size()); }
  bool Same(Index i, Index j) const {
    return a_[static_cast<std::size_t>(i)] == b_[static_cast<std::size_t>(j)];
  }
  Index& Forward(Index diagonal) { return forward_[static_cast<std::size_t>(diagonal + shift_)]; }
  Index& Backward(Index diagonal) {
    return backward_[static_cast<std::size_t>(diagonal + shift_)];
  }

  void Solve(Box box) {
    while (true) {
      while (box.a_begin < box.a_end && box.b_begin < box.b_end &&
             Same(box.a_begin, box.b_begin)) {
        ++box.a_begin, ++box.b_begin;
      }
      while (box.a_begin < box.a_end && box.b_begin < box.b_end &&
             Same(box.a_end - 1, box.b_end - 1)) {
        --box.a_end, --box.b_end;
      }
      if (box.a_begin == box.a_end || box.b_begin == box.b_end) break;
      Point split = Split(box);
      // The first part needs at most half the edits, so this nests a dozen deep at most; the
      // second is done in this loop.
      Solve({box.a_begin, split.a, box.b_begin, split.b});
      box.a_begin = split.a, box.b_begin = split.b;
    }
    std::fill(removed_.begin() + box.a_begin, removed_.begin() + box.a_end, true);
    std::fill(added_.begin() + box.b_begin, added_.begin() + box.b_end, true);
  }

  /// Widens a search by a diagonal at each side, inside the box; `unreached` is put beyond.
  template <class At>
  static void Widen(Reach& reach, const Box& box, At at, Index unreached) {
    if (reach.low > box.a_begin - box.b_end) {
      --reach.low;
      at(reach.low - 1) = unreached;
    } else {
      ++reach.low;
    }
    if (reach.high < box.a_end - box.b_begin) {
      ++reach.high;
      at(reach.high + 1) = unreached;
    } else {
      --reach.high;
    }
  }

  /// A point in the middle of a shortest path through `box`: searches from both corners, an edit
  /// at a time, until they meet. REQUIRES: its first words differ, and its last, and it is empty
  /// in neither direction.
  Point Split(const Box& box) {
    const Index start = box.a_begin - box.b_begin;
    const Index goal = box.a_end - box.b_end;
    const bool odd = ((start - goal) & 1) != 0;
    Reach ahead{start, start};
    Reach back{goal, goal};
    Forward(start) = box.a_begin;
    Backward(goal) = box.a_end;
    for (std::size_t edits = 0; edits < kDiffEditsExactMax / 2; ++edits) {
      Widen(
          ahead, box, [this](Index d) -> Index& { return Forward(d); }, -1);
      for (Index d = ahead.high; d >= ahead.low; d -= 2) {
        Index i = std::max(Forward(d - 1) + 1, Forward(d + 1));
        for (; i < box.a_end && i - d < box.b_end && Same(i, i - d); ++i) {
        }
        Forward(d) = i;
        if (odd && back.low <= d && d <= back.high && Backward(d) <= i) return {i, i - d};
      }
      constexpr Index kUnreached = std::numeric_limits<Index>::max();
      Widen(
          back, box, [this](Index d) -> Index& { return Backward(d); }, kUnreached);
      for (Index d = back.high; d >= back.low; d -= 2) {
        Index i = std::min(Backward(d - 1), Backward(d + 1) - 1);
        for (; i > box.a_begin && i - d > box.b_begin && Same(i - 1, i - d - 1); --i) {
        }
        Backward(d) = i;
        if (!odd && ahead.low <= d && d <= ahead.high && i <= Forward(d)) return {i, i - d};
      }
    }
    return Farthest(box, ahead);
  }

  /// Where the search from the beginning got farthest.
  Point Farthest(const Box& box, const Reach& ahead) {
    Point best{box.a_begin, box.b_begin};
    for (Index d = ahead.low; d <= ahead.high; d += 2) {
      Index i = std::min({Forward(d), box.a_end, box.b_end + d});
      if (i + (i - d) > best.a + best.b) best = {i, i - d};
    }
    CHECK(best.a > box.a_begin || best.b > box.b_begin);
    return best;
  }

  const Ids& a_;
  const Ids& b_;
  std::vector<bool> removed_;
  std::vector<bool> added_;
  // Farthest (from the end: nearest) index in a_ on each diagonal; diagonals begin at -|b| - 1.
  const Index shift_;
  std::vector<Index> forward_;
  std::vector<Index> backward_;
};

void AddWord(WordDiff& diff, DiffRun::Kind kind, std::string_view word) {
  if (diff.runs.empty() || diff.runs.back().kind != kind) diff.runs.push_back({kind, {}});
  diff.runs.back().words.push_back(word);
}

std::string SameText(std::span<const std::string_view> words, std::size_t context, bool first,
                     bool last) {
  std::size_t before = first ? 0 : context;  // words after the change that came before
  std::size_t after = last ? 0 : context;
  if (words.size() <= before + after + 1) return Escaped(JoinedWords(words));
  std::string text = Escaped(JoinedWords(words.first(before)));
  text += text.empty() ? "" : " ";
  text += "(… " + std::to_string(words.size() - before - after) + " words …)";
  std::string tail = Escaped(JoinedWords(words.last(after)));
  return tail.empty() ? text : text + " " + tail;
}

}  // namespace

std::vector<std::string_view> DiffTokens(std::string_view text) {
  Words words;
  std::size_t begin = 0;  // of the word being read
  std::size_t at = 0;
  auto end_word = [&] {
    if (begin < at) words.push_back(text.substr(begin, at - begin));
  };
  while (at < text.size()) {
    CodePoint c = FirstCodePoint(text.substr(at));
    if (IsSpace(c.value) && c.valid) {
      end_word();
      begin = at + c.bytes;
    } else if (IsWordOfItsOwn(c.value)) {
      end_word();
      words.push_back(text.substr(at, c.bytes));
      begin = at + c.bytes;
    }
    at += c.bytes;
  }
  end_word();
  return words;
}

std::string JoinedWords(std::span<const std::string_view> words) {
  std::string text;
  bool tight = true;
  for (std::string_view word : words) {
    bool own = IsWordOfItsOwn(FirstCodePoint(word).value);
    if (!tight || !own) text += text.empty() ? "" : " ";
    text += word;
    tight = own;
  }
  return text;
}

WordDiff DiffWords(std::string_view a_text, std::string_view b_text) {
  const Words a = DiffTokens(a_text);
  const Words b = DiffTokens(b_text);
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  const Ids a_ids = Numbered(a, numbers);
  const Ids b_ids = Numbered(b, numbers);
  Differ differ(a_ids, b_ids);
  differ.Run();

  WordDiff diff;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && differ.removed(i)) {
      AddWord(diff, DiffRun::Kind::kRemoved, a[i++]);
      ++diff.removed;
    } else if (j < b.size() && differ.added(j)) {
      AddWord(diff, DiffRun::Kind::kAdded, b[j++]);
      ++diff.added;
    } else {
      AddWord(diff, DiffRun::Kind::kSame, a[i++]);
      ++j;
      ++diff.same;
    }
  }
  return diff;
}

std::string DiffText(const WordDiff& diff, std::size_t context, bool colours) {
  std::string text;
  for (std::size_t i = 0; i < diff.runs.size(); ++i) {
    const DiffRun& run = diff.runs[i];
    text += i == 0 ? "" : " ";
    switch (run.kind) {
      case DiffRun::Kind::kSame:
        text += SameText(run.words, context, i == 0, i + 1 == diff.runs.size());
        break;
      case DiffRun::Kind::kRemoved:
        text += colours ? Coloured(Escaped(JoinedWords(run.words)), Colour::kRed, true)
                        : "[-" + Escaped(JoinedWords(run.words)) + "-]";
        break;
      case DiffRun::Kind::kAdded:
        text += colours ? Coloured(Escaped(JoinedWords(run.words)), Colour::kGreen, true)
                        : "{+" + Escaped(JoinedWords(run.words)) + "+}";
        break;
    }
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace crawler

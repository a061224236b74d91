#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parser {

/// Stretches of text that Gumbo does not need to see: each stands in its input as one character
/// of Unicode's last two private planes, and is put back when the tree is read. Tree construction
/// asks only whether a character is white space or NUL, so the tree is the same; but Gumbo takes
/// some 30 ns for each byte of text, and this none.
///
///     std::array<char, 4> mark;
///     if (references.Add(run, &mark)) Put(mark);           // while filtering
///     references.ForEachPiece(node_text, [](std::string_view text) { ... });  // while reading
///
/// Thread safety: none while adding.
/// Ownership: refers to the page's text, which must outlive it.
class TextReferences {
 public:
  /// Bytes of a mark, in UTF-8.
  static constexpr std::size_t kMarkBytes = 4;

  /// May a page whose UTF-8 is `html` be given marks? Not when it holds characters of those
  /// planes itself, or numeric character references to them.
  static bool AreFreeIn(std::string_view html);

  void Clear() { texts_.clear(); }
  /// Remembers `text` and appends its mark to `out`, which has room for it; false when all marks
  /// are taken.
  bool Add(std::string_view text, char* out);

  /// Calls `sink` with the pieces of `text`, marks replaced by what they stand for.
  template <class Sink>
  void ForEachPiece(std::string_view text, Sink sink) const {
    while (!text.empty()) {
      const std::size_t plain = FindMark(text);
      if (plain > 0) sink(text.substr(0, plain));
      text.remove_prefix(plain);
      if (text.empty()) return;
      sink(Of(text));
      text.remove_prefix(kMarkBytes);
    }
  }

  /// `value`, or what it stands for when it is one mark.
  std::string_view Resolve(std::string_view value) const {
    return value.size() == kMarkBytes && FindMark(value) == 0 ? Of(value) : value;
  }

 private:
  /// Where the first mark in `text` is, or its size. What was never given out is no mark.
  std::size_t FindMark(std::string_view text) const;
  /// What the mark at the beginning of `text` stands for.
  std::string_view Of(std::string_view text) const { return texts_[IndexOf(text)]; }
  static std::size_t IndexOf(std::string_view mark);

  std::vector<std::string_view> texts_;
};

}  // namespace parser

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// One stream that a command writes to: a terminal, a pipe, a file, or a string in tests.
///
///     Output out(STDOUT_FILENO);
///     if (!out.Write(line)) return kExitOk;   // the reader has gone (`| head`): end quietly
///
/// Thread safety: none. Ownership: neither the descriptor nor the string is owned.
class Output {
 public:
  /// Asks isatty() now. Colours: on a terminal, unless NO_COLOR is set to anything but the
  /// empty text (https://no-color.org) or TERM is "dumb".
  explicit Output(int descriptor);
  /// Collects into `text`, as a terminal of `width` columns when one is given.
  explicit Output(std::string* text, std::optional<std::size_t> width = std::nullopt,
                  bool colours = false);

  /// Writes all of `text`. False when that failed, now or earlier: then nothing is written.
  bool Write(std::string_view text);
  /// The same, but never waits for a reader: what a full pipe or a halted terminal has no room
  /// for is left out, which is no failure.
  bool WriteUnlessFull(std::string_view text);
  bool failed() const { return failed_; }
  /// Why it failed (errno); 0 when it did not. EPIPE: the reader has gone, which is no error.
  int error() const { return error_; }
  bool is_terminal() const { return is_terminal_; }
  bool colours() const { return colours_; }
  /// Columns of the terminal now; nothing where there is none, and so no line is too long.
  std::optional<std::size_t> Width() const;
  /// Lines of the terminal now; nothing where there is none or it says none.
  std::optional<std::size_t> Height() const;
  /// What it writes to; -1 for a string.
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
  std::string* const text_;
  const std::optional<std::size_t> width_;
  bool is_terminal_;
  bool colours_;
  bool failed_ = false;
  int error_ = 0;
};

/// What a command may write to.
struct Terminal {
  Output out;
  Output err;
};

/// `text` with everything that could move the cursor, change colours, reorder or hide what follows
/// made visible: C0, DEL and C1 controls and bytes that are not UTF-8 as \xNN, bidirectional
/// controls and line separators as \u{NNNN}. A backslash stays as it is.
///
/// Thread safety: pure. Cost: linear.
std::string Escaped(std::string_view text);

/// `text` as one word of a shell's command line, to be copied from the terminal.
///
/// Thread safety: pure. Cost: linear.
std::string ShellWord(std::string_view text);

/// Columns that (escaped) text takes on a terminal: 2 for East Asian wide characters and emoji, 0
/// for combining marks.
std::size_t DisplayWidth(std::string_view text);

/// `text` cut to at most `columns`, the last one an ellipsis when something was cut.
std::string Truncated(std::string_view text, std::size_t columns);
/// The same with the ellipsis within, two thirds of what is left behind it: for URLs, of which
/// many begin alike.
std::string TruncatedWithin(std::string_view text, std::size_t columns);

/// Colours by what they say (ANSI SGR).
enum class Colour { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };
/// `text` between the escape codes of `colour`, or as it is when `on` is false.
std::string Coloured(std::string_view text, Colour colour, bool on);

/// Rows and columns aligned for people.
///
///     Table table({{.heading = "N", .right = true}, {.heading = "URL", .width_min = 12}});
///     table.Add({"1", url});
///     out.Write(table.Text(out.Width(), out.colours()));
///
/// Cells are escaped here. When the rows are wider than the terminal, the columns that have a
/// `width_min` shrink, widest first, down to it. Where that would not do, `dispensable` ones are
/// left out before, the last one first; what still does not fit is cut at the right edge.
///
/// Thread safety: none. Cost: memory of its cells.
class Table {
 public:
  struct Column {
    std::string heading;
    bool right = false;
    std::optional<std::size_t> width_min = std::nullopt;
    Colour colour = Colour::kPlain;
    bool dispensable = false;
    bool keeps_end = false;  // is cut by TruncatedWithin()
  };

  explicit Table(std::vector<Column> columns);
  /// REQUIRES: one cell a column.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  /// Heading and rows, each line ending in a newline.
  std::string Text(std::optional<std::size_t> width, bool colours) const;

 private:
  void LeaveOut(std::size_t width, std::vector<std::size_t>& widths) const;
  std::vector<std::size_t> Widths(std::optional<std::size_t> width) const;

  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace crawler

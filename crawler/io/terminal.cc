#include "crawler/io/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

bool WantsColours() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') &&
         !(term != nullptr && std::string_view(term) == "dumb");
}

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks of Unicode 15 that terminals draw two columns wide (East Asian Width W and F, UAX #11).
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};
// Marks that stand on the character before them, and invisible joiners.
constexpr Range kNarrowest[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x200b, 0x200d}, {0x20d0, 0x20ff},   {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

template <std::size_t n>
bool InRanges(const Range (&ranges)[n], char32_t c) {
  const Range* end = ranges + n;
  const Range* found =
      std::lower_bound(ranges, end, c, [](const Range& r, char32_t v) { return r.last < v; });
  return found != end && found->first <= c;
}

std::size_t ColumnsOf(char32_t c) {
  if (c < 0x300) return 1;
  if (InRanges(kNarrowest, c)) return 0;
  return InRanges(kWide, c) ? 2 : 1;
}

void AppendNumber(std::string& out, const char* format, unsigned value) {
  char text[16];
  int length = std::snprintf(text, sizeof text, format, value);
  out.append(text, static_cast<std::size_t>(length));
}

// A word of bytes that cannot all be shown: in ASCII, others in octal, as bash, zsh and ksh read
// it.
std::string ShellBytes(std::string_view text) {
  std::string word = "$'";
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) {
      AppendNumber(word, "\\%03o", static_cast<unsigned char>(c));
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return word + "'";
}

}  // namespace

Output::Output(int descriptor)
    : descriptor_(descriptor),
      text_(nullptr),
      is_terminal_(isatty(descriptor) == 1),
      colours_(is_terminal_ && WantsColours()) {}

Output::Output(std::string* text, std::optional<std::size_t> width, bool colours)
    : descriptor_(-1),
      text_(text),
      width_(width),
      is_terminal_(width.has_value()),
      colours_(colours) {}

bool Output::Write(std::string_view text) {
  if (text_ != nullptr) {
    text_->append(text);
    return true;
  }
  while (!failed_ && !text.empty()) {
    ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failed_ = true;
      error_ = errno;
    }
  }
  return !failed_;
}

bool Output::WriteUnlessFull(std::string_view text) {
  while (!text.empty()) {
    pollfd asked{descriptor_, POLLOUT, 0};
    if (text_ == nullptr && ::poll(&asked, 1, 0) <= 0) break;
    // A pipe that can be written to has room for so much.
    if (!Write(text.substr(0, PIPE_BUF))) break;
    text.remove_prefix(std::min<std::size_t>(text.size(), PIPE_BUF));
  }
  return !failed_;
}

std::optional<std::size_t> Output::Width() const {
  if (text_ != nullptr || !is_terminal_) return width_;
  winsize size{};
  if (ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::optional<std::size_t> Output::Height() const {
  winsize size{};
  const bool known = text_ == nullptr && is_terminal_ &&
                     ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return known ? std::optional<std::size_t>(size.ws_row) : std::nullopt;
}

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    CodePoint c = FirstCodePoint(text);
    if (!c.valid || (c.value < 0x100 && IsUnsafeToPrint(c.value))) {
      AppendNumber(out, "\\x%02x", static_cast<unsigned>(c.value));
    } else if (IsUnsafeToPrint(c.value)) {
      AppendNumber(out, "\\u{%04x}", static_cast<unsigned>(c.value));
    } else {
      out.append(text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    CodePoint c = FirstCodePoint(text);
    width += ColumnsOf(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string Truncated(std::string_view text, std::size_t columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t width = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    CodePoint c = FirstCodePoint(text.substr(bytes));
    if (width + ColumnsOf(c.value) > columns - 1) break;
    width += ColumnsOf(c.value);
    bytes += c.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string TruncatedWithin(std::string_view text, std::size_t columns) {
  const std::size_t whole = DisplayWidth(text);
  if (whole <= columns) return std::string(text);
  if (columns < 3) return Truncated(text, columns);
  const std::size_t end_columns = 2 * (columns - 1) / 3;
  std::string_view end = text;
  for (std::size_t left = whole; left > end_columns;) {
    const CodePoint c = FirstCodePoint(end);
    left -= ColumnsOf(c.value);
    end.remove_prefix(c.bytes);
  }
  const std::string begin = Truncated(text, columns - DisplayWidth(end));
  return begin + std::string(end);
}

std::string Coloured(std::string_view text, Colour colour, bool on) {
  constexpr std::string_view kCodes[] = {"", "1", "2", "31", "32", "33", "36"};
  std::string_view code = kCodes[static_cast<std::size_t>(colour)];
  if (!on || code.empty() || text.empty()) return std::string(text);
  return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::Add(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = Escaped(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::Widths(std::optional<std::size_t> width) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = DisplayWidth(columns_[i].heading);
    for (const auto& row : rows_) widest = std::max(widest, DisplayWidth(row[i]));
    widths.push_back(widest);
  }
  if (!width) return widths;
  LeaveOut(*width, widths);
  std::size_t total = 0;
  for (std::size_t w : widths) total += w > 0 ? w + 2 : 0;
  total -= std::min<std::size_t>(total, 2);
  while (total > *width) {
    std::size_t victim = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      bool shrinks = columns_[i].width_min && widths[i] > *columns_[i].width_min;
      if (shrinks && (victim == columns_.size() || widths[i] > widths[victim])) victim = i;
    }
    if (victim == columns_.size()) break;
    --widths[victim];
    --total;
  }
  return widths;
}

// Those that can be spared, from the right, until the others fit where they are smallest.
void Table::LeaveOut(std::size_t width, std::vector<std::size_t>& widths) const {
  std::size_t least = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    least += std::min(widths[i], columns_[i].width_min.value_or(widths[i])) + 2;
  }
  for (std::size_t i = columns_.size(); i-- > 0 && least > width + 2;) {
    if (!columns_[i].dispensable) continue;
    least -= widths[i] + 2;
    widths[i] = 0;
  }
}

std::string Table::Text(std::optional<std::size_t> width, bool colours) const {
  std::vector<std::size_t> widths = Widths(width);
  std::string text;
  auto add_line = [&](auto cell_of, bool heading) {
    std::size_t used = 0;
    std::string pending;  // spaces are written only before something
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t room = widths[i];
      if (room == 0) continue;
      if (width) room = std::min(room, *width > used ? *width - used : 0);
      // Without room not even what takes no column: it would bring its spaces along.
      std::string cell;
      if (room > 0) {
        cell = columns_[i].keeps_end ? TruncatedWithin(cell_of(i), room)
                                     : Truncated(cell_of(i), room);
      }
      std::string fill(room - std::min(room, DisplayWidth(cell)), ' ');
      if (columns_[i].right) pending += fill;
      if (!cell.empty()) {
        text += pending;
        pending.clear();
        text += Coloured(cell, heading ? Colour::kBold : columns_[i].colour, colours);
      }
      if (!columns_[i].right) pending += fill;
      pending += "  ";
      used += room + 2;
    }
    text += '\n';
  };
  add_line([&](std::size_t i) { return std::string_view(columns_[i].heading); }, true);
  for (const auto& row : rows_) {
    add_line([&](std::size_t i) { return std::string_view(row[i]); }, false);
  }
  return text;
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  if (Escaped(text) != text) return ShellBytes(text);
  std::string word = "'";
  for (const char c : text) word.append(c == '\'' ? "'\\''" : std::string_view(&c, 1));
  return word + "'";
}

}  // namespace crawler

#include "crawler/io/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <csignal>

#include "crawler/io/utf8.h"

namespace crawler {
namespace {

TEST(Escaped, LeavesTextAlone) {
  EXPECT_EQ(Escaped("plain \\ é 漢字 🙂"), "plain \\ é 漢字 🙂");
  EXPECT_EQ(Escaped(""), "");
}

// Row 109 of the hostile inputs.
TEST(Escaped, Row109_ShowsWhatWouldActOnTheTerminal) {
  EXPECT_EQ(Escaped("a\nb\rc\x1b[2J\x7f"), "a\\x0ab\\x0dc\\x1b[2J\\x7f");
  EXPECT_EQ(Escaped("\xc2\x9b"), "\\x9b");
  EXPECT_EQ(Escaped("x\xe2\x80\xaey\xe2\x81\xa6"), "x\\u{202e}y\\u{2066}");
  EXPECT_EQ(Escaped("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_EQ(Escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Escaped, NothingThatActsRemains) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::string escaped = Escaped(text);
    for (std::string_view rest = escaped; !rest.empty();) {
      CodePoint c = FirstCodePoint(rest);
      RC_ASSERT(c.valid && !IsUnsafeToPrint(c.value));
      rest.remove_prefix(c.bytes);
    }
    RC_ASSERT(Escaped(escaped) == escaped);
  }));
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("é"), 1u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u) << "combining acute";
  EXPECT_EQ(DisplayWidth("漢字"), 4u);
  EXPECT_EQ(DisplayWidth("ｱ"), 1u) << "half-width katakana";
  EXPECT_EQ(DisplayWidth("🙂"), 2u);
}

TEST(Truncated, CutsAtColumns) {
  EXPECT_EQ(Truncated("abcdef", 6), "abcdef");
  EXPECT_EQ(Truncated("abcdef", 4), "abc…");
  EXPECT_EQ(Truncated("漢字漢字", 5), "漢字…");
  EXPECT_EQ(Truncated("漢字漢字", 4), "漢…") << "half a character does not fit";
  EXPECT_EQ(Truncated("abc", 1), "…");
  EXPECT_EQ(Truncated("abc", 0), "");
}

TEST(Truncated, WithinKeepsTheEnd) {
  EXPECT_EQ(TruncatedWithin("abcdef", 6), "abcdef");
  EXPECT_EQ(TruncatedWithin("0123456789", 7), "01…6789");
  EXPECT_EQ(TruncatedWithin("0123456789", 2), "0…");
  EXPECT_EQ(TruncatedWithin("漢字漢字漢字", 8), "漢…漢字");
}

TEST(Table, LeavesOutWhatCanBeSpared) {
  Table table({{.heading = "N"},
               {.heading = "WHY", .dispensable = true},
               {.heading = "URL", .width_min = 7, .keeps_end = true}});
  table.Add({"1", "because", "0123456789"});
  EXPECT_EQ(table.Text(22, false), "N  WHY      URL\n1  because  0123456789\n");
  EXPECT_EQ(table.Text(19, false), "N  WHY      URL\n1  because  01…6789\n");
  EXPECT_EQ(table.Text(18, false), "N  URL\n1  0123456789\n");
  EXPECT_EQ(table.Text(10, false), "N  URL\n1  01…6789\n");
}

TEST(Truncated, NeverExceedsItsColumns) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    auto columns = *rc::gen::inRange<std::size_t>(0, 40);
    std::string escaped = Escaped(text);
    std::string cut = Truncated(escaped, columns);
    RC_ASSERT(DisplayWidth(cut) <= columns);
    RC_ASSERT(DisplayWidth(TruncatedWithin(escaped, columns)) <= columns);
    RC_ASSERT(cut == escaped || DisplayWidth(escaped) > columns);
  }));
}

Table Example() {
  Table table(
      {{.heading = "N", .right = true}, {.heading = "URL", .width_min = 6}, {.heading = "KIND"}});
  table.Add({"1", "http://a.example/long/path", "near"});
  table.Add({"10", "http://b/", "exact"});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(Example().Text(std::nullopt, false),
            " N  URL                         KIND\n"
            " 1  http://a.example/long/path  near\n"
            "10  http://b/                   exact\n");
}

TEST(Table, ShrinksForANarrowTerminal) {
  EXPECT_EQ(Example().Text(24, false),
            " N  URL            KIND\n"
            " 1  http://a.exa…  near\n"
            "10  http://b/      exact\n");
}

TEST(Table, CutsAtTheEdgeWhenNothingShrinks) {
  EXPECT_EQ(Example().Text(13, false),
            " N  URL     …\n"
            " 1  http:…  …\n"
            "10  http:…  …\n");
}

TEST(Table, NothingStandsBeyondTheEdge) {
  Table table({{.heading = "A", .right = true}, {.heading = "B", .right = true}});
  table.Add({"", "\xd6\x92"});  // a mark that takes no column
  EXPECT_EQ(table.Text(1, false), "A\n\n");
}

TEST(Table, NoLineIsWiderThanTheTerminal) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::string, std::string>>& cells) {
    Table table(
        {{.heading = "A", .width_min = 3}, {.heading = "B", .right = true}, {.heading = "C"}});
    for (const auto& [a, b] : cells) table.Add({a, b, a + b});
    auto width = *rc::gen::inRange<std::size_t>(1, 60);
    std::string text = table.Text(width, false);
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) {
      std::size_t end = text.find('\n', at);
      RC_ASSERT(DisplayWidth(std::string_view(text).substr(at, end - at)) <= width);
      at = end + 1;
    }
    RC_ASSERT(lines == cells.size() + 1);  // a cell cannot break its line
  }));
}

TEST(Table, ColoursCells) {
  Table table({{.heading = "A", .colour = Colour::kRed}});
  table.Add({"x"});
  EXPECT_EQ(table.Text(std::nullopt, true), "\x1b[1mA\x1b[0m\n\x1b[31mx\x1b[0m\n");
}

TEST(ShellWord, IsReadBackAsItWas) {
  EXPECT_EQ(ShellWord("my-crawl/data_1.2"), "my-crawl/data_1.2");
  EXPECT_EQ(ShellWord("my crawl"), "'my crawl'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("$(x)"), "'$(x)'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("caf\xc3\xa9"), "'caf\xc3\xa9'");
  EXPECT_EQ(ShellWord("caf\xe9's \\ \x1b"), "$'caf\\351\\'s \\\\ \\033'");
}

TEST(Output, EndsQuietlyWhenTheReaderHasGone) {
  auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  Output out(ends[1]);
  EXPECT_FALSE(out.is_terminal());
  EXPECT_FALSE(out.colours());
  EXPECT_EQ(out.Width(), std::nullopt);
  EXPECT_FALSE(out.Write("x"));
  EXPECT_TRUE(out.failed());
  EXPECT_FALSE(out.Write("y"));
  ::close(ends[1]);
  std::signal(SIGPIPE, before);
}

TEST(Output, WhatMayNotWaitIsLeftOutWhereNobodyReads) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string kilobyte(1024, 'x');
  while (::write(ends[1], kilobyte.data(), kilobyte.size()) > 0) {
  }
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
  Output out(ends[1]);
  EXPECT_TRUE(out.WriteUnlessFull("left out"));
  EXPECT_FALSE(out.failed());
  std::string got(std::size_t{1} << 20, '\0');
  while (::read(ends[0], got.data(), got.size()) > 0) {
    EXPECT_EQ(got.find('l'), got.npos);
  }
  EXPECT_TRUE(out.WriteUnlessFull("read"));
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), 4);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace crawler

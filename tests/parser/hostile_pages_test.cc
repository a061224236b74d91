// Rows 69 to 79 of the catalogue of hostile inputs: what they may cost is asserted on memory and
// outcome, never on the clock; the time is printed.

#include <gtest/gtest.h>
#include <time.h>

#include <cstdio>
#include <string>

#include "parser/html_parser.h"
#include "parser/html_tree.h"
#include "tests/parser/allocations.h"

namespace parser {
namespace {

using namespace std::string_view_literals;

std::string Repeat(std::string_view piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

constexpr std::size_t kMemoryMax = std::size_t{64} << 20;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Reads a page by the defaults, and prints what that costs: the memory beyond the page itself is
/// asserted.
void Measure(const std::string& page) {
  HtmlParser parser;
  const std::size_t before = tests::AllocatedBytes();
  tests::ResetPeak();
  const double begin = CpuSeconds();
  const Document document = parser.Parse(page);
  const double seconds = CpuSeconds() - begin;
  const std::size_t memory = tests::PeakBytes() - before + document.tree_bytes;
  std::string head = page.substr(0, 60);
  for (char& c : head) c = c >= 0x20 && c < 0x7F ? c : '.';
  std::printf("%8.2f MB page  %6.1f MB memory  %6.3f s  %-8s %s\n",
              static_cast<double>(page.size()) / 1e6, static_cast<double>(memory) / 1e6, seconds,
              std::string(Name(document.fallback_reason)).c_str(), head.c_str());
  EXPECT_LE(memory, kMemoryMax) << head;
}

/// Every page below carries one link and one word at its beginning and at its end.
Document ParseHostile(const std::string& hostile, ParseOptions options = {}) {
  // No page that is fetched is longer than this.
  if (hostile.size() <= (std::size_t{2} << 20)) Measure(hostile);
  options.memory_bytes_max = kMemoryMax;
  options.cpu_time_max = std::chrono::seconds(60);  // so that no outcome hangs on the machine
  HtmlParser parser(options);
  Document page =
      parser.Parse("<title>t</title><a href=first>first</a>" + hostile + "<a href=last>last</a>");
  EXPECT_LE(page.tree_bytes, kMemoryMax);
  EXPECT_EQ(page.title, "t");
  EXPECT_TRUE(page.text.starts_with("first")) << page.text.substr(0, 100);
  EXPECT_FALSE(page.links.empty());
  // The parser is as good as new.
  EXPECT_EQ(parser.Parse("<p>next").text, "next");
  EXPECT_EQ(parser.Parse("<p>next").outcome, ParseOutcome::kFull);
  return page;
}

void ExpectFallback(const std::string& hostile, FallbackReason reason) {
  const Document page = ParseHostile(hostile);
  EXPECT_EQ(page.outcome, ParseOutcome::kFallback);
  EXPECT_EQ(page.fallback_reason, reason);
  EXPECT_EQ(page.links.size(), 2u);
  EXPECT_TRUE(page.text.ends_with("last")) << page.text.substr(0, 100);
}

TEST(HostilePageTest, Row69_DeepDivs) {
  for (const std::size_t count : {600u, 10'000u, 20'000u, 100'000u}) {
    ExpectFallback(Repeat("<div>", count), FallbackReason::kDepth);
  }
  EXPECT_EQ(ParseHostile(Repeat("<div>", 500)).outcome, ParseOutcome::kFull);
  EXPECT_EQ(ParseHostile(Repeat("<div></div>", 20'000)).outcome, ParseOutcome::kFull);
}

TEST(HostilePageTest, Row70_ManyBs) {
  ExpectFallback(Repeat("<b>", 20'000), FallbackReason::kDepth);
  ExpectFallback(Repeat("<b>", 500'000), FallbackReason::kDepth);
}

TEST(HostilePageTest, Row71_FontsAndAnchors) {
  ExpectFallback(Repeat("<font color=i>", 20'000), FallbackReason::kDepth);
  // Each <a> ends the one before, so this is not deep; Gumbo copes.
  EXPECT_EQ(ParseHostile(Repeat("<a><b>", 10'000)).links.size(), 2u);
}

TEST(HostilePageTest, Row72_DeepTreesThatParseFast) {
  ExpectFallback("<svg>" + Repeat("<g>", 200'000), FallbackReason::kDepth);
  ExpectFallback(Repeat("<svg><g>", 200'000), FallbackReason::kDepth);
  ExpectFallback(Repeat("<table><tr><td>", 100'000), FallbackReason::kDepth);
  ExpectFallback(Repeat("<span><div></span>", 100'000), FallbackReason::kDepth);
}

TEST(HostilePageTest, Row72_NothingRecursesOverATreeThatIsDeepAllTheSame) {
  ParseOptions options;
  options.depth_max = 100'000;
  options.cpu_time_max = std::chrono::seconds(20);
  HtmlParser parser(options);
  const Document page = parser.Parse("<svg>" + Repeat("<g>", 20'000) + "<text>x");
  EXPECT_EQ(page.outcome, ParseOutcome::kFull);
  EXPECT_EQ(page.text, "x");
  EXPECT_GT(page.blocks.at(0).depth, 20'000u);
}

TEST(HostilePageTest, Row73_ManyAttributes) {
  for (const std::size_t count : {20'000u, 100'000u}) {
    std::string tag = "<div ";
    for (std::size_t i = 0; i < count; ++i) tag += "a" + std::to_string(i) + "=1 ";
    const Document page = ParseHostile(tag + ">");
    EXPECT_EQ(page.outcome, ParseOutcome::kFull);
    EXPECT_LT(page.tree_bytes, 100'000u);
    EXPECT_EQ(page.links.size(), 2u);
  }
  std::string bodies;
  for (int i = 0; i < 50'000; ++i) bodies += "<body a" + std::to_string(i) + "=1>";
  EXPECT_EQ(ParseHostile(bodies).outcome, ParseOutcome::kFull);
}

TEST(HostilePageTest, Row74_TimeBudget) {
  ParseOptions options;
  options.cpu_time_max = std::chrono::microseconds(0);
  HtmlParser parser(options);
  const Document page = parser.Parse("<title>t</title><p>one <a href=x>two</a>");
  EXPECT_EQ(page.outcome, ParseOutcome::kFallback);
  EXPECT_EQ(page.fallback_reason, FallbackReason::kTime);
  EXPECT_EQ(page.text, "one two");
  EXPECT_EQ(page.title, "t");
  EXPECT_EQ(page.links.size(), 1u);
}

TEST(HostilePageTest, Row74_QuadraticTreesStopByTimeOrMemory) {
  // Formatting elements that every <p> must open again: seconds and gigabytes without a budget.
  std::string html = "<p>";
  for (int i = 0; i < 400; ++i) html += "<b id=" + std::to_string(i) + ">";
  html += "</p>" + Repeat("<p>x</p>", 20'000);
  const Document page = ParseHostile(html);
  EXPECT_LE(page.tree_bytes, kMemoryMax);
  // The same with the attributes that would tell them apart, and no prefilter to drop those.
  ParseOptions bare;
  bare.prefilter = false;
  const Document full = ParseHostile(html, bare);
  EXPECT_EQ(full.fallback_reason, FallbackReason::kMemory);
}

TEST(HostilePageTest, Row74_ALinkThatGumboOpensAgainAndAgainIsReadOnce) {
  // A budget of time for the tree is none for the walk over it: every <p> has the <a> again.
  const std::string href = std::string(900'000, ' ') + "/x" + std::string(100'000, ' ');
  const std::string html = "<p><a href='" + href + "'>x" + Repeat("<p>y", 20'000);
  const double begin = CpuSeconds();
  const Document page = ParseHostile(html);
  std::printf("%6.3f s for a link of 1 MB\n", CpuSeconds() - begin);
  EXPECT_EQ(page.outcome, ParseOutcome::kFull);
  ASSERT_EQ(page.links.size(), 3u);
  EXPECT_EQ(page.links[1].href, "/x");
  // Where it is too long it is counted once.
  ParseOptions options;
  options.href_bytes_max = 100;
  const Document dropped = ParseHostile(
      "<p><a href='" + std::string(200, 'x') + "'>x" + Repeat("<p>y", 1'000), options);
  EXPECT_EQ(dropped.links.size(), 2u);
  EXPECT_EQ(dropped.links_dropped, 1u);
}

TEST(HostilePageTest, Row74_AFailedAssertionOfGumboEndsTheParse) {
  HtmlTree tree(kMemoryMax);
  // The prefilter lets no CDATA pass; here it is missing.
  EXPECT_EQ(tree.Build("<table><math><mtext><![CDATA[x]]> ", std::chrono::seconds(60)),
            FallbackReason::kFault);
  EXPECT_EQ(tree.Build("<p>next", std::chrono::seconds(60)), FallbackReason::kNone);
}

TEST(HostilePageTest, Row74_MemoryBudget) {
  ParseOptions options;
  options.memory_bytes_max = 1 << 20;
  options.cpu_time_max = std::chrono::seconds(20);
  HtmlParser parser(options);
  const Document page = parser.Parse("<title>t</title>" + Repeat("<p>x<br>", 20'000));
  EXPECT_EQ(page.outcome, ParseOutcome::kFallback);
  EXPECT_EQ(page.fallback_reason, FallbackReason::kMemory);
  EXPECT_LE(page.tree_bytes, options.memory_bytes_max);
  EXPECT_EQ(page.blocks.size(), 20'000u);
}

TEST(HostilePageTest, Row74_AllAtOnce) {
  const std::string html = Repeat("<div><b><font color=i><a href=y><table><tr><td>x", 2'000) +
                           Repeat("</a><p></b><svg><g><ul><li>", 2'000);
  const Document page = ParseHostile(html);
  EXPECT_EQ(page.outcome, ParseOutcome::kFallback);
}

TEST(HostilePageTest, Row75_MuchTextAndOpenEnds) {
  const Document text = ParseHostile(Repeat("lorem ipsum ", 700'000));
  EXPECT_EQ(text.text.size(), 6u + 700'000u * 12 + 4 - 1);
  for (const auto* opening : {"<!--", "<script>", "<style>", "<textarea>", "<a href='",
                              "<p title=", "<![CDATA[", "<plaintext>", "<", "<svg><![CDATA["}) {
    const Document page = ParseHostile(opening + std::string(8'000'000, 'x'));
    EXPECT_LE(page.tree_bytes, kMemoryMax) << opening;
  }
  for (const auto* piece :
       {"<", "&notit;", "</scrip", "<!", "<?x>", "</>", "--", "&", "<a b='", "]"}) {
    for (const auto* around : {"", "<script>", "<!--", "<svg><![CDATA["}) {
      ParseHostile(around + Repeat(piece, 100'000));
    }
  }
}

TEST(HostilePageTest, Row76_NulAndHighBytes) {
  const Document nul = ParseHostile(std::string(1'000'000, '\0'));
  EXPECT_LE(nul.tree_bytes, std::size_t{16} << 20);
  ParseHostile(std::string(1'000'000, '\xFF'));
  ParseHostile(Repeat("<d\0v \0=\0>\0</d\0v>"sv, 60'000));
}

TEST(HostilePageTest, ElementsThatCloseEachOtherAreNotDeep) {
  // Forgotten end tags are the web's daily bread: no fallback for them.
  for (const auto* piece :
       {"<p>x", "<li>x", "<dt>x<dd>y", "<tr><td>x", "<option>x", "<p><b>x</b>", "<a href=q>x",
        "<li><p>x", "<td><p>x", "<div>x<p>y</div>", "<h1>x", "<form>x", "<p><ul><li>x</ul>"}) {
    for (const auto* around : {"", "<table>", "<ul>", "<dl>", "<select>"}) {
      const Document page = ParseHostile(around + Repeat(piece, 3'000));
      EXPECT_EQ(page.fallback_reason, FallbackReason::kNone) << around << piece;
    }
  }
}

TEST(HostilePageTest, TheFallbackReadsWhatMatters) {
  ParseOptions options;
  options.cpu_time_max = std::chrono::microseconds(0);
  HtmlParser parser(options);
  const Document page = parser.Parse(
      "<html lang=fr><head><title>A &amp; B&eacute;</title><base href=/b><meta name=robots "
      "content=noindex><link rel=canonical href=/c><style>no</style><script>no<!--</script>"
      "<body><!-- no --><h1>H&#233;</h1><p>one&nbsp;<b>t</b>wo<br>three &lt;x&gt; &unknown;"
      "<a href='l?a=1&amp;b=2'>link</a> <select><option>no</select><template>no<a href=no>x</a>"
      "</template><noscript>no</noscript><textarea>no</textarea><img><iframe "
      "src=f>no</iframe>end");
  EXPECT_EQ(page.outcome, ParseOutcome::kFallback);
  EXPECT_EQ(page.title, "A & B\u00E9");
  EXPECT_EQ(page.lang, "fr");
  EXPECT_EQ(page.base_href, "/b");
  EXPECT_EQ(page.canonical_href, "/c");
  EXPECT_TRUE(page.noindex);
  EXPECT_EQ(page.text, "H\u00E9\none two three <x> &unknown;link end");
  ASSERT_EQ(page.links.size(), 2u);
  EXPECT_EQ(page.links[0].href, "l?a=1&b=2");
  EXPECT_EQ(page.links[1].kind, LinkKind::kIframe);
  EXPECT_EQ(parser.Parse("<ruby>x<rp>(<rt>kan<rp>)</ruby> after <rp>(</rp>end").text,
            "x kan after end");
}

}  // namespace
}  // namespace parser

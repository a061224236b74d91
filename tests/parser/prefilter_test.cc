#include "parser/prefilter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "parser/html_parser.h"
#include "parser/text_references.h"
#include "tests/parser/shared_data.h"
#include "tests/shared_files.h"

namespace parser {
namespace {

std::string Repeat(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::string Filtered(std::string_view html, bool xml = false) {
  Prefilter prefilter({});
  EXPECT_TRUE(prefilter.Run(html, xml));
  EXPECT_EQ(prefilter.output().data()[prefilter.output().size()], '\0');
  return std::string(prefilter.output());
}

TEST(PrefilterTest, LeavesOutWhatCannotMatter) {
  EXPECT_EQ(Filtered("<p class=x id=y>a \n\t b</p >"), "<p>a b</p>");
  EXPECT_EQ(Filtered("<script src=x>if (a<b) {}</script>x"), "<script></script>x");
  EXPECT_EQ(Filtered("<style>p{}</style><textarea>x</textarea>"),
            "<style></style><textarea></textarea>");
  EXPECT_EQ(Filtered("<noscript><a href=x>y</a></noscript>"), "<noscript></noscript>");
  EXPECT_EQ(Filtered("<p><!-- x -->a"), "<p>a");
  EXPECT_EQ(Filtered("<a class=c href='x y' href=z onclick=\"f('>')\" rel=\"nofollow\">"),
            "<a href='x y' rel=\"nofollow\">");
  EXPECT_EQ(Filtered("<isindex>a"), "a");
  EXPECT_EQ(Filtered("<p style='color:red'><p style='display:none'>"),
            "<p><p style='display:none'>");
}

TEST(PrefilterTest, KeepsWhatStandsForItself) {
  for (const auto* html :
       {"<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "a < b", "<title>x</title>",
        "<a href=x/>", "&lt;p&gt;", "<1>", "a<", "a</", "<meta http-equiv=refresh content=1>"}) {
    EXPECT_EQ(Filtered(html), html);
  }
}

TEST(PrefilterTest, BodiesAreNoMarkupWhereverGumboIs) {
  EXPECT_EQ(Filtered("<title>x<b>&amp;y</title>"), "<title>x&lt;b>&amp;y</title>");
  EXPECT_EQ(HtmlParser().Parse("<title>x<b>&amp;y</title>").title, "x<b>&y");
  // <xmp> and <plaintext> are written as <pre>.
  EXPECT_EQ(Filtered("<xmp><p>&amp;</xmp>a</xmp>"), "<pre>&lt;p>&amp;amp;</pre>a</xmp>");
  EXPECT_EQ(Filtered("<p><plaintext>a</p>"), "<p><pre>a&lt;/p>");
  EXPECT_EQ(Filtered("<plaintext/>a<b class=c>", /*xml=*/true), "<pre></pre>a<b>");
  EXPECT_EQ(Filtered("<svg><xmp><g/>"), "<svg><xmp><g></g>");
  EXPECT_EQ(HtmlParser().Parse("<p>a<xmp>\n<b>&amp;</xmp>c").text, "a\n<b>&amp;\nc");
  // Gumbo ignores their start tags in <select>.
  std::string spans;
  for (int i = 0; i < 2000; ++i) spans += "<span>";
  for (const auto* begin : {"<select><xmp></select>", "<select><title></select>",
                            "<select><plaintext></select>", "<frameset><xmp>"}) {
    for (const std::string& body : {spans, std::string("<table><math><mtext><![CDATA[x]]>x")}) {
      const Document page = HtmlParser().Parse(begin + body);
      EXPECT_EQ(page.outcome, ParseOutcome::kFull) << begin << body.substr(0, 50);
      for (const TextBlock& block : page.blocks) EXPECT_LT(block.depth, 10u) << begin;
    }
  }
}

TEST(PrefilterTest, LongTextIsBroken) {
  const std::string marked = "\xF3\xB0\x80\x80";  // that character takes the marks away
  std::string letters;
  for (int i = 0; i < 20'000; ++i) letters += "x ";
  for (const std::string& text :
       {Repeat("& ", 20'000), "&" + letters, letters + '\0' + letters, marked + letters,
        marked + Repeat("\xC3\xA4", 20'000), "<xmp>" + Repeat("< ", 20'000),
        "<svg><![CDATA[" + Repeat("& ", 20'000), Repeat("&", 40'000), Repeat("<", 20'000),
        Repeat("<1", 20'000), Repeat("< ", 20'000), "&" + Repeat("a", 40'000),
        Repeat("&#32;", 20'000)}) {
    for (const bool enabled : {true, false}) {
      Prefilter prefilter({.enabled = enabled});
      ASSERT_TRUE(prefilter.Run(text, false));
      std::string_view output = prefilter.output();
      while (!output.empty()) {
        const std::size_t end = std::min(output.find('<', 1), output.size());
        EXPECT_LE(end, 5'000u) << text.substr(0, 20) << enabled;
        output.remove_prefix(end);
      }
    }
  }
  EXPECT_EQ(HtmlParser().Parse("<table>" + marked + letters).text,
            marked + letters.substr(0, letters.size() - 1));
}

TEST(PrefilterTest, WhiteSpaceOfATableStaysBesideItsText) {
  for (const std::string& text :
       {"x<table>&#32;" + Repeat(" ", 2'100) + "&#32;y", "x<table>" + Repeat("&#32;", 410) + "y",
        "x<table>" + Repeat("&Tab;", 500) + "y", "x<table>" + Repeat("&#x0000020", 500) + " y"}) {
    for (const bool enabled : {true, false}) {
      EXPECT_EQ(HtmlParser(ParseOptions{.prefilter = enabled}).Parse(text).text, "x y");
    }
  }
}

TEST(PrefilterTest, TellingTheDepthCostsNoMoreThanTheBytes) {
  Prefilter prefilter({});
  EXPECT_FALSE(prefilter.Run("<table>" + Repeat("<b>", 500) + Repeat("<tr>", 100'000), false));
  EXPECT_FALSE(
      prefilter.Run("<p><button>" + Repeat("<span>", 500) + Repeat("<hr>", 100'000), false));
  EXPECT_TRUE(prefilter.Run("<p><button>" + Repeat("<hr>", 100'000), false));
}

TEST(PrefilterTest, GumboIsNotLedToItsAssertions) {
  for (const auto* html : {"<table><math><select><mtext><select><caption>",
                           "<table><tr><td><svg><select><desc><select></td>",
                           "<table><svg><td><foreignObject><select></table>",
                           "<table><math><td><mtext><select></table>",
                           "<select><xmp></select><table><math><mtext><![CDATA[x]]>x",
                           "<table><td><math><mtext><mglyph><select><mtext><select></td>",
                           "<table><math><mtext><malignmark><select><mtext><select><caption>"}) {
    const Document page = HtmlParser().Parse(html);
    EXPECT_EQ(page.fallback_reason, FallbackReason::kNone) << html;
  }
}

TEST(PrefilterTest, APartOfATableClosesWhatStandsBesideIt) {
  // <tr> closes the <div>, so that "</div>" ends nothing and <title> is one of SVG.
  for (const auto* html : {"<table><div><tr><svg></div><title><![CDATA[x]]>&",
                           "<table><tbody><div><tr><svg></div><title><![CDATA[x]]>&",
                           "<table><svg><foreignObject><div><tr><math></div><mi><![CDATA[x]]>&"}) {
    const Document page = HtmlParser().Parse(html);
    EXPECT_EQ(page.fallback_reason, FallbackReason::kNone) << html;
    EXPECT_EQ(page.outcome, ParseOutcome::kFull) << html;
  }
  EXPECT_EQ(Filtered("<table><div><tr><svg></div><title><b></title><g/>"),
            "<table><div><tr><svg></div><title><b></title><g></g>");
  EXPECT_EQ(Filtered("<table><svg><a><foreignObject><tr><g/>"),
            "<table><svg><a><foreignObject><tr><g>");
}

TEST(PrefilterTest, NeighboursDoNotGrowTogether) {
  EXPECT_EQ(Filtered("&am<!-- -->p;"), "&am<!---->p;");
  EXPECT_EQ(Filtered("<<!-- -->b>"), "<<!---->b>");
  EXPECT_EQ(HtmlParser().Parse("&am<!-- -->p;").text, "&amp;");
  EXPECT_EQ(Filtered("&am<isindex>p;"), "&am<!---->p;");
  EXPECT_EQ(Filtered("<<isindex a=b>b>"), "<<!---->b>");
  EXPECT_EQ(Filtered("a <isindex> b"), "a  b");
  // A '>' that is text ends nothing.
  EXPECT_EQ(Filtered("<table>a><!-- --> <b>c"), "<table>a><!----> <b>c");
  EXPECT_EQ(HtmlParser().Parse("<table>a><!-- --> <b>c").text, "a>c");
}

TEST(PrefilterTest, NoMarkGrowsFromWhatIsLeftOut) {
  const std::string words = "some text that is long enough to be replaced by a mark";
  const std::string replaced = "\xEF\xBF\xBD";  // a control character, in text
  for (const bool enabled : {true, false}) {
    HtmlParser parser(ParseOptions{.prefilter = enabled});
    EXPECT_EQ(parser.Parse("<p>" + words + "</p><p>a &#x10<isindex>FFFD;").text,
              words + "\na " + replaced + "FFFD;");
    EXPECT_EQ(parser.Parse("<p>" + words + "</p><p>a &#xF<isindex>0000;").text,
              words + "\na " + replaced + "0000;");
    EXPECT_EQ(parser.Parse("<p>a &#x10</>FFFD;" + words).text, "a " + replaced + "FFFD;" + words);
    EXPECT_EQ(parser.Parse("<<isindex>script>x<p>y").text, "<script>x\ny");
  }
}

TEST(PrefilterTest, NoDepthGrowsFromWhatIsLeftOut) {
  PrefilterOptions options;
  options.depth_max = 3;
  Prefilter prefilter(options);
  ASSERT_TRUE(prefilter.Run("<<isindex>div><<isindex>div><<isindex>div><<isindex>div>", false));
  EXPECT_EQ(prefilter.output(), "<<!---->div><<!---->div><<!---->div><<!---->div>");
}

TEST(TextReferencesTest, WhatWasNeverGivenOutIsNoMark) {
  TextReferences references;
  std::array<char, TextReferences::kMarkBytes> mark;
  ASSERT_TRUE(references.Add("a text", mark.data()));
  EXPECT_EQ(references.Resolve({mark.data(), mark.size()}), "a text");
  for (const std::string_view other : {"\xF3\xB0\x80\x81", "\xF4\x8F\xBF\xBD"}) {
    EXPECT_EQ(references.Resolve(other), other);
    std::string back;
    references.ForEachPiece(other, [&back](std::string_view piece) { back += piece; });
    EXPECT_EQ(back, other);
  }
}

TEST(PrefilterTest, MarksStandForTextThatGumboNeedNotSee) {
  Prefilter prefilter({});
  const std::string_view html =
      "<p> some words of text <a href='/a/long/path'>short</a>more &amp;\nmuch more text";
  ASSERT_TRUE(prefilter.Run(html, false));
  std::string back;
  prefilter.references().ForEachPiece(prefilter.output(),
                                      [&back](std::string_view piece) { back += piece; });
  EXPECT_EQ(back,
            "<p> some words of text <a href=/a/long/path>short</a>more &amp; much more text");
  EXPECT_LT(prefilter.output().size(), html.size() - 30);
}

TEST(PrefilterTest, MarksDoNotMeetThePagesOwnPrivateCharacters) {
  HtmlParser parser;
  const std::string mark = "\xF3\xB0\x80\x80";  // U+F0000, the first
  const std::string words = "many words that would be marked ";
  EXPECT_EQ(parser.Parse(words + "<b>" + mark).text, words + mark);
  EXPECT_EQ(parser.Parse(words + "<b>&#xF0000;").text, words + mark);
  EXPECT_EQ(parser.Parse(words + "<b>&#983040").text, words + mark);
  EXPECT_EQ(parser.Parse(words + "<b>&#x" + std::string(100, '0') + "F0000;").text, words + mark);
  EXPECT_EQ(parser.Parse(words + "<![CDATA[x]]>&#xF0000;").text, words + mark);
  EXPECT_EQ(parser.Parse(words + "<a href='&#xF0000;'>").links.at(0).href, mark);
  EXPECT_EQ(parser.Parse("<svg><![CDATA[" + words + "]]>" + words + "</svg>").text,
            words + words.substr(0, words.size() - 1));
  EXPECT_EQ(parser.Parse("<title>" + words + "</title>" + words).title + ' ', words);
}

TEST(PrefilterTest, MoreTextsThanMarks) {
  std::string html;
  std::string text;
  for (int i = 0; i < 140'000; ++i) {
    const std::string words = "twelve bytes and more " + std::to_string(i);
    html += "<p>" + words;
    text += (text.empty() ? "" : "\n") + words;
  }
  HtmlParser parser(ParseOptions{.cpu_time_max = std::chrono::seconds(60)});
  EXPECT_EQ(parser.Parse(html).text, text);
}

TEST(PrefilterTest, TagsAsTheTokeniserReadsThem) {
  EXPECT_EQ(Filtered("<a title='>' href=x>y"), "<a href=x>y");
  EXPECT_EQ(Filtered("<a =href=x href=y>"), "<a href=y>");
  EXPECT_EQ(Filtered("<a href = \"x\" >"), "<a href = \"x\">");
  EXPECT_EQ(Filtered("<a/href=x/ >"), "<a href=x/>");
  for (const bool enabled : {true, false}) {
    HtmlParser parser(ParseOptions{.prefilter = enabled});
    EXPECT_EQ(parser.Parse("<a x/= href=/y>a").links.size(), 1u);
    EXPECT_EQ(parser.Parse("<a x x href=/y>a").links.size(), 1u);
  }
  EXPECT_EQ(Filtered("<a href=x"), "");
  EXPECT_EQ(Filtered("x<a href='y>z"), "x");
  EXPECT_EQ(Filtered("<script><!--<script></script>--></script>x"), "<script></script>x");
  EXPECT_EQ(Filtered("<script><!--<script></script></script>x"), "<script></script>x");
  EXPECT_EQ(Filtered("<script><!--></script>x"), "<script></script>x");
  EXPECT_EQ(Filtered("<!--><p>"), "<p>");
  EXPECT_EQ(Filtered("<!---><p>"), "<p>");
  EXPECT_EQ(Filtered("<!-- --!><p>"), "<p>");
  EXPECT_EQ(Filtered("<?php echo '<p>' ?>x"), "' ?>x");
}

TEST(PrefilterTest, WholeElements) {
  EXPECT_EQ(Filtered("<svg><script/><title/>x</svg>"),
            "<svg><script></script><title></title>x</svg>");
  EXPECT_EQ(Filtered("<script/>x</script>y"), "<script></script>y");
  EXPECT_EQ(Filtered("<script/>x<br/>", /*xml=*/true), "<script></script>x<br>");
}

TEST(PrefilterTest, TheOutputMayBeLongerThanTheInput) {
  for (const auto* root : {"svg", "math"}) {
    const std::string name = root;
    EXPECT_EQ(Filtered(Repeat("<" + name + "/>", 200), /*xml=*/true),
              Repeat("<" + name + "></" + name + ">", 200));
  }
  EXPECT_EQ(Filtered("<svg><![CDATA[" + std::string(1'000, '<') + "]]>"),
            "<svg>" + Repeat("&lt;", 512) + "<!---->" + Repeat("&lt;", 488) + "<!---->");
  EXPECT_EQ(Filtered(Repeat("<i/>", 200), /*xml=*/true), Repeat("<i></i>", 200));
}

TEST(PrefilterTest, CdataIsWrittenAsText) {
  EXPECT_EQ(Filtered("<svg><desc><![CDATA[a<b & c]]></desc></svg>"),
            "<svg><desc>a&lt;b &amp; c<!----></desc></svg>");
  EXPECT_EQ(Filtered("<math><![CDATA[<!-- x --><p hidden></math>"),
            "<math>&lt;!-- x -->&lt;p hidden>&lt;/math><!---->");
  EXPECT_EQ(Filtered("<p><![CDATA[a]]>b</p>", /*xml=*/true), "<p>a<!---->b</p>");
  // "&am" and "p;" do not grow together, nor do "<" and "b>".
  EXPECT_EQ(Filtered("<svg>&am<![CDATA[p;]]><<![CDATA[b>]]>"),
            "<svg>&am<!---->p;<!----><<!---->b><!---->");
}

TEST(PrefilterTest, InHtmlCdataIsACommentThatEndsAtTheFirstBracket) {
  EXPECT_EQ(Filtered("<![CDATA[ a <!-- c --> b ]]> text"), " b ]]> text");
  EXPECT_EQ(Filtered("<svg><desc><p><![CDATA[a]]>b"), "<svg><desc><p>b");
  EXPECT_EQ(Filtered("<svg><p><![CDATA[a]]>b"), "<svg><p>b");
  PrefilterOptions bare;
  bare.enabled = false;
  Prefilter prefilter(bare);
  ASSERT_TRUE(prefilter.Run("<p>a<![CDATA[b]]>", false));
  EXPECT_EQ(prefilter.output(), "<p>a<!---->");
}

TEST(PrefilterTest, NoElementOfSvgOrMathmlIsRawText) {
  EXPECT_EQ(Filtered("<svg><iframe><b class=x></svg>"), "<svg><iframe><b></svg>");
  EXPECT_EQ(Filtered("<svg></math><style/></svg>"), "<svg></math><style></style></svg>");
  EXPECT_EQ(Filtered("<svg><p><script>a<b</script>"), "<svg><p><script></script>");
  EXPECT_EQ(Filtered("<svg><foreignObject><script>a<b</script>"),
            "<svg><foreignObject><script></script>");
  EXPECT_EQ(Filtered("<a><svg></a><script>a<b</script>"), "<a><svg></a><script></script>");
  EXPECT_EQ(Filtered("<svg><desc><i></i></desc><script/>"),
            "<svg><desc><i></i></desc><script></script>");
  EXPECT_EQ(Filtered("<svg><font size=1><script>a<b</script>"),
            "<svg><font size=1><script></script>");
  EXPECT_EQ(Filtered("<math><annotation-xml encoding=Text/HTML><style>a<b</style>"),
            "<math><annotation-xml encoding=Text/HTML><style></style>");
  EXPECT_EQ(Filtered("<a xlink:href=x><svg><a xlink:href=x href=y href=z>"),
            "<a><svg><a xlink:href=x href=y>");
}

TEST(PrefilterTest, AtMostSoManyAttributes) {
  std::string tag = "<a ";
  for (int i = 0; i < 300; ++i) tag += "x" + std::to_string(i) + " ";
  EXPECT_EQ(Filtered(tag + "href=late>"), "<a>");
  EXPECT_EQ(Filtered("<a href=early " + tag.substr(3) + ">"), "<a href=early>");
}

TEST(PrefilterTest, DepthIsGuarded) {
  PrefilterOptions options;
  options.depth_max = 3;
  Prefilter prefilter(options);
  EXPECT_TRUE(prefilter.Run("<div><div><div></div><div></div><p>x<p>y<br><br>", false));
  EXPECT_FALSE(prefilter.Run("<div><div><div><div>", false));
  EXPECT_TRUE(prefilter.Run("<div>", false));
  // The <div> stays open, and the <span> around it.
  EXPECT_FALSE(prefilter.Run("<span><div></span><span><div></span>", false));
  EXPECT_TRUE(prefilter.Run("<span><i></span><span><i></span>", false));
}

void ExpectAlike(const Document& with, const Document& without, const std::string& name) {
  EXPECT_EQ(with.text, without.text) << name;
  EXPECT_EQ(with.links, without.links) << name;
  EXPECT_EQ(with.blocks, without.blocks) << name;
  EXPECT_EQ(with.title, without.title) << name;
  EXPECT_EQ(with.lang, without.lang) << name;
  EXPECT_EQ(with.base_href, without.base_href) << name;
  EXPECT_EQ(with.canonical_href, without.canonical_href) << name;
  EXPECT_EQ(with.noindex, without.noindex) << name;
  EXPECT_EQ(with.nofollow, without.nofollow) << name;
  EXPECT_EQ(with.outcome, ParseOutcome::kFull) << name;
}

ParseOptions Unhurried(bool prefilter) {
  ParseOptions options;
  options.prefilter = prefilter;
  options.cpu_time_max = std::chrono::seconds(60);
  return options;
}

TEST(PrefilterTest, ForeignTablePartsCloseNothingOfHtml) {
  EXPECT_EQ(HtmlParser().Parse("<template><svg><template></template>secret<a href=u>").text, "");
  EXPECT_EQ(HtmlParser().Parse("<table><tr><td>a<svg><td></td><text>in</text></svg></table>").text,
            "a\nin");
  EXPECT_EQ(Filtered("<svg><td/><g/></svg></td>"), "<svg><x-td></x-td><g></g></svg></td>");
}

TEST(PrefilterTest, KnowsWhereSvgEnds) {
  const std::string rest = "<script>if(a<b&&c==\"x\"){}</script><p>text";
  for (const auto* begin :
       {"<h2><svg></h1>", "<div><button><svg></div>", "<span><svg><form></span>",
        "<sub><svg><textarea></sub>", "<span><main><svg></span>", "<dialog><svg></search>",
        "<table><svg><foreignObject><col></foreignObject>", "<h2><svg></h2>", "<a><svg></a>"}) {
    EXPECT_EQ(HtmlParser().Parse(begin + rest).text, "text") << begin;
  }
  // A <button> keeps what is in it, whatever ends around it.
  EXPECT_EQ(Filtered("<b><button><svg></b><g/>"), "<b><button><svg></b><g></g>");
  EXPECT_EQ(Filtered("<div><button><svg></div><g/>"), "<div><button><svg></div><g>");
}

TEST(PrefilterTest, ChangesNothingThatIsRead) {
  HtmlParser with(Unhurried(true));
  HtmlParser without(Unhurried(false));
  for (const auto* html :
       {"<form>s <!-- c --></form>t", "<form>s</listing><!-- c --></form>t",
        "<div>a<form>Search</form>Home</div>", "<div><form hidden>Secret</form>Home",
        "<body style=\"margin:0\">a<body style=\"display:none\">b",
        "<html role=x><html role=main>b", "<pre><a href=u></pre><pre>\n\n<rp><a href=v>A",
        "<xmp>\n\n<b></xmp>c", "<svg><text xlink:role=main>hello</text></svg>",
        "<form><svg></form><a xlink:href=u>x</a></svg>",
        "<math><annotation-xml><svg><foreignObject><style><!-- </style></foreignObject></svg>"
        "</annotation-xml></math>y<!-- -->z"}) {
    ExpectAlike(with.Parse(html), without.Parse(html), html);
  }
  EXPECT_EQ(with.Parse("<div>a<form>Search</form>Home</div>").text, "a\nSearch\nHome");
  EXPECT_EQ(with.Parse("<div><form hidden>Secret</form>Home").text, "Home");
}

// Each makes the tree deeper by one or two, every time it is repeated.
TEST(PrefilterTest, TheDepthGuardCountsWhatStaysOpen) {
  for (const auto* html : {"<dd><h1>", "<li><h1>", "<a><div>", "<nobr><div>", "<optgroup><div>"}) {
    Prefilter prefilter({.depth_max = 100});
    EXPECT_FALSE(prefilter.Run(Repeat(html, 200), false)) << html;
  }
  for (const auto* html : {"<li><p>", "<li><div><b>", "<p><i>", "<p>a<hr>",
                           "<a href=x><span>t<br>", "<a href=x><span>t</a><br>", "<b><span>t</b>",
                           "<nobr><span>x", "<li><main>x", "<li><dialog>x"}) {
    Prefilter prefilter({.depth_max = 100});
    EXPECT_TRUE(prefilter.Run("<ul>" + Repeat(html, 200), false)) << html;
  }
}

const std::vector<std::string> kSoup = {"<p class=x>",
                                        "</p>",
                                        "<b>",
                                        "</b>",
                                        "<i id=q>",
                                        "</i>",
                                        "<a href=u title='>'>",
                                        "</a>",
                                        "<table border=1>",
                                        "<tr>",
                                        "<td>",
                                        "</td>",
                                        "</table>",
                                        "<ul>",
                                        "<li>",
                                        "</ul>",
                                        "<div>",
                                        "</div>",
                                        "word",
                                        " ",
                                        "\n\n",
                                        "&amp;",
                                        "&eacute",
                                        "&",
                                        "<!-- c -->",
                                        "<?pi?>",
                                        "</>",
                                        "<isindex>",
                                        "&#xF",
                                        "0000;",
                                        "<",
                                        "<br/>",
                                        "<img src=x>",
                                        "<script>a<b</script>",
                                        "<style>b{}</style>",
                                        "<h1>",
                                        "</h1>",
                                        "<span hidden>",
                                        "</span>",
                                        "<nobr>",
                                        "<form>",
                                        "<input type=hidden>",
                                        "<svg><g/></svg>",
                                        "<svg>",
                                        "<svg/>",
                                        "</svg>",
                                        "<svg><title>",
                                        "<desc>",
                                        "</desc>",
                                        "<foreignObject>",
                                        "<style/>",
                                        "<math>",
                                        "<math/>",
                                        "</math>",
                                        "<math><mtext>",
                                        "</mtext>",
                                        "<annotation-xml encoding=text/html>",
                                        "<font color=c>",
                                        "<a xlink:href=x>",
                                        "<![CDATA[",
                                        "]]>",
                                        "<pre>\n",
                                        "</pre>",
                                        "<title> t </title>",
                                        "<iframe src=f><p></iframe>",
                                        "\xC2\xA0",
                                        "\xF3\xB0\x80\x80",
                                        "<option>",
                                        "<button>",
                                        "<xmp> <b> </xmp>",
                                        "<nav>",
                                        "</nav>",
                                        "<section role=main>",
                                        "1 < 2",
                                        std::string(1, '\0'),
                                        "<body lang=x>",
                                        "<base href=b>",
                                        "</br>",
                                        "longer text with several words ",
                                        "a bell \b in longer text",
                                        "&#xF0000;",
                                        "&#x41;longer text",
                                        "<a href=/longer/path?a=b>",
                                        "<a href='/longer/path\b'>",
                                        "<a href='/longer/\xC2\x85'>",
                                        "<a href='/longer/\xEF\xBF\xBE'>",
                                        "<![CDATA[ longer text ]]>",
                                        "\xC2\x85",
                                        "\xEF\xBF\xBE and so on and on"};

TEST(PrefilterTest, ChangesNothingInTagSoup) {
  HtmlParser with(Unhurried(true));
  HtmlParser without(Unhurried(false));
  EXPECT_TRUE(rc::check("with and without", [&] {
    std::string html;
    for (const auto& piece :
         *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kSoup))) {
      html += piece;
    }
    const ParseHints hints{.content_type = {},
                           .kind = *rc::gen::element(ContentKind::kHtml, ContentKind::kXhtml)};
    const Document a = with.Parse(html, hints);
    const Document b = without.Parse(html, hints);
    RC_ASSERT(a.text == b.text);
    RC_ASSERT(a.links == b.links);
    RC_ASSERT(a.title == b.title);
    RC_ASSERT(a.blocks == b.blocks);
  }));
}

TEST(PrefilterTest, ChangesNothingOnRealPages) {
  const auto file = tests::SharedFolder("data/near-duplicates/pages.tar.zst");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  const auto archive = tests::ReadZstd(*file);
  if (!archive) GTEST_SKIP() << "the zstd program is not installed";
  HtmlParser with(Unhurried(true));
  HtmlParser without(Unhurried(false));
  int pages = 0;
  for (const auto& [name, body] : tests::FilesInTar(*archive)) {
    // Every third: it takes Gumbo seconds to read them all.
    if (++pages % 3 != 0) continue;
    ExpectAlike(with.Parse(body), without.Parse(body), name);
  }
  EXPECT_EQ(pages, 1'798);
}

}  // namespace
}  // namespace parser

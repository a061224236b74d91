#include "parser/plain_scan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parser/html_parser.h"

namespace parser {
namespace {

Document ByTree(std::string_view html) {
  return HtmlParser(ParseOptions{.cpu_time_max = std::chrono::seconds(60)}).Parse(html);
}

Document ByScan(std::string_view html) {
  return HtmlParser(ParseOptions{.cpu_time_max = std::chrono::microseconds(0)}).Parse(html);
}

/// The scan may know less than the tree, but not lose what the tree shows, nor show what it hides.
void ExpectAgreement(const std::string& html) {
  const Document tree = ByTree(html);
  const Document scan = ByScan(html);
  ASSERT_EQ(tree.outcome, ParseOutcome::kFull) << html;
  ASSERT_EQ(scan.outcome, ParseOutcome::kFallback) << html;
  EXPECT_EQ(scan.text, tree.text) << html;
  EXPECT_EQ(scan.title, tree.title) << html;
  EXPECT_EQ(scan.links, tree.links) << html;
}

constexpr std::string_view kAfter = "<p>after <a href=u>link</a>";

TEST(PlainScanTest, ReadsForeignContentAsTheTreeDoes) {
  for (const std::string name : {"title", "style", "script", "textarea", "iframe", "noscript"}) {
    for (const std::string root : {"svg", "math"}) {
      for (const std::string& body :
           {"<" + name + "/>", "<" + name + ">no</" + name + ">", "<" + name + ">no",
            "<" + name + "/><" + root + "><" + name + "/></" + root + "><" + name + "/>"}) {
        const std::string page = "<" + root + ">" + body + "</" + root + ">";
        ExpectAgreement(page + std::string(kAfter));
        ExpectAgreement("<title>t</title><body>" + page + page + std::string(kAfter));
      }
    }
  }
  EXPECT_EQ(ByScan("<svg><title/></svg><p>text <a href=u>l</a>").text, "text l");
  EXPECT_EQ(ByScan("<svg><title>Icon</title></svg><p>t").title, "");
}

TEST(PlainScanTest, ForeignContentLastsToItsOwnEndTag) {
  for (const std::string html :
       {"<svg/><style>no</style>", "<svg><svg></svg><title>no</title></svg><style>no</style>",
        "</svg><style>no</style>", "<svg></math><style/></svg>", "<video><svg></video>",
        "<svg><![CDATA[a>b]]>c</svg>", "<math><mi><![CDATA[a>b]]></mi></math><![CDATA[no>c",
        "<math><annotation>no</annotation><mi>x</mi></math>"}) {
    ExpectAgreement(html + std::string(kAfter));
  }
  EXPECT_EQ(ByScan("<svg><![CDATA[a>b]]>c</svg>").text, "a>bc");
}

TEST(PlainScanTest, WhatDoesNotShowEndsWithTheElementAroundIt) {
  for (const std::string muted : {"video", "audio", "canvas", "datalist"}) {
    const std::string open = "<" + muted + ">";
    const std::string close = "</" + muted + ">";
    for (const std::string& html :
         {"<div>" + open + "</div>", "<ul><li>" + open + "<p>no<option>no</ul>",
          "<div>" + open + "<div>no</div>no" + close + "x</div>", "<a href=v>" + open + "no</a>",
          "<span>" + open + "no</span>", open + "</div>no" + close,
          open + open + close + "no" + close, "<div>" + open + "<div>no</div>no</div>"}) {
      ExpectAgreement(html + std::string(kAfter));
    }
  }
  EXPECT_EQ(ByScan("<ul><li><datalist><option>x</ul><p>text").text, "text");
}

TEST(PlainScanTest, ASelectEndsAtTheNextControl) {
  for (const std::string html :
       {"<select><option>no<input>", "<select><option>no<keygen>", "<select>no<select>",
        "<select><option>no<textarea>no</textarea>", "<div><select><option>no</select>x</div>"}) {
    ExpectAgreement(html + std::string(kAfter));
  }
}

TEST(PlainScanTest, TemplatesNest) {
  for (const std::string html :
       {"<template><template></template>no</template>x", "<div><template></div>no</template>x",
        "<template><svg><title/></svg><style>no</style>no</template>x",
        "<template><title>no</title></template>x"}) {
    ExpectAgreement(html + std::string(kAfter));
  }
}

TEST(PlainScanTest, AnEndTagThatNeverBeginsIsText) {
  for (const auto* html : {"<p>x</", "<p>x</>y", "<p>x</ y>z", "<p>x<", "<p>x<!", "<p>x<?"}) {
    ExpectAgreement(html);
  }
}

// The tree gives up such a page, as browsers do; the scan has misread it more likely than not.
TEST(PlainScanTest, RawTextWithoutAnEndIsEmpty) {
  for (const std::string name : {"title", "style", "textarea", "iframe", "xmp"}) {
    const Document page = ByScan("<" + name + ">" + std::string(kAfter));
    EXPECT_EQ(page.text, "after link") << name;
    EXPECT_EQ(page.title, "") << name;
    EXPECT_EQ(page.links.size(), 1u) << name;
  }
  EXPECT_EQ(ByScan("<script>no").text, "");
  EXPECT_EQ(ByScan("<plaintext><p>x").text, "<p>x");
}

// Were each end tag looked for again, these megabytes would take minutes.
TEST(PlainScanTest, ManyElementsWithoutAnEndTakeOnePass) {
  std::string html;
  for (int i = 0; i < 400'000; ++i) html += "<style><title><video>";
  EXPECT_EQ(ByScan(html + std::string(kAfter)).text, "");
  EXPECT_EQ(ByScan(html + std::string(kAfter)).links.size(), 1u);
}

}  // namespace
}  // namespace parser

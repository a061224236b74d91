#include "crawler/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/text_store.h"
#include "crawler/report/report_page.h"
#include "crawler/web/web_page.h"
#include "store/rocks_store.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using contentseen::Kind;
using testing::HasSubstr;
using testing::Not;
using tests::TempFolder;

constexpr char kHostile[] =
    "</script><script>alert(1)</script><img src=x onerror=alert(1)> {{data}}";

contentseen::Digest DigestOf(const std::string& text) { return contentseen::Sha256(text); }

/// A data directory as a crawl of two mirrors and a shop would leave it.
class ReportTest : public testing::Test {
 protected:
  void Store(const std::string& url, const std::string& text) {
    PageRecord page;
    page.time = base::WallTime(std::chrono::seconds(1'800'000'000 + ++lines_));
    page.url = page.final_url = url;
    page.digest = DigestOf(text);
    page.body_bytes = 100;
    pages_ += LogLine(page);
  }
  SkipRecord Skip(Kind kind, const std::string& url, const std::string& original,
                  const std::string& text, int distance = 0) {
    SkipRecord page;
    page.time = base::WallTime(std::chrono::seconds(1'800'000'000 + ++lines_));
    page.url = page.final_url = url;
    page.kind = kind;
    page.distance = distance;
    page.k = 3;
    page.original_url = original;
    page.digest = DigestOf(text);
    page.body_bytes = 10;
    page.links_not_followed = 2;
    return page;
  }
  void Add(const SkipRecord& page) { skipped_ += LogLine(page); }
  void Gone(const std::string& url) {
    OtherRecord page;
    page.url = page.final_url = url;
    page.disposition = "client-error";
    page.time = base::WallTime(std::chrono::seconds(1'800'000'000 + ++lines_));
    other_ += LogLine(page);
  }
  std::filesystem::path Data() {
    const std::filesystem::path data = folder_ / "crawl";
    std::filesystem::create_directories(data);
    tests::WriteFile(data / kPageLogName, pages_);
    tests::WriteFile(data / kSkipLogName, skipped_);
    tests::WriteFile(data / kOtherLogName, other_);
    return data;
  }
  Report Read(const ReportLimits& limits = {}) {
    auto report = ReadReport(Data(), limits);
    EXPECT_TRUE(report) << report.error().message;
    return std::move(*report);
  }

  TempFolder folder_;
  std::string pages_;
  std::string skipped_;
  std::string other_;
  int lines_ = 0;
};

TEST_F(ReportTest, Row115_WhoIsCopiedIsShownThoughTheCopyWasMetFirst) {
  Store("http://copier.test/stolen/very/long/path?x=1", "news");
  SkipRecord victim = Skip(Kind::kExactText, "https://victim.test/news", "", "news");
  victim.original_url = "http://copier.test/stolen/very/long/path?x=1";
  victim.canonical = "/news";
  Add(victim);
  SkipRecord printed = victim;
  printed.url = printed.final_url = "https://victim.test/p";
  printed.canonical = "https://victim.test/news";
  Add(printed);
  const Report report = Read();
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].original_url, "http://copier.test/stolen/very/long/path?x=1");
  EXPECT_EQ(report.groups[0].shown_url, "https://victim.test/news");
  EXPECT_THAT(ReportJson(report), HasSubstr("\"shown\":\"https://victim.test/news\""));
}

TEST_F(ReportTest, Row115_ACanonicalLinkToAnotherHostProvesNothing) {
  Store("https://victim.test/page", "news");
  SkipRecord copy =
      Skip(Kind::kNear, "https://copier.test/1", "https://victim.test/page", "news+");
  copy.canonical = "https://copier.test/";  // not itself, on its own host
  Add(copy);
  SkipRecord other = copy;
  other.url = other.final_url = "https://copier.test/2222222222222222";
  other.canonical = "https://victim.test/page";
  Add(other);
  const Report report = Read();
  EXPECT_EQ(report.groups.at(0).shown_url, "https://victim.test/page");
}

TEST_F(ReportTest, Row83_AHostOfNearDuplicatesOnlyRaisesAnAlarm) {
  Store("http://shop.test/", "template");
  for (int i = 0; i < 30; ++i) {
    Add(Skip(Kind::kNear, "http://shop.test/" + std::to_string(i), "http://shop.test/", "t", 1));
  }
  for (int i = 0; i < 30; ++i) {
    Store("http://blog.test/" + std::to_string(i), "text " + std::to_string(i));
    Add(Skip(Kind::kNear, "http://blog.test/print/" + std::to_string(i), "http://shop.test/",
             "t"));
  }
  const Report report = Read();
  ASSERT_EQ(report.alarms.size(), 1u);
  EXPECT_THAT(report.alarms[0], HasSubstr("On shop.test 30 of 31 pages are near-duplicates"));
  EXPECT_THAT(ReportJson(report), HasSubstr("On shop.test 30 of 31"));
}

TEST_F(ReportTest, CountsWhatTheLogsSay) {
  Store("http://a.example/1", "one");
  Store("http://a.example/2", "two");
  Add(Skip(Kind::kExactBytes, "http://b.example/1", "http://a.example/1", "one"));
  Add(Skip(Kind::kNear, "http://b.example/x", "http://a.example/1", "won", 2));
  Add(Skip(Kind::kExactText, "http://c.example/", "http://a.example/2", "Two"));
  Gone("http://c.example/gone");
  Report report = Read();
  EXPECT_EQ(report.Of(Disposition::kStored), 2U);
  EXPECT_EQ(report.Of(Disposition::kExactBytes), 1U);
  EXPECT_EQ(report.Of(Disposition::kExactText), 1U);
  EXPECT_EQ(report.Of(Disposition::kNear), 1U);
  EXPECT_EQ(report.Of(Disposition::kClientError), 1U);
  EXPECT_EQ(report.distances[2], 1U);
  EXPECT_EQ(report.k, 3);
  EXPECT_EQ(report.stored_bytes, 200U);
  EXPECT_EQ(report.skipped_bytes, 30U);
  EXPECT_EQ(report.links_not_followed, 6U);
  EXPECT_EQ(report.hosts_count, 3U);
  ASSERT_EQ(report.groups.size(), 2U);
  EXPECT_EQ(report.groups[0].original_url, "http://a.example/1");
  EXPECT_EQ(report.groups[0].pages, 2U);
  EXPECT_EQ(report.groups[0].near, 1U);
  EXPECT_EQ(report.groups[0].hosts, 1U);
  EXPECT_EQ(report.hosts[0].host, "b.example");
  EXPECT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.texts.missing, 0U) << "no texts were kept: none is missed";
}

TEST_F(ReportTest, FindsMirrorsAndIdleParametersInTheLogs) {
  for (int i = 0; i < 16; ++i) {
    std::string path = "/p" + std::to_string(i);
    Store("http://a.example" + path, "text" + path);
    Kind kind = i % 2 == 0 ? Kind::kExactBytes : Kind::kNear;
    Add(Skip(kind, "http://b.example" + path, "http://a.example" + path,
             kind == Kind::kNear ? "nearly text" + path : "text" + path));
  }
  for (int i = 0; i < 3; ++i) {
    std::string url = "http://shop.example/" + std::to_string(i);
    Store(url, "product" + url);
    Add(Skip(Kind::kExactText, url + "?sid=7", url, "product with sid 7" + url));
  }
  Report report = Read();
  ASSERT_EQ(report.mirrors.pairs.size(), 1U);
  EXPECT_TRUE(report.mirrors.pairs[0].certain);
  EXPECT_EQ(report.mirrors.pairs[0].matching, 16U);
  ASSERT_EQ(report.parameters.idle.size(), 1U);
  EXPECT_EQ(report.parameters.droppable, std::vector<std::string>{"sid"});
}

TEST_F(ReportTest, LimitsAreSaid) {
  Store("http://a.example/", "one");
  for (int i = 0; i < 5; ++i) {
    Add(Skip(Kind::kExactBytes, "http://b.example/" + std::to_string(i), "http://a.example/",
             "one"));
  }
  Report report = Read({.rows_max = 2, .list_max = 1, .urls_max = 3});
  EXPECT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows_left_out, 3U);
  EXPECT_EQ(report.urls_left_out, 3U);
  EXPECT_EQ(report.Of(Disposition::kExactBytes), 5U) << "counts have no limit";
  EXPECT_EQ(report.groups[0].pages, 5U);
}

TEST_F(ReportTest, TextsFitTheirRoomNearDuplicatesFirst) {
  Store("http://a.example/", "one");
  SkipRecord same = Skip(Kind::kExactBytes, "http://b.example/1", "http://a.example/", "one");
  same.original_text_id = same.text_id = 1;
  SkipRecord near = Skip(Kind::kNear, "http://b.example/2", "http://a.example/", "two", 1);
  near.original_text_id = 1;
  near.text_id = 2;
  Add(same);
  Add(near);
  {
    auto store = store::OpenRocksStore(Data() / kTextStoreName, {});
    ASSERT_TRUE(store) << store.error().message;
    store::Batch texts;
    PutText(1, "The harbour opens at nine.", 1000, texts);
    PutText(2, "The harbour  opens at ten. 晴れ", 1000, texts);
    ASSERT_TRUE((*store)->Write(texts, store::Durability::kProcess));
  }
  Report report = Read();
  EXPECT_EQ(report.texts.originals, std::vector<std::string>{"The harbour opens at nine."})
      << "once for both";
  ASSERT_EQ(report.texts.pairs.size(), 2U);
  const TextDelta& delta = report.texts.pairs.at(1).delta;
  ASSERT_EQ(delta.steps.size(), 3U);
  EXPECT_EQ(std::get<TextDelta::Same>(delta.steps[0]).words, 4U);
  EXPECT_EQ(std::get<TextDelta::Removed>(delta.steps[1]).words, 1U);
  EXPECT_EQ(std::get<TextDelta::Added>(delta.steps[2]).words, "ten. 晴 れ");

  Report small = Read({.texts_bytes_max = 70});
  EXPECT_TRUE(small.texts.pairs.contains(1)) << "the near-duplicate";
  EXPECT_FALSE(Read({.texts_bytes_max = 20}).texts.pairs.contains(1));
  EXPECT_EQ(Read({.texts_bytes_max = 0}).texts.left_out, 2U);
}

TEST_F(ReportTest, Row110_NothingHostileBecomesMarkup) {
  Store("http://a.example/", "one");
  SkipRecord page = Skip(Kind::kNear, std::string("http://b.example/?") + kHostile,
                         std::string("javascript:alert(1)//") + kHostile, "two", 1);
  page.title = kHostile;
  Add(page);
  skipped_ += "junk </script>\n";
  const std::string html = ReportPage(Read());
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
  EXPECT_THAT(html, HasSubstr("{{data}}")) << "what is put in is not expanded again";
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != html.npos; at = html.find("<script", at + 1)) {
    ++scripts;
  }
  EXPECT_EQ(scripts, 2U) << "the data and the page's own";
  auto json = nlohmann::json::parse(ReportJson(Read()));
  EXPECT_EQ(json["skipped"]["rows"][0]["title"], kHostile);
  EXPECT_EQ(json["faults"][0]["log"], "skipped.jsonl");
}

TEST_F(ReportTest, HostsAndGroupsAreBounded) {
  for (const char* host : {"a", "b", "c"}) {
    const std::string url = std::string("http://") + host + ".example/";
    Store(url, host);
    Add(Skip(Kind::kExactText, url + "again", url, host));
    Add(Skip(Kind::kExactText, "http://a.example/copy-of-" + std::string(host), url, host));
  }
  const Report report = Read({.urls_max = 2});
  EXPECT_EQ(report.groups_count, 2U);
  EXPECT_EQ(report.groups_left_out, 2U);
  EXPECT_EQ(report.hosts_count, 2U);
  EXPECT_EQ(report.hosts_left_out, 2U);
  ASSERT_EQ(report.hosts.size(), 2U);
  EXPECT_EQ(report.hosts[0].host, "a.example");
  EXPECT_EQ(report.hosts[0].skipped, 4U) << "what is known is counted on";
  EXPECT_EQ(report.Of(Disposition::kExactText), 6U);
  const auto json = nlohmann::json::parse(ReportJson(report));
  EXPECT_EQ(json["hosts_left_out"], 2);
  EXPECT_EQ(json["groups_left_out"], 2);
  EXPECT_EQ(Read().hosts_left_out + Read().groups_left_out, 0U);
}

TEST_F(ReportTest, SaysWhenThereAreMoreFaultsThanItKeeps) {
  for (std::size_t i = 0; i < kLogFaultsMax - 1; ++i) skipped_ += "junk\n";
  auto fault = nlohmann::json::parse(ReportJson(Read()))["faults"][0];
  EXPECT_EQ(fault["lines"], kLogFaultsMax - 1);
  EXPECT_EQ(fault["more"], false);
  for (int i = 0; i < 100; ++i) skipped_ += "junk\n";
  fault = nlohmann::json::parse(ReportJson(Read()))["faults"][0];
  EXPECT_EQ(fault["lines"], kLogFaultsMax);
  EXPECT_EQ(fault["more"], true);
}

TEST_F(ReportTest, AnEmptyCrawlAndNoCrawl) {
  Report report = Read();
  EXPECT_EQ(report.end, base::WallTime{});
  EXPECT_THAT(ReportPage(report), HasSubstr("<!DOCTYPE html>"));
  auto none = ReadReport(folder_ / "nothing", {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("should be the data directory of a crawl"));
}

TEST(WebPage, PolicyNamesTheScriptByItsDigest) {
  const WebPageParts parts = {.title = "Words",
                              .styles = {"common.css"},
                              .scripts = {"dom.js"},
                              .data = "{\"a\":\"<&>\"}",
                              .connects = true};
  const std::string html = WebPage(parts);
  // echo -n | openssl dgst -sha256 -binary | base64
  EXPECT_THAT(WebPagePolicy({.title = "", .styles = {}, .scripts = {}, .data = ""}),
              HasSubstr("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"));
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-")));
  EXPECT_THAT(html, HasSubstr("{\"a\":\"\\u003c\\u0026\\u003e\"}"));
}

TEST(WebPage, LoadsNothing) {
  for (const char* name : {"page.html", "drawn.html", "common.css", "report.css", "diff.css",
                           "dashboard.css", "evaluation.css"}) {
    const std::string file(WebFile(name));
    for (const char* loads : {"https?:", "@import", "url\\(", "\\son\\w+\\s*="}) {
      EXPECT_FALSE(std::regex_search(file, std::regex(loads, std::regex::icase)))
          << name << ": " << loads;
    }
  }
  for (const char* name : {"dom.js", "charts.js", "table.js", "diff.js", "report.js",
                           "dashboard.js", "diff_page.js"}) {
    const std::string_view file = WebFile(name);
    for (const char* risky : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                              "eval(", "Function("}) {
      EXPECT_EQ(file.find(risky), file.npos) << name << ": " << risky;
    }
    EXPECT_EQ(file.find("</script"), file.npos) << name;
  }
}

}  // namespace
}  // namespace crawler

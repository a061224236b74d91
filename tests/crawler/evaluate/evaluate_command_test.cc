#include "crawler/command/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "contentseen/detectors/lexicon.h"
#include "crawler/data/skip_log.h"
#include "crawler/settings/crawl_settings.h"
#include "tests/crawler/kept_texts.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using tests::ProgramRun;
using tests::RunProgram;

/// Enough different words for texts to be compared.
std::string Prose(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "word" + std::to_string(i * i) + " ";
  return text;
}

/// Six pages in a folder, with a table of pairs of which shingling gets two right and two wrong.
class EvaluateCommandTest : public testing::Test {
 protected:
  EvaluateCommandTest() {
    std::filesystem::create_directories(folder_ / "pages/s");
    std::filesystem::create_directories(folder_ / "pages/t");
    Page("s/a.html", "<title>A</title><p>" + Prose(0, 200));
    Page("s/b.html", "<title>A</title><div>" + Prose(0, 200) + "</div>");
    Page("s/c.html", "<title>C\x1b[31m</title><p>" + Prose(0, 199) + "changed<script>x</script>");
    Page("s/d.html", "<p>" + Prose(500, 700));
    Page("t/<i>.html", "<p>" + Prose(900, 1'100));
    Page("t/unpaired.html", "<p>" + Prose(500, 700) + "more");
    tests::WriteFile(folder_ / "pairs.tsv",
                     "path_a\tpath_b\tlabel\twhy\n"
                     "s/a.html\ts/b.html\tdup\tsame-text\n"
                     "s/a.html\ts/c.html\tdistinct\t<b>twin</b>\n"
                     "s/d.html\tt/<i>.html\tdup\tredesign\n"
                     "s/b.html\ts/d.html\tdistinct\trandom\n");
    tests::WriteFile(folder_ / "pages.tsv",
                     "path\tlang\n"
                     "s/a.html\ten\ns/b.html\ten\ns/c.html\ten\ns/d.html\tde\nt/<i>.html\tde\n"
                     "t/unpaired.html\tde\n");
  }

  void Page(const std::string& name, const std::string& html) {
    tests::WriteFile(folder_.path() / "pages" / name, html);
  }
  ProgramRun Evaluate(std::vector<std::string> more, const std::string& detector = "shingling") {
    std::vector<std::string> arguments = {"evaluate",   (folder_ / "pairs.tsv").string(),
                                          "--pages",    (folder_ / "pages").string(),
                                          "--detector", detector};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  }

  tests::TempFolder folder_;
};

TEST_F(EvaluateCommandTest, CountsAsJson) {
  const ProgramRun run = Evaluate({"--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["pages"], 5);
  EXPECT_EQ(result["pairs"], 4);
  ASSERT_EQ(result["detectors"].size(), 1U);
  const json& shingling = result["detectors"].at(0);
  EXPECT_EQ(shingling["detector"], "shingling");
  EXPECT_EQ(shingling["all"]["hits"], 1);
  EXPECT_EQ(shingling["all"]["false_alarms"], 1);
  EXPECT_EQ(shingling["all"]["misses"], 1);
  EXPECT_EQ(shingling["all"]["passes"], 1);
  EXPECT_EQ(shingling["cross_site"]["misses"], 1);
  EXPECT_EQ(shingling["languages"]["en"]["hits"], 1);
  EXPECT_EQ(shingling["languages"]["mixed"]["passes"], 1);
  EXPECT_EQ(shingling["sweep"]["things"], "supershingles");
  EXPECT_EQ(shingling["sweep"]["points"].size(), 6U);
}

TEST_F(EvaluateCommandTest, AllDetectorsInTheirOrder) {
  const ProgramRun run = Evaluate({"--json"}, "all");
  ASSERT_EQ(run.code, 0) << run.err;
  std::vector<std::string> names;
  const json result = json::parse(run.out);
  for (const json& one : result["detectors"]) {
    names.push_back(one["detector"]);
    EXPECT_EQ(one["reasons"]["same-text"]["hits"], 1) << names.back();
    EXPECT_EQ(one["reasons"]["redesign"]["misses"], 1) << names.back();
    EXPECT_EQ(one["reasons"]["random"]["passes"], 1) << names.back();
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("verified", "simhash", "shingling",
                                                   "random-projection", "combined", "i-match",
                                                   "spotsigs", "minhash", "text-profile"));
}

TEST_F(EvaluateCommandTest, ShowsMistakesWordByWordAndEscaped) {
  const ProgramRun run = Evaluate({"--errors", "5"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("shingling: 1 of 1 false alarms"));
  EXPECT_THAT(run.out, HasSubstr("s/a.html | s/c.html"));
  EXPECT_THAT(run.out, HasSubstr("[-word39601-] {+changed+}"));
  EXPECT_THAT(run.out, HasSubstr("shingling: 1 of 1 misses"));
  EXPECT_THAT(run.out, HasSubstr("s/d.html | t/<i>.html"));
  EXPECT_LT(run.out.find("false alarms, the least"), run.out.find("misses, the most"));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(Evaluate({}).out, Not(HasSubstr("s/a.html")));
}

TEST_F(EvaluateCommandTest, WritesMarkdownAndAPageOfItsOwn) {
  const std::string file = (folder_ / "out.html").string();
  const ProgramRun run = Evaluate({"--markdown", "--html", file}, "all");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("### 4 pairs of 5 pages: 2 duplicates, 2 distinct"));
  EXPECT_THAT(run.out, HasSubstr("\n| shingling | 50.0 ("));
  const std::string html = tests::ReadFile(file);
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;twin&lt;/b&gt;"));
  EXPECT_THAT(html, testing::ContainsRegex("href=\"data:,\""));
  for (const char* foreign : {"<b>", "src=", "href=\"h", "href=\"/", "http:", "https:", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
  }
  const ProgramRun refused = Evaluate({"--html", (folder_ / "none/out.html").string()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("out.html: cannot be written: No such file"));
}

TEST_F(EvaluateCommandTest, ReplacesNoTable) {
  tests::WriteFile(folder_ / "grey.tsv", "path_a\tpath_b\n");
  for (const char* name : {"pairs.tsv", "pages.tsv", "grey.tsv", "pages/s/a.html"}) {
    const std::string before = tests::ReadFile(folder_ / name);
    const ProgramRun run = Evaluate({"--html", (folder_ / name).string()});
    EXPECT_EQ(run.code, 2);
    EXPECT_THAT(run.err, HasSubstr("would overwrite"));
    EXPECT_EQ(tests::ReadFile(folder_ / name), before);
  }
}

TEST_F(EvaluateCommandTest, StreamsAllPages) {
  const ProgramRun run = Evaluate({"--stream", "--json", "--seed", "5"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["pages"], 6);
  EXPECT_EQ(result["seed"], 5);
  const json& all = result["detectors"].at(0)["all"];
  // Of a, b and c one is admitted; the two others are flagged, and so is the later of d and its
  // unpaired copy. Every flagged page counts; what is admitted is a pass unless a duplicate of it
  // was: d and <i> share no word.
  EXPECT_EQ(all["hits"].get<int>() + all["false_alarms"].get<int>(), 3);
  EXPECT_GE(all["passes"].get<int>() + all["misses"].get<int>(), 3);
  EXPECT_EQ(Evaluate({"--stream", "--json", "--seed", "5"}).out, run.out);
  EXPECT_THAT(Evaluate({"--stream", "--markdown"}).out,
              HasSubstr("### 6 pages in the order of seed 1"));
}

TEST_F(EvaluateCommandTest, NamesWhatItCannotUse) {
  EXPECT_EQ(Evaluate({}, "no-such").code, 2);
  EXPECT_EQ(RunProgram({"evaluate", (folder_ / "pairs.tsv").string()}).code, 2);
  std::filesystem::remove(folder_ / "pages/s/d.html");
  ProgramRun run = Evaluate({});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("pages/s/d.html: cannot be opened: No such file"));
  tests::WriteFile(folder_ / "pairs.tsv", "path_a\tpath_b\tlabel\ns/a.html\ts/b.html\tsame\n");
  run = Evaluate({});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("pairs.tsv:2: the label is \"same\""));
}

TEST_F(EvaluateCommandTest, CompareObeysTheDetector) {
  const std::string a = (folder_ / "pages/s/a.html").string();
  const std::string c = (folder_ / "pages/s/c.html").string();
  const auto compared = [&](const std::string& detector, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"compare", a, c, "--json", "--detector", detector};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = RunProgram(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(run.out, nullptr, false);
  };
  json result = compared("shingling", {});
  EXPECT_EQ(result["detector"], "shingling");
  EXPECT_EQ(result["verdict"], "near");
  EXPECT_THAT(result["evidence"].get<std::string>(), HasSubstr(" of 6 supershingles"));
  result = compared("minhash", {});
  EXPECT_EQ(result["verdict"], "near");
  EXPECT_THAT(result["evidence"].get<std::string>(), HasSubstr(" of 14 bands"));
  // No word is repeated, so the profile holds every word.
  result = compared("text-profile", {});
  EXPECT_EQ(result["verdict"], "new");
  EXPECT_EQ(result["evidence"], "0 of 1 profiles");
  const ProgramRun run = RunProgram({"compare", a, c, "--detector", "i-match"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("needs a lexicon"));
}

TEST(LexiconCommand, CountsTheTermsOfStoredPages) {
  tests::TempFolder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 10; ++i) {
    texts.push_back("everywhere rare" + std::to_string(i) + (i % 3 == 0 ? " Middling" : ""));
  }
  WriteKeptTexts(folder / "data", texts);
  const std::string data = (folder / "data").string();
  const std::string file = (folder / "terms.txt").string();
  ProgramRun run = RunProgram({"lexicon", data, "-o", file});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1 stored pages have no text"));
  EXPECT_THAT(run.err, HasSubstr("1 lines of pages.jsonl are no records"));
  auto lexicon = contentseen::Lexicon::Read(file);
  ASSERT_TRUE(lexicon) << lexicon.error().message;
  EXPECT_EQ(lexicon->documents(), 10U);
  // ln(11 / 4) / ln 11 = .42 is inside 20..85 %; everywhere is .04, and rare ones are 1.
  ASSERT_EQ(lexicon->terms().size(), 1U);
  EXPECT_EQ(lexicon->terms()[0].text, "middling");
  EXPECT_EQ(lexicon->terms()[0].documents, 4U);
  EXPECT_THAT(run.out, HasSubstr("version " + lexicon->version() + ", 1 terms of 10 texts"));

  run = RunProgram({"lexicon", data, "-o", file, "--nidf-min", "0", "--nidf-max", "100"});
  EXPECT_THAT(run.out, HasSubstr("12 terms of 10 texts"));
  // And it can be used.
  tests::WriteFile(folder / "a.txt", Prose(0, 100) + "everywhere rare1 rare2 rare3");
  tests::WriteFile(folder / "b.txt", "rare1 everywhere rare3 rare2 " + Prose(200, 300));
  run = RunProgram({"compare", "a.txt", "b.txt", "--json", "--detector", "i-match", "--set",
                    "contentseen.lexicon=" + file},
                   folder.path().string());
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["verdict"], "near") << run.out;
}

TEST(TuneCommand, SuggestsKFromWhatWasKept) {
  tests::TempFolder folder;
  // Of one fingerprint all, the first two of one text.
  WriteKeptTexts(folder / "data", {Prose(0, 100), Prose(0, 100), Prose(0, 99) + "changed"});
  const std::string data = (folder / "data").string();
  ProgramRun run = RunProgram({"tune", data, "--json", "--random", "0"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("pages.jsonl:5: "));
  EXPECT_THAT(run.err, HasSubstr("(lines that are no records, and were passed over: 1)"));
  const json tuning = json::parse(run.out);
  EXPECT_EQ(tuning["pages"], 4);
  EXPECT_EQ(tuning["fingerprints"], 1);
  EXPECT_EQ(tuning["near"][0]["distance"], 0);
  EXPECT_EQ(tuning["near"][0]["pairs"], 6);
  EXPECT_EQ(tuning["near"][0]["compared"], 3);
  EXPECT_EQ(tuning["near"][0]["missing"], 3);  // the last page's text was not kept
  EXPECT_GT(tuning["near"][0]["mean_resemblance"], 0.9);
  EXPECT_TRUE(tuning["random"].empty());

  run = RunProgram({"tune", data, "--random", "0", "--examples", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("4 pages, 1 different fingerprints"));
  EXPECT_THAT(run.out, HasSubstr("at distance 0\n"));
  EXPECT_THAT(run.out, HasSubstr("3 drawn pairs were not compared: no text was kept."));
  EXPECT_THAT(run.out, HasSubstr("\nk = "));
  EXPECT_EQ(RunProgram({"tune", (folder / "none").string()}).code, 2);
}

TEST(TuneCommand, JudgesAsTheCrawlDid) {
  tests::TempFolder folder;
  WriteKeptTexts(folder / "data", {"only a few words here", "only a few words there"});
  const std::string data = (folder / "data").string();
  const auto tuned = [&data](std::vector<std::string> more) {
    more.insert(more.begin(), {"tune", data, "--json", "--random", "0"});
    return json::parse(RunProgram(more).out);
  };
  EXPECT_EQ(tuned({})["near"][0]["compared"], 0);
  {
    Options options;
    options.contentseen.features_min = 2;
    auto store = store::OpenRocksStore(folder / "data" / kTextStoreName, {});
    ASSERT_TRUE(store && KeepSettings(options, **store));
  }
  EXPECT_EQ(tuned({})["near"][0]["compared"], 1);
  EXPECT_EQ(tuned({"--min-features", "40"})["near"][0]["compared"], 0);
}

TEST(TuneCommand, SaysWhereALogIsDamaged) {
  tests::TempFolder folder;
  WriteKeptTexts(folder / "data", {});
  std::string junk;
  for (int i = 0; i < 200; ++i) junk += "junk\n";
  tests::WriteFile(folder / "data" / kPageLogName, junk);
  const ProgramRun run = RunProgram({"tune", (folder / "data").string()});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("passed over: 100 or more)"));
  EXPECT_THAT(run.err, HasSubstr("no page has a kept text"));
}

// A copy of the same bytes names the text of their first page, whether that was kept or not.
TEST(TuneCommand, CountsTheSameBytesOnce) {
  tests::TempFolder folder;
  SkipRecord copy;
  copy.url = "http://b.example/";
  copy.same_bytes_as = "http://a.example/0";
  copy.text_id = copy.original_text_id = 1;
  WriteKeptTexts(folder / "data", {Prose(0, 100)});
  tests::WriteFile(folder / "data" / kSkipLogName, LogLine(copy));
  const ProgramRun kept = RunProgram({"tune", (folder / "data").string(), "--json"});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(json::parse(kept.out)["pages"], 2);

  PageRecord page;
  page.url = copy.same_bytes_as;
  WriteKeptTexts(folder / "bare", {});
  tests::WriteFile(folder / "bare" / kPageLogName, LogLine(page));
  tests::WriteFile(folder / "bare" / kSkipLogName, LogLine(copy));
  const ProgramRun bare = RunProgram({"tune", (folder / "bare").string()});
  EXPECT_EQ(bare.code, 1);
  EXPECT_THAT(bare.err, HasSubstr("no page has a kept text"));
}

TEST(LexiconCommand, NamesWhatItCannotUse) {
  tests::TempFolder folder;
  WriteKeptTexts(folder / "data", {"one text"});
  const std::string data = (folder / "data").string();
  const std::string file = (folder / "terms.txt").string();
  EXPECT_EQ(RunProgram({"lexicon", data}).code, 2);
  ProgramRun run =
      RunProgram({"lexicon", data, "-o", file, "--nidf-min", "50", "--nidf-max", "40"});
  EXPECT_EQ(run.code, 2);
  run = RunProgram({"lexicon", data, "-o", file, "--nidf-min", "1", "--nidf-max", "1"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("widen --nidf-min and --nidf-max"));
  run = RunProgram({"lexicon", (folder / "none").string(), "-o", file});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr((folder / "none").string()));
  WriteKeptTexts(folder / "empty", {});
  run = RunProgram({"lexicon", (folder / "empty").string(), "-o", file});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("holds no text of a stored page"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace crawler

#include "crawler/dedup/dedup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crawler/dedup/dedup_output.h"
#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_reader.h"
#include "tests/contentseen/memory_limit.h"
#include "tests/crawler/dedup/dedup_samples.h"
#include "tests/parser/allocations.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;

class DedupTest : public ::testing::Test {
 protected:
  DedupTest() : seen_(*contentseen::ContentSeen::Create({})) {}

  std::vector<DedupVerdict> Run(const std::string& name, std::uint32_t threads = 3) {
    std::vector<DedupVerdict> verdicts;
    auto corpus = OpenCorpus(folder_ / name, 1 << 20);
    EXPECT_TRUE(corpus) << corpus.error().message;
    seen_ = *contentseen::ContentSeen::Create({});
    dedup_ = std::make_unique<Dedup>(*seen_, DedupReading{}, threads);
    auto status = dedup_->Run(**corpus, [&](const DedupVerdict& verdict) -> base::Status {
      verdicts.push_back(verdict);
      return {};
    });
    EXPECT_TRUE(status) << status.error().message;
    return verdicts;
  }

  static std::string Response(const std::string& url, const std::string& head,
                              const std::string& body) {
    return Gzipped(ResponseRecord(url, head, body));
  }

  // What was judged last, deduplicated.
  base::Status Write(const std::string& from, const std::string& to) {
    return WriteDeduplicated(folder_ / from, folder_ / to, dedup_->trace(),
                             [&](std::uint64_t n) { return dedup_->IsSkipped(n); });
  }

  std::vector<std::string> TypesIn(const std::string& name) const {
    std::vector<std::string> types;
    auto reader = WarcReader::Open(folder_ / name);
    EXPECT_TRUE(reader) << reader.error().message;
    while (auto record = (*reader)->Next()) types.push_back(record->Type());
    EXPECT_EQ((*reader)->faults(), 0u);
    return types;
  }

  tests::TempFolder folder_;
  std::unique_ptr<contentseen::ContentSeen> seen_;
  std::unique_ptr<Dedup> dedup_;
};

// Where a limit on threads is reached: here there is no more room for their stacks.
TEST_F(DedupTest, GoesOnWithTheThreadsThatThereAre) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  tests::WriteFile(folder_ / "a.jsonl", Line(Prose(1, 100), 1) + Line(Prose(2, 100), 2));
  const auto run_with = [&](std::size_t threads) {
    constexpr std::size_t kStack = std::size_t{1} << 30;
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, kStack);
    pthread_setattr_default_np(&large);
    tests::LimitAddressSpace(tests::AddressSpace() + threads * kStack + kStack / 2);
    auto corpus = OpenCorpus(folder_ / "a.jsonl", 1 << 20);
    Dedup dedup(*seen_, DedupReading{}, 3);
    const base::Status status =
        dedup.Run(**corpus, [](const DedupVerdict&) -> base::Status { return {}; });
    if (!status) {
      const std::string& why = status.error().message;
      std::_Exit(why.find("starts no thread") == std::string::npos ? 3 : 2);
    }
    std::_Exit(dedup.counts().documents == 2 ? 0 : 1);
  };
  for (std::size_t threads : {0, 1}) {
    EXPECT_EXIT(run_with(threads), testing::ExitedWithCode(2), "") << threads;
  }
  for (std::size_t threads : {2, 3, 4}) {
    EXPECT_EXIT(run_with(threads), testing::ExitedWithCode(0), "") << threads;
  }
}

TEST_F(DedupTest, JudgesJsonLinesInTheirOrder) {
  tests::WriteFile(folder_ / "a.jsonl", Line(Prose(1, 100), 1) + Line(Prose(2, 100), 2) +
                                            "not json\n" + Line(Prose(1, 100), 3) +
                                            "{\"title\":\"no text\"}\n" +
                                            Line(Prose(2, 100) + "more", 4));
  const auto verdicts = Run("a.jsonl");
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_TRUE(verdicts[0].verdict.IsNew());
  EXPECT_TRUE(verdicts[1].verdict.IsNew());
  EXPECT_EQ(verdicts[2].verdict.kind, contentseen::Kind::kExactBytes);
  EXPECT_EQ(verdicts[2].verdict.original, 1u);
  EXPECT_EQ(verdicts[2].place, 4u);  // the line
  EXPECT_EQ(verdicts[2].name, "http://a.test/3");
  EXPECT_EQ(verdicts[3].verdict.kind, contentseen::Kind::kNear);
  EXPECT_EQ(verdicts[3].verdict.original, 2u);
  EXPECT_EQ(dedup_->counts().not_judged.at("not JSON"), 1u);
  EXPECT_EQ(dedup_->counts().not_judged.at("no such field"), 1u);
  EXPECT_FALSE(dedup_->IsSkipped(1));
  EXPECT_TRUE(dedup_->IsSkipped(4));

  ASSERT_TRUE(Write("a.jsonl", "b.jsonl.gz"));
  const auto left = Run("b.jsonl.gz");
  EXPECT_EQ(left.size(), 2u);
  EXPECT_EQ(dedup_->counts().documents, 4u);  // what was not judged is kept
  EXPECT_EQ(dedup_->counts().Skipped(), 0u);
}

TEST_F(DedupTest, GivesTheSameVerdictsWithAnyNumberOfThreads) {
  std::mt19937 random(5);
  std::string lines;
  for (int i = 0; i < 600; ++i) {
    std::string text = Prose(random() % 150, 80);
    if (random() % 3 == 0) text += Prose(random(), 1);
    lines += Line(text, i);
  }
  tests::WriteFile(folder_ / "a.jsonl", lines);
  const auto one = Run("a.jsonl", 1);
  for (const std::uint32_t threads : {2U, 8U}) {
    const auto many = Run("a.jsonl", threads);
    ASSERT_EQ(many.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many[i].verdict.kind, one[i].verdict.kind) << i;
      EXPECT_EQ(many[i].verdict.original, one[i].verdict.original) << i;
      EXPECT_EQ(many[i].verdict.distance, one[i].verdict.distance) << i;
    }
  }
}

TEST_F(DedupTest, ReadsAFolderAndCopiesWhatIsNew) {
  std::filesystem::create_directories(folder_ / "in/sub");
  tests::WriteFile(folder_ / "in/a.html", Page(Prose(1, 100)));
  tests::WriteFile(folder_ / "in/sub/b.html", Page(Prose(1, 100)));
  tests::WriteFile(folder_ / "in/sub/c.htm", Page(Prose(2, 100)));
  tests::WriteFile(folder_ / "in/picture.png", "\x89PNG");
  const auto verdicts = Run("in");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[1].name, "sub/b.html");
  EXPECT_EQ(verdicts[1].verdict.kind, contentseen::Kind::kExactBytes);
  ASSERT_TRUE(Write("in", "out"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out/a.html"), Page(Prose(1, 100)));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/sub/c.htm"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/sub/b.html"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out/picture.png"), "\x89PNG");  // was not judged
}

TEST_F(DedupTest, LeavesAloneWhatACrawlWouldNotJudge) {
  const std::string html = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
  const std::string body = Page(Prose(1, 100));
  tests::WriteFile(
      folder_ / "a.warc.gz",
      Response("http://a.test/robots.txt", "HTTP/1.1 200 OK\r\nContent-Type: text/plain", "x") +
          Response("http://a.test/moved", "HTTP/1.1 301 Moved\r\nLocation: /", "moved") +
          Response("http://a.test/gone", "HTTP/1.1 404 Not Found", body) +
          Response("http://a.test/image", "HTTP/1.1 200 OK\r\nContent-Type: image/png",
                   "\x89PNG") +
          Response("http://a.test/hidden", html + "\r\nX-Robots-Tag: none", body) +
          Response("http://a.test/coded", html + "\r\nContent-Encoding: gzip", "not gzip") +
          Response("http://a.test/chunked", html + "\r\nTransfer-Encoding: chunked",
                   "3\r\nabc\r\n0\r\n\r\n") +
          Response("http://a.test/a", html, body) +
          Response("http://a.test/b", html + "\r\nContent-Encoding: gzip", GzipMember(body, 6)));
  const auto verdicts = Run("a.warc.gz");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].name, "http://a.test/chunked");
  EXPECT_EQ(verdicts[0].body, contentseen::Sha256("abc"));
  EXPECT_TRUE(verdicts[1].verdict.IsNew());
  EXPECT_EQ(verdicts[2].verdict.kind, contentseen::Kind::kExactBytes);
  const auto& why = dedup_->counts().not_judged;
  for (const char* reason :
       {"robots.txt", "redirect", "HTTP error", "not text", "noindex", "coding"}) {
    EXPECT_TRUE(why.contains(reason)) << reason;
  }
}

TEST_F(DedupTest, LeavesAloneWhatIsNotWhole) {
  const std::string html = kHtmlHead;
  const std::string chunked = html + "\r\nTransfer-Encoding: chunked";
  const std::string body = Page(Prose(1, 100));
  WarcRecord segment("response", base::WallTime{});
  segment.Add("WARC-Target-URI", "http://a.test/segment");
  segment.Add("WARC-Segment-Number", "1");
  segment.SetBlock("application/http; msgtype=response", html + "\r\n\r\n" + body,
                   WarcDigest::kSha1);
  tests::WriteFile(
      folder_ / "a.warc.gz",
      Gzipped(segment) +
          Response("http://a.test/short", html + "\r\nContent-Length: 99999", body) +
          Response("http://a.test/part", "HTTP/1.1 206 Partial Content\r\nContent-Type: text/html",
                   body) +
          Response("http://a.test/cut", chunked, "ffff\r\n" + body) +
          Response("http://a.test/no-last", chunked, "3 \r\nabc\r\n") +
          // What others write of a whole page.
          Response("http://a.test/apart", chunked + "\r\nContent-Length: 99999", body) +
          Response("http://a.test/longer", html + "\r\nContent-Length: 3", body));
  const auto verdicts = Run("a.warc.gz");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].name, "http://a.test/apart");
  EXPECT_EQ(verdicts[1].name, "http://a.test/longer");
  EXPECT_EQ(dedup_->counts().not_judged.at("not whole"), 5u);
}

// What a page said to the crawl (a sitemap, a host's answer to what is not there) does not show in
// its record: the crawl says it.
TEST_F(DedupTest, LeavesAloneWhatACrawlHasNotJudged) {
  std::string warc;
  unsigned seed = 0;
  for (const std::string& disposition : std::initializer_list<std::string>{
           "", "probe", "soft-404", "soft-404", "robots.txt", "sitemap", "empty", "noindex",
           "\x1b[2J", std::string(10'000, 'x'), ""}) {
    WarcRecord record("response", base::WallTime{});
    record.Add("WARC-Target-URI", "http://a.test/" + std::to_string(++seed));
    if (!disposition.empty()) record.Add("ContentSeen-Disposition", disposition);
    record.SetBlock("application/http; msgtype=response",
                    kHtmlHead + ("\r\n\r\n" + Page(Prose(seed, 100))), WarcDigest::kSha1);
    warc += Gzipped(record);
  }
  tests::WriteFile(folder_ / "a.warc.gz", warc);
  const auto verdicts = Run("a.warc.gz");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[1].name, "http://a.test/7") << "that it is empty is to be seen in it";
  EXPECT_EQ(dedup_->counts().Skipped(), 0u);
  const std::map<std::string, std::uint64_t, std::less<>> why = {
      {"probe", 1},   {"soft-404", 2}, {"robots.txt", 1},
      {"sitemap", 1}, {"noindex", 1},  {"other disposition", 2}};
  EXPECT_EQ(dedup_->counts().not_judged, why);
  CorpusItem item = *(*OpenCorpus(folder_ / "a.warc.gz", 1 << 20))->Next();
  item.record.fields.emplace_back("contentseen-disposition", "noindex");
  EXPECT_EQ(DedupReader({}, *seen_).Read(item).why_not, "noindex");
  DedupReading also_noindex;
  also_noindex.judge_noindex = true;
  EXPECT_EQ(DedupReader(also_noindex, *seen_).Read(item).why_not, "");
}

TEST_F(DedupTest, RefusesWhatIsNoCorpus) {
  tests::WriteFile(folder_ / "a.bin", "\x01\x02");
  EXPECT_FALSE(OpenCorpus(folder_ / "a.bin", 1000));
  EXPECT_FALSE(OpenCorpus(folder_ / "nothing", 1000));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  auto pipe = OpenCorpus(folder_ / "pipe", 1000);
  ASSERT_FALSE(pipe);
  EXPECT_THAT(pipe.error().message, HasSubstr("needs to be a file"));
  std::filesystem::create_directories(folder_ / "archive");
  EXPECT_FALSE(OpenCorpus(folder_ / "archive", 1000));
  tests::WriteFile(folder_ / "archive/a.WARC.gz", "");
  auto archive = OpenCorpus(folder_ / "archive", 1000);
  ASSERT_FALSE(archive);
  EXPECT_THAT(archive.error().message, HasSubstr("contentseen dedup "));
  EXPECT_THAT(archive.error().message, HasSubstr("archive/*.warc.gz"));
}

TEST_F(DedupTest, SaysHowToReadWhatItCannot) {
  const auto why = [&](const std::string& name) {
    auto corpus = OpenCorpus(folder_ / name, 1000);
    EXPECT_FALSE(corpus) << name;
    return corpus ? "" : corpus.error().message;
  };
  tests::WriteFile(folder_ / "a.jsonl.zst", "\x28\xb5\x2f\xfd rest");
  EXPECT_THAT(why("a.jsonl.zst"), HasSubstr("zstd -d"));
  tests::WriteFile(folder_ / "a.parquet", "PAR1 rest");
  EXPECT_THAT(why("a.parquet"), HasSubstr("Parquet"));
  std::filesystem::create_directories(folder_ / "crawl/warc");
  tests::WriteFile(folder_ / "crawl/pages.jsonl", "{}\n");
  EXPECT_THAT(why("crawl"), HasSubstr("contentseen texts "));
  std::filesystem::create_directories(folder_ / "shards");
  tests::WriteFile(folder_ / "shards/1.jsonl.gz", "");
  EXPECT_THAT(why("shards"), HasSubstr("shards/*.jsonl.gz"));
  tests::WriteFile(folder_ / "crawl/warc/1.warc.gz", "");
  EXPECT_THAT(why("crawl"), HasSubstr("crawl/warc/*.warc.gz"));
}

TEST_F(DedupTest, ANumberNamesADocument) {
  tests::WriteFile(folder_ / "a.jsonl",
                   "{\"url\":18446744073709551615,\"text\":\"a\"}\n"
                   "{\"url\":null,\"text\":\"b\"}\n"
                   "{\"url\":-123456789012345678901234567890,\"text\":\"c\"}\n"
                   "{\"url\":1.5,\"text\":\"d\"}\n"
                   "{\"url\":1e3,\"text\":\"e\"}\n");
  const auto verdicts = Run("a.jsonl");
  ASSERT_EQ(verdicts.size(), 5u);
  EXPECT_EQ(verdicts[0].name, "18446744073709551615");
  EXPECT_EQ(verdicts[1].name, "");
  EXPECT_EQ(verdicts[2].name, "-123456789012345678901234567890");
  EXPECT_EQ(verdicts[3].name, "");
  EXPECT_EQ(verdicts[4].name, "");
}

TEST_F(DedupTest, TakesOfALineTheFieldsOfItsObjectAlone) {
  const auto nested = [](int depth) {
    return "{\"x\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') +
           ",\"text\":\"deep\",\"url\":\"" + std::to_string(depth) + "\"}\n";
  };
  tests::WriteFile(folder_ / "a.jsonl",
                   "{\"text\":\"a\",\"url\":\"1\",\"x\":{\"text\":\"no\",\"url\":2}}\n"
                   "{\"text\":\"no\",\"url\":\"no\",\"url\":2,\"text\":\"last\"}\n"
                   "{\"text\":[\"no\"],\"url\":\"no field\"}\n"
                   "{\"text\":\"no\",\"text\":null}\n"
                   "[{\"text\":\"no object\"}]\n"
                   "{\"text\":\"more behind it\"} {}\n" +
                       nested(64) + nested(65) + nested(1'000'000));
  const auto verdicts = Run("a.jsonl");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[0].name, "1");
  EXPECT_EQ(verdicts[0].body, contentseen::Sha256("a"));
  EXPECT_EQ(verdicts[1].name, "2");
  EXPECT_EQ(verdicts[1].body, contentseen::Sha256("last"));
  EXPECT_EQ(verdicts[2].name, "64");
  EXPECT_EQ(dedup_->counts().not_judged.at("no such field"), 2u);
  EXPECT_EQ(dedup_->counts().not_judged.at("not JSON"), 2u);
  EXPECT_EQ(dedup_->counts().not_judged.at("nested too deeply"), 2u);
}

TEST_F(DedupTest, SaysWhichLineIsTheFirstThatItCannotRead) {
  const auto first_of = [this](const std::string& line) {
    tests::WriteFile(folder_ / "a.jsonl", Line("a", 1) + "\n" + line + "\n{}\n[]\n");
    Run("a.jsonl");
    EXPECT_EQ(dedup_->unread_lines().count, 2u) << line;
    return dedup_->unread_lines().first;
  };
  EXPECT_EQ(first_of("{\"text\":\"a\",}"), "line 3 is not JSON from byte 13 on");
  EXPECT_EQ(first_of("{\"text\":\"\xff\"}"), "line 3 is not JSON from byte 10 on");
  EXPECT_EQ(first_of("\"text\""), "line 3 is no JSON object");
  EXPECT_EQ(first_of("{\"x\":1e999}"), "line 3 has too large a number");
  EXPECT_EQ(first_of("{\"x\":" + std::string(64, '[')), "line 3 is nested more than 64 deep");
  tests::WriteFile(folder_ / "a.jsonl", Line("a", 1));
  Run("a.jsonl");
  EXPECT_EQ(dedup_->unread_lines().count, 0u);
}

// Programs write them that cut a text in the middle of a pair.
TEST_F(DedupTest, AHalfOfASurrogatePairIsTheReplacementCharacter) {
  const std::vector<std::pair<std::string, std::string>> texts = {
      {R"(a \ud83d)", "a \ufffd"},
      {R"(\uDE00 b)", "\ufffd b"},
      {R"(\ud83d\ud83d\ude00\ude00)", "\ufffd\U0001f600\ufffd"},
      {R"(\ude00\ud83d\n)", "\ufffd\ufffd\n"},
      {R"(\\ud83d \"\\\ud83d\")", "\\ud83d \"\\\ufffd\""},
      {R"(\u00e4\ud83d)", "\u00e4\ufffd"},
  };
  std::string lines;
  for (const auto& [escaped, text] : texts) lines += "{\"text\":\"" + escaped + "\"}\n";
  tests::WriteFile(folder_ / "a.jsonl", lines + "{\"text\":\"\\ud83d\", \"\\u12");
  const auto verdicts = Run("a.jsonl");
  ASSERT_EQ(verdicts.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(verdicts[i].body, contentseen::Sha256(texts[i].second)) << texts[i].first;
  }
  EXPECT_EQ(dedup_->unread_lines().first, "line 7 is not JSON from byte 24 on");
}

TEST_F(DedupTest, ALineTakesSomeTimesItsOwnMemory) {
  CorpusItem item;
  item.form = CorpusItem::Form::kJsonLine;
  item.bytes = "{\"x\":[";
  while (item.bytes.size() < 4'000'000) item.bytes += "[],{},1,\"\",";
  item.bytes += "0],\"text\":\"a\"}";
  DedupReader reader({}, *seen_);
  const std::size_t before = tests::AllocatedBytes();
  tests::ResetPeak();
  EXPECT_EQ(reader.Read(item).page.text, "a");
  EXPECT_LE(tests::PeakBytes() - before, 3 * item.bytes.size());
}

TEST_F(DedupTest, WritesNothingOfAnInputThatChanged) {
  const std::string two = Line(Prose(1, 100), 1) + Line(Prose(2, 100), 2);
  for (const std::string& changed :
       {two + Line(Prose(3, 100), 3), Line(Prose(1, 100), 1), Line(Prose(1, 101), 1) + two}) {
    tests::WriteFile(folder_ / "a.jsonl", two);
    Run("a.jsonl");
    tests::WriteFile(folder_ / "a.jsonl", changed);
    auto written = Write("a.jsonl", "b.jsonl");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("changed while it was read"));
  }
  std::filesystem::create_directories(folder_ / "in");
  tests::WriteFile(folder_ / "in/a.html", Page(Prose(1, 100)));
  tests::WriteFile(folder_ / "in/b.html", Page(Prose(1, 100)));
  Run("in");
  // As many, as long, but b.html is the first now.
  std::filesystem::rename(folder_ / "in/a.html", folder_ / "in/c.html");
  EXPECT_FALSE(Write("in", "out"));
}

TEST_F(DedupTest, KnowsTheBytesOfWhatAsksNotToBeIndexed) {
  std::string warc;
  for (unsigned i = 0; i < 100; ++i) {
    const std::string url = "http://a.test/" + std::to_string(i);
    const std::string body = Page(Prose(i, 100));
    warc += Response(url, kHtmlHead, body) +
            Response(url + "/again", std::string(kHtmlHead) + "\r\nX-Robots-Tag: noindex", body);
  }
  warc += Response("http://a.test/new", std::string(kHtmlHead) + "\r\nX-Robots-Tag: noindex",
                   Page(Prose(1000, 100)));
  tests::WriteFile(folder_ / "a.warc.gz", warc);
  for (const std::uint32_t threads : {1U, 2U, 8U}) {
    EXPECT_EQ(Run("a.warc.gz", threads).size(), 200u);
    EXPECT_EQ(dedup_->counts().exact_bytes, 100u);
    EXPECT_EQ(dedup_->counts().not_judged.at("noindex"), 1u);
  }
}

TEST_F(DedupTest, KnowsPagesByTheEndsOfTheirNames) {
  for (const char* name : {"a.html", "A.HTM", "a.xhtml.gz", "a.XHT", "index.html?x=1"}) {
    EXPECT_EQ(PageFormOf(name), PageForm::kHtml) << name;
  }
  for (const char* name : {"a.txt", "A.TXT", "a.text.GZ", "?.txt"}) {
    EXPECT_EQ(PageFormOf(name), PageForm::kPlain) << name;
  }
  for (const char* name : {"about", "a.png", "a.gz", ".html", "a.warc.gz", "html", "a.php?x=1"}) {
    EXPECT_EQ(PageFormOf(name), PageForm::kNone) << name;
  }
  std::filesystem::create_directories(folder_ / "in");
  const std::string text = "1 < 2 <b> " + Prose(1, 100);
  tests::WriteFile(folder_ / "in/A.TXT", text);
  tests::WriteFile(folder_ / "in/b.txt.gz", GzipMember(text, 6));
  tests::WriteFile(folder_ / "in/c.html", "<p>1 &lt; 2 &lt;b&gt; " + Prose(1, 100));
  const auto verdicts = Run("in");
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[1].verdict.kind, contentseen::Kind::kExactBytes);
  EXPECT_EQ(verdicts[2].verdict.kind, contentseen::Kind::kExactText);
}

TEST_F(DedupTest, GoesOnBehindWhatAFolderCannotGive) {
  std::filesystem::create_directories(folder_ / "in");
  for (const char* name : {"in/a.html", "in/c.html", "in/z.html"}) {
    tests::WriteFile(folder_ / name, Page(Prose(1, 100)));
  }
  ASSERT_EQ(::mkfifo((folder_ / "in/b.txt").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", folder_ / "in/d.html");
  std::filesystem::create_symlink("nowhere", folder_ / "in/e");
  auto corpus = OpenCorpus(folder_ / "in", 1 << 20);
  ASSERT_TRUE(corpus) << corpus.error().message;
  EXPECT_EQ((*corpus)->Next()->name, "a.html");
  std::filesystem::remove(folder_ / "in/c.html");
  EXPECT_EQ((*corpus)->Next()->name, "z.html");
  EXPECT_FALSE((*corpus)->Next());
  EXPECT_TRUE((*corpus)->status());
  EXPECT_EQ((*corpus)->faults(), 3u);
  EXPECT_EQ((*corpus)->passed_over(), 1u);

  EXPECT_EQ(Run("in").size(), 2u);
  ASSERT_TRUE(Write("in", "out"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out/a.html"), Page(Prose(1, 100)));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/z.html"));
}

TEST_F(DedupTest, WritesWarcAsTheNameSays) {
  std::string plain;
  std::string gzip;
  for (const char* path : {"a", "b"}) {  // one page, twice
    const std::string url = std::string("http://a.test/") + path;
    const WarcRecord response = ResponseRecord(url, kHtmlHead, Page(Prose(1, 100)));
    const WarcRecord request = RequestRecord(url, response.id());
    // The one before its response, the other behind it.
    const bool first = plain.empty();
    plain += first ? request.text() + response.text() : response.text() + request.text();
    gzip += first ? Gzipped(request) + Gzipped(response) : Gzipped(response) + Gzipped(request);
  }
  tests::WriteFile(folder_ / "plain.warc", plain);
  tests::WriteFile(folder_ / "gzip.warc.gz", gzip);
  tests::WriteFile(folder_ / "one.warc.gz", GzipMember(plain, 6));  // no member a record
  for (const char* from : {"plain.warc", "gzip.warc.gz", "one.warc.gz"}) {
    Run(from);
    for (const char* to : {"out.warc", "out.warc.gz"}) {
      auto written = Write(from, to);
      ASSERT_TRUE(written) << written.error().message;
      const bool is_gzip = tests::ReadFile(folder_ / to).starts_with("\x1f\x8b");
      EXPECT_EQ(is_gzip, std::string(to).ends_with(".gz")) << from << to;
      EXPECT_THAT(TypesIn(to), testing::ElementsAre("request", "response")) << from << to;
    }
    EXPECT_EQ(tests::ReadFile(folder_ / "out.warc"), plain.substr(0, plain.size() / 2)) << from;
  }
}

// As crawlers with several connections write them: what belongs together lies among the rest.
TEST_F(DedupTest, LeavesOutWhatBelongsToADuplicateWhereverItLies) {
  std::vector<WarcRecord> responses;
  std::vector<WarcRecord> requests;
  for (const unsigned seed : {1U, 2U, 1U, 3U}) {  // the third is a copy of the first
    const std::string url = "http://a.test/" + std::to_string(responses.size());
    responses.push_back(ResponseRecord(url, kHtmlHead, Page(Prose(seed, 100))));
    requests.push_back(RequestRecord(url, responses.back().id()));
  }
  const auto text = [](const WarcRecord& record) { return record.text(); };
  const std::string before = text(requests[0]) + text(requests[2]) + text(responses[0]) +
                             text(responses[1]) + text(responses[2]) + text(responses[3]);
  tests::WriteFile(folder_ / "in.warc", before + text(requests[2]) + text(requests[3]));
  Run("in.warc");
  ASSERT_TRUE(Write("in.warc", "out.warc"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out.warc"), text(requests[0]) + text(responses[0]) +
                                                       text(responses[1]) + text(responses[3]) +
                                                       text(requests[3]));
}

// As GNU Wget writes them: the request first and without a word of its response, which names it.
TEST_F(DedupTest, LeavesOutTheRequestThatADuplicateNames) {
  std::vector<std::string> requests;
  std::vector<std::string> responses;
  for (const unsigned seed : {1U, 1U, 2U, 1U}) {
    WarcRecord request("request", base::WallTime{});
    request.SetBlock("application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n",
                     WarcDigest::kSha1);
    WarcRecord response("response", base::WallTime{});
    response.Add("WARC-Target-URI", "http://a.test/" + std::to_string(responses.size()));
    response.Add("WARC-Concurrent-To", "<urn:of-another>");
    response.Add("WARC-Concurrent-To", request.id());
    response.SetBlock("application/http; msgtype=response",
                      kHtmlHead + ("\r\n\r\n" + Page(Prose(seed, 100))), WarcDigest::kSha1);
    requests.push_back(request.text());
    responses.push_back(response.text());
  }
  // The last one's request behind it.
  tests::WriteFile(folder_ / "in.warc", requests[0] + responses[0] + requests[1] + responses[1] +
                                            requests[2] + responses[2] + responses[3] +
                                            requests[3]);
  Run("in.warc");
  ASSERT_TRUE(Write("in.warc", "out.warc"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out.warc"),
            requests[0] + responses[0] + requests[2] + responses[2]);
}

TEST_F(DedupTest, ANoteMayNameSeveralRecords) {
  std::vector<std::string> exchanges;
  for (int i = 0; i < 2; ++i) {  // one page, twice
    const WarcRecord response =
        ResponseRecord("http://a.test/" + std::to_string(i), kHtmlHead, Page(Prose(1, 100)));
    const WarcRecord request = RequestRecord("http://a.test/", response.id());
    WarcRecord note("metadata", base::WallTime{});
    note.Add("WARC-Concurrent-To", request.id());
    note.Add("WARC-Concurrent-To", response.id());
    note.SetBlock("application/warc-fields", "a: b\r\n", WarcDigest::kSha1);
    exchanges.push_back(note.text() + response.text() + request.text() + note.text());
  }
  tests::WriteFile(folder_ / "in.warc", exchanges[0] + exchanges[1]);
  Run("in.warc");
  ASSERT_TRUE(Write("in.warc", "out.warc"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out.warc"), exchanges[0]);
}

TEST_F(DedupTest, WhatNamesNothingInTheFileIsKept) {
  const WarcRecord response = ResponseRecord("http://a.test/", kHtmlHead, Page(Prose(1, 100)));
  std::string in = response.text();
  for (int i = 0; i < 200; ++i) in += RequestRecord("http://a.test/", "<urn:other>").text();
  tests::WriteFile(folder_ / "in.warc", in);
  Run("in.warc");
  ASSERT_TRUE(Write("in.warc", "out.warc"));
  EXPECT_EQ(tests::ReadFile(folder_ / "out.warc"), in);
}

TEST_F(DedupTest, ATextThatBeginsLikeALastChunkIsNotEmpty) {
  const std::string chunked = std::string(kHtmlHead) + "\r\nTransfer-Encoding: chunked";
  const std::string first = "0\n" + Page(Prose(1, 100));
  const std::string second = "0\n" + Page(Prose(2, 100));
  tests::WriteFile(folder_ / "a.warc.gz", Response("http://a.test/1", chunked, first) +
                                              Response("http://a.test/2", chunked, second));
  const auto verdicts = Run("a.warc.gz");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].body, contentseen::Sha256(first));
  EXPECT_EQ(verdicts[1].body, contentseen::Sha256(second));
}

// Gives all whole lines before the damage, and not what is left of the one that it cut.
TEST_F(DedupTest, ReadsJsonLinesUpToTheirDamage) {
  const std::string two = GzipMember(Line(Prose(1, 100), 1) + Line(Prose(2, 100), 2), 6);
  const std::string half = "{\"text\":\"half";
  for (const std::string& damaged : {two + "junk", two + GzipMember(half, 6) + "junk",
                                     two + GzipMember(half, 6) + two.substr(0, 10)}) {
    tests::WriteFile(folder_ / "a.jsonl.gz", damaged);
    auto corpus = OpenCorpus(folder_ / "a.jsonl.gz", 1 << 20);
    ASSERT_TRUE(corpus) << corpus.error().message;
    EXPECT_EQ((*corpus)->faults(), 0u);
    for (std::uint64_t line : {1, 2}) EXPECT_EQ((*corpus)->Next()->place, line);
    EXPECT_FALSE((*corpus)->Next());
    EXPECT_TRUE((*corpus)->status());
    EXPECT_EQ((*corpus)->faults(), 1u);
    EXPECT_EQ((*corpus)->first_fault(), "damaged from line 3 on");
  }
}

TEST_F(DedupTest, PassesOverEmptyLines) {
  const std::string lines = "\xef\xbb\xbf\n \r\n" + Line(Prose(1, 100), 1) + "\n" +
                            Line(Prose(1, 100), 2) + std::string(100, '\n');
  tests::WriteFile(folder_ / "a.jsonl", lines);
  auto verdicts = Run("a.jsonl");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[1].place, 5u);
  EXPECT_EQ(dedup_->counts().Skipped(), 1u);
  tests::WriteFile(folder_ / "b.jsonl",
                   "\xef\xbb\xbf" + Line(Prose(1, 100), 1) + " " + Line(Prose(1, 100), 2));
  EXPECT_EQ(Run("b.jsonl").size(), 2u);
}

TEST_F(DedupTest, KeepsRevisitsOfWhatIsNotThere) {
  const std::string body = Page(Prose(1, 100));
  const std::string other = Page(Prose(2, 100));
  tests::WriteFile(folder_ / "a.warc.gz",
                   Gzipped(RevisitRecord("http://a.test/early", body)) +
                       Gzipped(ResponseRecord("http://a.test/a", kHtmlHead, body)) +
                       Gzipped(RevisitRecord("http://a.test/again", body)) +
                       Gzipped(RevisitRecord("http://a.test/lost", other)));
  const auto verdicts = Run("a.warc.gz");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[1].name, "http://a.test/again");
  EXPECT_EQ(verdicts[1].verdict.kind, contentseen::Kind::kExactBytes);
  EXPECT_EQ(dedup_->counts().not_judged.at("revisit without its original"), 2u);
  ASSERT_TRUE(Write("a.warc.gz", "b.warc.gz"));
  EXPECT_THAT(TypesIn("b.warc.gz"), testing::ElementsAre("revisit", "response", "revisit"));
}

}  // namespace
}  // namespace crawler

#include "crawler/dedup/dedup.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crawler/dedup/dedup_output.h"
#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_record.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

std::string Prose(unsigned seed, int words) {
  std::mt19937 random(seed * 7919 + 1);
  std::string text;
  for (int i = 0; i < words; ++i) {
    for (unsigned s = 0; s <= random() % 3; ++s) {
      text += "bdfgklmnprst"[random() % 12];
      text += "aeiou"[random() % 5];
    }
    text += ' ';
  }
  return text;
}

std::string Page(const std::string& text) { return "<html><body><p>" + text + "</p></html>"; }

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

  static std::string Line(const std::string& text, int i) {
    return "{\"url\":\"http://a.test/" + std::to_string(i) + "\",\"text\":\"" + text + "\"}\n";
  }

  static std::string Response(const std::string& url, const std::string& head,
                              const std::string& body) {
    WarcRecord record("response", base::WallTime{});
    record.Add("WARC-Target-URI", url);
    record.SetBlock("application/http; msgtype=response", head + "\r\n\r\n" + body,
                    WarcDigest::kSha1);
    return GzipMember(record.text(), 6);
  }

  tests::TempFolder folder_;
  std::unique_ptr<contentseen::ContentSeen> seen_;
  std::unique_ptr<Dedup> dedup_;
};

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

  const auto is_skipped = [&](std::uint64_t n) { return dedup_->IsSkipped(n); };
  ASSERT_TRUE(WriteDeduplicated(folder_ / "a.jsonl", folder_ / "b.jsonl.gz", is_skipped));
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
  const auto is_skipped = [&](std::uint64_t n) { return dedup_->IsSkipped(n); };
  ASSERT_TRUE(WriteDeduplicated(folder_ / "in", folder_ / "out", is_skipped));
  EXPECT_EQ(tests::ReadFile(folder_ / "out/a.html"), Page(Prose(1, 100)));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/sub/c.htm"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/sub/b.html"));
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

TEST_F(DedupTest, RefusesWhatIsNoCorpus) {
  tests::WriteFile(folder_ / "a.bin", "\x01\x02");
  EXPECT_FALSE(OpenCorpus(folder_ / "a.bin", 1000));
  EXPECT_FALSE(OpenCorpus(folder_ / "nothing", 1000));
}

}  // namespace
}  // namespace crawler

#include "crawler/pipeline/robots_cache.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "crawler/pipeline/robots_record.h"
#include "store/memory_store.h"

namespace crawler {
namespace {

using ::testing::HasSubstr;

frontier::Url U(const std::string& text) { return *frontier::Url::Parse(text); }

class RobotsCacheTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytesMax = 100'000;

  void Know(const std::string& origin, const std::string& file) {
    PutRobots(origin, file, batch_);
    made_room_ += cache_.Know(origin, parser::RobotsTxt::Parse(file));
  }
  void Commit() {
    cache_.Save(batch_);
    ASSERT_TRUE(store_.Write(batch_, store::Durability::kProcess));
    batch_.Clear();
    cache_.Saved();
  }
  // Why it may not be fetched; nothing where it may.
  std::optional<std::string> Why(const std::string& url) {
    auto denial = cache_.Denied(U(url));
    EXPECT_TRUE(denial) << denial.error().message;
    EXPECT_LE(cache_.memory_bytes(), kBytesMax);
    if (!denial || !*denial) return std::nullopt;
    return (*denial)->why;
  }
  static std::string Name(const std::string& kind, int i) {
    return "http://" + kind + std::to_string(i) + ".test";
  }

  store::MemoryStore store_;
  store::Batch batch_;
  RobotsCache cache_{{.product_token = "contentseen", .bytes_max = kBytesMax}, &store_};
  std::uint64_t made_room_ = 0;
};

TEST_F(RobotsCacheTest, WhatFindsNoRoomIsReadAgainAndDeniesNobody) {
  std::string huge = "User-agent: *\n";
  for (int i = 0; i < 20'000; ++i) huge += "Disallow: /" + std::to_string(i) + "-\n";
  Know("http://huge.test", huge);
  for (int i = 0; i < 500; ++i) {
    Know(Name("none", i), "");
    Know(Name("rules", i), "User-agent: *\nDisallow: /no\n");
    Know(Name("others", i), "User-agent: other\nDisallow: /\n");
    PutRobotsGivenUp(Name("gone", i), {Disposition::kRobotsUnreachable, "gone"}, batch_);
    cache_.GiveUp(Name("gone", i), {Disposition::kRobotsUnreachable, "gone"});
    if (i % 7 == 0) Commit();
  }
  Commit();
  for (const int i : {0, 250, 499}) {
    EXPECT_EQ(Why(Name("none", i) + "/no"), std::nullopt);
    EXPECT_EQ(Why(Name("others", i) + "/no"), std::nullopt);
    EXPECT_EQ(Why(Name("rules", i) + "/yes"), std::nullopt);
    EXPECT_EQ(Why(Name("rules", i) + "/no"), "robots.txt line 2");
    EXPECT_EQ(Why(Name("gone", i) + "/"), "gone");
    EXPECT_EQ(Why("http://huge.test/other"), std::nullopt);
    EXPECT_EQ(Why("http://huge.test/19999-x"), "robots.txt line 20001");
  }
  Know("http://last.test", "");
  EXPECT_GT(made_room_, 1'000u);
}

TEST_F(RobotsCacheTest, AnOriginWithoutRulesCostsItsNameOnly) {
  for (int i = 0; i < 600; ++i) Know(Name("none", i), i % 2 == 0 ? "" : "User-agent: other\n");
  Commit();
  Know("http://last.test", "");
  EXPECT_EQ(made_room_, 0u);
}

TEST_F(RobotsCacheTest, WhatCameLastCountsBeforeAndAfterItsCommit) {
  const auto committed = [this] {
    Commit();
    // Room is made: all is read again.
    for (int i = 0; i < 1'500; ++i) Know(Name("none", i), "");
    Commit();
  };
  Know("http://a.test", "User-agent: *\nDisallow: /\n");
  committed();
  EXPECT_NE(Why("http://a.test/"), std::nullopt);
  Know("http://a.test", "");
  EXPECT_EQ(Why("http://a.test/"), std::nullopt);
  cache_.Save(batch_);  // and is being written
  EXPECT_EQ(Why("http://a.test/"), std::nullopt);
  Know("http://a.test", "User-agent: *\nDisallow: /private\n");
  EXPECT_NE(Why("http://a.test/private"), std::nullopt);
  cache_.Saved();
  EXPECT_NE(Why("http://a.test/private"), std::nullopt);
  committed();
  EXPECT_EQ(Why("http://a.test/"), std::nullopt);
  EXPECT_NE(Why("http://a.test/private"), std::nullopt);
}

TEST_F(RobotsCacheTest, ARecordThatIsNoneIsAFailureAndNoAnswer) {
  EXPECT_THAT(cache_.Denied(U("http://a.test/")).error().message, HasSubstr("http://a.test"));
  batch_.Put(store::Table::kRobots, "http://a.test", "\x07?");
  Commit();
  EXPECT_THAT(cache_.Denied(U("http://a.test/")).error().message,
              HasSubstr("a record that is none"));
}

}  // namespace
}  // namespace crawler

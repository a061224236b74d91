#include "frontier/candidate_record.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/frontier/property.h"

namespace frontier {
namespace {

Candidate RoundTrip(const Candidate& candidate) {
  std::string record;
  AppendRecord(candidate, record);
  return ReadRecord(candidate.url.origin(), record).value();
}

TEST(CandidateRecordTest, KeepsEverything) {
  Candidate candidate{.url = Url::Parse("https://a.example:8443/x/y?z").value(),
                      .referrer = Url::Parse("https://a.example:8443/x/").value(),
                      .asked = Url::Parse("http://other.example/").value(),
                      .depth = 3,
                      .redirects = 2,
                      .attempt = std::numeric_limits<std::uint32_t>::max(),
                      .seed = true};
  EXPECT_EQ(RoundTrip(candidate), candidate);
  candidate.referrer.reset();
  EXPECT_EQ(RoundTrip(candidate), candidate);
  candidate.asked = candidate.url;
  candidate.seed = false;
  EXPECT_EQ(RoundTrip(candidate), candidate);
  for (const CandidateRole role : {CandidateRole::kSitemap, CandidateRole::kProbe}) {
    candidate.role = role;
    EXPECT_EQ(RoundTrip(candidate), candidate);
  }
}

TEST(CandidateRecordTest, ALinkWithinASiteCostsItsPathsAndLittleMore) {
  Candidate candidate{.url = Url::Parse("https://www.example.com/news/article-12345").value(),
                      .referrer = Url::Parse("https://www.example.com/news/").value(),
                      .depth = 4};
  std::string record;
  AppendRecord(candidate, record);
  EXPECT_LE(record.size(), candidate.url.path().size() + 8);
}

TEST(CandidateRecordTest, AnyCandidateComesBack) {
  EXPECT_TRUE(tests::Holds([](std::uint32_t depth, std::uint32_t redirects, std::uint32_t attempt,
                              bool seed) {
    auto url = [] {
      auto path = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab/?&=")));
      std::string host = *rc::gen::element<std::string>("a", "ab", "b:81", "[::1]:8");
      return Url::Parse("http://" + host + "/" + path).value();
    };
    Candidate candidate{
        .url = url(), .depth = depth, .redirects = redirects, .attempt = attempt, .seed = seed};
    if (*rc::gen::arbitrary<bool>()) candidate.referrer = url();
    if (*rc::gen::arbitrary<bool>()) candidate.asked = url();
    RC_ASSERT(RoundTrip(candidate) == candidate);
  }));
}

TEST(CandidateRecordTest, DamagedBytesAreRefusedAndNeverCrash) {
  Candidate candidate{.url = Url::Parse("https://a.example/x/y?z").value(),
                      .referrer = Url::Parse("https://a.example/x/").value(),
                      .asked = Url::Parse("http://other.example/").value(),
                      .depth = 3};
  std::string record;
  AppendRecord(candidate, record);
  for (std::size_t size = 0; size < record.size(); ++size) {
    EXPECT_FALSE(ReadRecord("https://a.example", record.substr(0, size))) << size;
  }
  EXPECT_FALSE(ReadRecord("https://a.example", record + "x"));
}

}  // namespace
}  // namespace frontier

#include "contentseen/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "contentseen/content_seen.h"
#include "contentseen/hamming/hamming_index.h"
#include "tests/contentseen/memory_limit.h"

namespace contentseen {
namespace {

using testing::HasSubstr;

std::string MessageFor(const ContentSeenOptions& options) {
  const base::Status status = Validate(options);
  return status ? "" : status.error().message;
}

TEST(Options, DefaultsAndBoundsAreValid) {
  EXPECT_EQ(MessageFor({}), "");
  EXPECT_EQ(MessageFor({.k = 0}), "");
  EXPECT_EQ(MessageFor({.k = 10, .features_min = 1'000'000}), "");
}

TEST(Options, EachRangeIsNamedWithItsOption) {
  EXPECT_THAT(MessageFor({.k = -1}), HasSubstr("k is -1, but must lie in 0..10"));
  EXPECT_THAT(MessageFor({.k = 11}), HasSubstr("k is 11"));
  EXPECT_THAT(MessageFor({.features_min = 0}), HasSubstr("features_min is 0"));
  EXPECT_THAT(MessageFor({.features_min = 1'000'001}), HasSubstr("1..1000000"));
  EXPECT_THAT(MessageFor({.features = {.shingle_weights = {1, 16, 1}}}),
              HasSubstr("weight is 16, but must lie in 0..15"));
  EXPECT_THAT(MessageFor({.features = {.shingle_weights = {0, 0, 0}}}), HasSubstr("all shingle"));
}

TEST(Options, ContentSeenRefusesWhatIsOutOfRange) {
  EXPECT_FALSE(ContentSeen::Create({.k = 11}).has_value());
  EXPECT_FALSE(ContentSeen::Create({.documents_expected = 8'000'000'000}).has_value());
  EXPECT_THAT(MessageFor({.documents_expected = kDocumentsExpectedMax + 1}),
              HasSubstr("documents_expected is 1500000001, but must lie in 0..1500000000"));
  static_assert(kDocumentsExpectedMax == kHammingFingerprintsMax);
  EXPECT_TRUE(ContentSeen::Create({.k = 10}).has_value());
}

TEST(Options, ContentSeenSaysSoWhereMemoryIsRefused) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  const auto create = [] {
    tests::LimitAddressSpace(300 << 20);
    const auto seen = ContentSeen::Create(
        {.documents_expected = kDocumentsExpectedMax, .detector = "shingling"});
    std::fputs(seen ? "made" : seen.error().message.c_str(), stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(
      create(), testing::ExitedWithCode(0),
      "memory is refused for ContentSeen .documents_expected is 1500000000.: expect fewer");
}

}  // namespace
}  // namespace contentseen

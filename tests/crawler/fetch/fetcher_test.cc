#include "crawler/fetch/fetcher.h"

#include <gtest/gtest.h>

#include <set>

namespace crawler {
namespace {

TEST(FetcherTest, EveryErrorHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FetchError::kStopped); ++i) {
    const std::string_view name = Name(static_cast<FetchError>(i));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(Name(FetchError::kAddressDenied), "address-denied");
}

TEST(FetcherTest, HeaderGivesTheFirstOfItsName) {
  FetchResponse response;
  response.headers = {{"content-type", "text/html"}, {"link", "<a>"}, {"link", "<b>"}};
  EXPECT_EQ(response.Header("link"), "<a>");
  EXPECT_EQ(response.Header("content-type"), "text/html");
  EXPECT_EQ(response.Header("location"), std::nullopt);
}

}  // namespace
}  // namespace crawler

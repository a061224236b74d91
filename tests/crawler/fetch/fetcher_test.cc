#include "crawler/fetch/fetcher.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

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

TEST(FetcherTest, ContentTypeIsTheLastOneThatIsSaid) {
  struct Case {
    std::vector<std::string> values;
    std::string type;
  };
  for (const Case& c : {
           Case{{}, ""},
           Case{{"text/html; charset=UTF-8"}, "text/html; charset=UTF-8"},
           Case{{"text/plain", "text/html; charset=utf-8"}, "text/html; charset=utf-8"},
           Case{{"text/plain, text/html"}, "text/html"},
           // A charset holds until another type is named.
           Case{{"text/html;charset=gbk", "text/html"}, "text/html;charset=gbk"},
           Case{{"text/html;charset=gbk", "text/html;charset=big5"}, "text/html;charset=big5"},
           Case{{"text/html;charset=gbk", "text/plain", "text/html"}, "text/html"},
           // What is no type, or every type, does not count.
           Case{{"text/html", "*/*", "nonsense", ""}, "text/html"},
           Case{{"text"}, ""},
           Case{{"text/html;x=\"a,b\\\",c\", text/plain;x=\","}, "text/plain;x=\","},
       }) {
    FetchResponse response;
    response.headers = {{"content-length", "3"}};
    for (const std::string& value : c.values) response.headers.emplace_back("content-type", value);
    EXPECT_EQ(response.ContentType(), c.type) << ::testing::PrintToString(c.values);
  }
}

}  // namespace
}  // namespace crawler

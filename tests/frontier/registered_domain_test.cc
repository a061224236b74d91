#include "frontier/registered_domain.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "frontier/url.h"
#include "tests/shared_files.h"

namespace frontier {
namespace {

TEST(RegisteredDomainTest, IsSuffixAndOneLabel) {
  EXPECT_EQ(RegisteredDomain("www.example.com"), "example.com");
  EXPECT_EQ(RegisteredDomain("a.b.example.co.uk"), "example.co.uk");
  EXPECT_EQ(RegisteredDomain("user.github.io"), "user.github.io");
  EXPECT_EQ(RegisteredDomain("www.xn--85x722f.xn--55qx5d.cn"), "xn--85x722f.xn--55qx5d.cn");
}

TEST(RegisteredDomainTest, IsTheHostItselfWhereThereIsNone) {
  for (const char* host : {"127.0.0.1", "10.0.0.1", "[::1]", "localhost", "com", "co.uk"}) {
    EXPECT_EQ(RegisteredDomain(host), host);
  }
  std::string longest(300, 'a');
  EXPECT_EQ(RegisteredDomain(longest), longest);
}

TEST(RegisteredDomainTest, PointsIntoItsArgument) {
  std::string host = "www.example.com";
  EXPECT_EQ(RegisteredDomain(host).data(), host.data() + 4);
}

// publicsuffix.org's own cases: "host domain" or "host null" where it has none.
TEST(RegisteredDomainTest, PublicSuffixSuite) {
  auto shared = tests::SharedFolder("suites/psl/tests.txt");
  if (!shared) GTEST_SKIP() << tests::kNoShared;
  std::ifstream in(*shared);
  int checked = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string input;
    std::string expected;
    if (line.rfind("//", 0) == 0 || !(fields >> input >> expected) || input == "null") continue;
    base::Result<Url> url = Url::Parse("http://" + input);
    // A leading dot: no host.
    if (!url) {
      EXPECT_EQ(input.front(), '.') << input;
      continue;
    }
    std::string domain(RegisteredDomain(url->host()));
    if (expected == "null") {
      EXPECT_EQ(domain, url->host()) << input;
    } else {
      EXPECT_EQ(domain, Url::Parse("http://" + expected).value().host()) << input;
    }
    ++checked;
  }
  EXPECT_GE(checked, 70);
}

}  // namespace
}  // namespace frontier

#include "crawler/io/listen_address.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

TEST(ListenAddress, ReadsAddressesAndPorts) {
  auto address = ParseListenAddress("127.0.0.1:9464");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "127.0.0.1");
  EXPECT_EQ(address->port, 9464);
  EXPECT_EQ(address->Text(), "127.0.0.1:9464");
  EXPECT_EQ(ParseListenAddress("[::1]:0")->Text(), "[::1]:0");
  EXPECT_EQ(ParseListenAddress("localhost:80")->Text(), "127.0.0.1:80");
  for (const char* wrong : {"", "127.0.0.1", "9464", ":9464", "127.0.0.1:", "127.0.0.1:65536",
                            "127.0.0.1:-1", "127.0.0.1:-0", "127.0.0.1:1x", "example.org:80",
                            "::1:80", "[::1]", "[127.0.0.1]:80", "256.0.0.1:80"}) {
    EXPECT_FALSE(ParseListenAddress(wrong)) << wrong;
  }
}

TEST(OwnHost, NumbersLocalhostAndGivenNames) {
  const std::vector<std::string> names = {"crawler.Example"};
  for (const char* own : {"127.0.0.1:9464", "127.0.0.1", "[::1]:9464", "[::1]", "LOCALHOST:1",
                          "a.localhost", "10.1.2.3:80", "crawler.example:9464"}) {
    EXPECT_TRUE(IsOwnHost(own, names)) << own;
  }
  for (const char* other :
       {"", "evil.example", "evil.example:9464", "127.0.0.1.evil.example", "notlocalhost",
        "localhost.evil.example", "[::1", "[::1]x", "[evil]", "127.0.0.1:port", "127.1",
        "0x7f000001", "crawler.example.org", "localhost:9464@evil.example"}) {
    EXPECT_FALSE(IsOwnHost(other, names)) << other;
  }
}

}  // namespace
}  // namespace crawler

#include "crawler/fetch/address_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>

namespace crawler {
namespace {

using ::testing::HasSubstr;

AddressRules Rules(const std::vector<std::string>& allow = {}) {
  auto rules = AddressRules::Create(allow);
  EXPECT_TRUE(rules.has_value()) << rules.error().message;
  return *rules;
}

std::string Denial(std::string_view address, const std::vector<std::string>& allow = {}) {
  const auto parsed = IpAddress::Parse(address);
  EXPECT_TRUE(parsed.has_value()) << address;
  return std::string(Rules(allow).Denial(*parsed).value_or(""));
}

// hostile-inputs.md row 40: the first and the last address of each network, and their outer
// neighbours where those are public.
TEST(AddressRulesTest, Row40_SpecialPurposeV4) {
  for (const char* address :
       {"0.0.0.0",         "0.255.255.255",   "10.0.0.0",        "10.255.255.255",
        "100.64.0.0",      "100.127.255.255", "127.0.0.0",       "127.0.0.1",
        "127.255.255.255", "169.254.0.0",     "169.254.255.255", "172.16.0.0",
        "172.31.255.255",  "192.0.0.0",       "192.0.0.255",     "192.0.2.0",
        "192.0.2.255",     "192.88.99.1",     "192.168.0.0",     "192.168.255.255",
        "198.18.0.0",      "198.19.255.255",  "198.51.100.7",    "203.0.113.255",
        "224.0.0.1",       "239.255.255.255", "240.0.0.0",       "255.255.255.255"}) {
    EXPECT_NE(Denial(address), "") << address;
  }
  for (const char* address :
       {"1.0.0.0",         "9.255.255.255", "11.0.0.0",        "100.63.255.255",  "100.128.0.0",
        "126.255.255.255", "128.0.0.0",     "169.253.255.255", "169.255.0.0",     "172.15.255.255",
        "172.32.0.0",      "192.0.1.0",     "192.0.3.0",       "192.167.255.255", "192.169.0.0",
        "198.17.255.255",  "198.20.0.0",    "223.255.255.255", "93.184.216.34",   "8.8.8.8"}) {
    EXPECT_EQ(Denial(address), "") << address;
  }
}

TEST(AddressRulesTest, Row41_CloudMetadata) {
  for (const char* address : {"169.254.169.254", "fd00:ec2::254", "100.100.100.200"}) {
    EXPECT_NE(Denial(address), "") << address;
  }
}

TEST(AddressRulesTest, Row44_SpecialPurposeV6) {
  for (const char* address : {"::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "ff02::1",
                              "fec0::1", "100::1", "64:ff9b:1::1", "2001:db8::1", "3fff::1",
                              "2001:10::1", "2001:2::1", "4000::1", "5f00::1"}) {
    EXPECT_NE(Denial(address), "") << address;
  }
  for (const char* address : {"2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "2003::1",
                              "2400:cb00::1", "3ffe::1"}) {
    EXPECT_EQ(Denial(address), "") << address;
  }
}

TEST(AddressRulesTest, Row44_V4InsideV6IsUnwrapped) {
  for (const char* address :
       {"::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::", "2002:c0a8:101::1",
        // Teredo: the server 10.0.0.1; the client 127.0.0.1 inverted.
        "2001:0:a00:1::f7f7:f7f7", "2001:0:808:808::80ff:fffe"}) {
    EXPECT_NE(Denial(address), "") << address;
  }
  for (const char* address :
       {"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7"}) {
    EXPECT_EQ(Denial(address), "") << address;
  }
}

TEST(AddressRulesTest, NamesTheNetwork) {
  EXPECT_THAT(Denial("10.1.2.3"), HasSubstr("10.0.0.0/8"));
  EXPECT_THAT(Denial("::ffff:10.1.2.3"), HasSubstr("10.0.0.0/8"));
  EXPECT_THAT(Denial("::1"), HasSubstr("loopback"));
}

TEST(AddressRulesTest, AllowedNetworksAreOpenInEverySpelling) {
  const std::vector<std::string> allow = {"127.0.0.0/8", "fd00:1::/32", "10.1.2.3"};
  for (const char* address : {"127.0.0.1", "::ffff:127.9.9.9", "64:ff9b::127.0.0.1", "fd00:1::9",
                              "10.1.2.3", "2002:a01:203::1"}) {
    EXPECT_EQ(Denial(address, allow), "") << address;
  }
  for (const char* address : {"::1", "fd00:2::9", "10.1.2.4", "192.168.0.1"}) {
    EXPECT_NE(Denial(address, allow), "") << address;
  }
  EXPECT_EQ(Denial("192.168.0.1", {"0.0.0.0/0"}), "");
  EXPECT_NE(Denial("::1", {"0.0.0.0/0"}), "");
  EXPECT_EQ(Denial("192.168.0.1", {"::/0"}), "");
}

TEST(AddressRulesTest, Row47_NamesAreJudgedWhereNoNetworkIsOpen) {
  const auto rules = AddressRules::Create({});
  for (const char* name : {"localhost", "a.localhost", "host", "a.local", "b.internal",
                           "localhost.localdomain", "x.home.arpa", "abc.onion"}) {
    EXPECT_TRUE(rules->NameDenial(name)) << name;
  }
  for (const char* name : {"example.com", "local.example", "mylocalhost.com", "notlocal.de",
                           "xlocal.com", "1.2.3.4", "[::1]", "a.thelocal"}) {
    EXPECT_FALSE(rules->NameDenial(name)) << name;
  }
  EXPECT_FALSE(AddressRules::Create({"10.0.0.0/8"})->NameDenial("intranet"));
}

TEST(AddressRulesTest, Row48_BadPortsButThoseAllowed) {
  const auto rules = AddressRules::Create({}, {"22"});
  for (const std::uint16_t good : {80, 443, 8080, 8443, 3000, 65535, 22}) {
    EXPECT_FALSE(rules->PortDenial(good)) << good;
  }
  for (const std::uint16_t bad : {0, 23, 25, 6666, 6379, 10080, 27017}) {
    EXPECT_TRUE(rules->PortDenial(bad)) << bad;
  }
  for (const char* port : {"", "65536", "-1", "80-90", " 80", "http"}) {
    EXPECT_FALSE(AddressRules::Create({}, {port})) << port;
  }
}

TEST(AddressRulesTest, RefusesWhatIsNoNetwork) {
  for (const char* text :
       {"", "localhost", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "0.0.0.0/-0", "10.0.0/8",
        "10.0.0.0/8x", "fd00::/129", "::/ 0", "0x7f.1"}) {
    EXPECT_FALSE(AddressRules::Create({text}).has_value()) << text;
  }
  auto sloppy = AddressRules::Create({"10.1.2.3/8"});
  ASSERT_FALSE(sloppy.has_value());
  EXPECT_THAT(sloppy.error().message, HasSubstr("allow_networks"));
  EXPECT_THAT(sloppy.error().message, HasSubstr("10.0.0.0/8"));
}

TEST(IpAddressTest, ReadsAndWritesBothFamilies) {
  for (const char* text : {"1.2.3.4", "255.255.255.255", "::1", "2001:db8::ff00:42:8329"}) {
    EXPECT_EQ(IpAddress::Parse(text)->ToString(), text);
  }
  EXPECT_EQ(IpAddress::Parse("::ffff:1.2.3.4"), IpAddress::Parse("1.2.3.4"));
  EXPECT_EQ(IpAddress::Parse(std::string_view("1.2.3.4\0x", 9)), std::nullopt);

  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr.s6_addr[15] = 1;
  sockaddr generic{};
  static_assert(sizeof v6 >= sizeof generic);
  EXPECT_EQ(IpAddress::Of(*reinterpret_cast<const sockaddr*>(&v6)), IpAddress::Parse("::1"));
  generic.sa_family = AF_UNIX;
  EXPECT_EQ(IpAddress::Of(generic), std::nullopt);
}

}  // namespace
}  // namespace crawler

#include "crawler/warc/surt.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace crawler {
namespace {

std::string KeyOf(const std::string& url) {
  // As an archive names it, not as a crawl spells it.
  frontier::UrlRules rules;
  rules.drop_session_ids = false;
  return Surt(*frontier::Url::Parse(url, rules));
}

// Keys as the Internet Archive's `surt` package (0.3.1) gives them.
TEST(Surt, GivesTheKeysOfTheInternetArchive) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://www.example.com/", "com,example)/"},
      {"https://www.Example.com/A/?b=2&a=1", "com,example)/a?a=1&b=2"},
      {"http://www12.archive.org/goo", "org,archive)/goo"},
      {"http://archive.org:8080/goo/", "org,archive:8080)/goo"},
      {"https://archive.org:443/goo/", "org,archive)/goo"},
      {"http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"},
      {"http://archive.org/a//b///c/", "org,archive)/a/b/c"},
      {"http://archive.org/goo/?", "org,archive)/goo"},
      {"http://example.com/x?a&a=", "com,example)/x?a&a="},
      {"http://192.168.1.254/info/", "254,1,168,192)/info"},
      {"http://[2001:db8::5]/a", "2001:db8::5)/a"},
      {"https://[2001:db8::5]:443/a", "2001:db8::5)/a"},
      {"http://[2001:DB8:0::5]:8080/a", "2001:db8::5:8080)/a"},
      {"http://[::1]/", "::1)/"},
      {"http://example.com/%2525%20%c3%a9", "com,example)/%25%20%c3%a9"},
      {"http://example.com/x?PHPSESSID=0123456789abcdef0123456789abcdef&b=1",
       "com,example)/x?b=1"},
      {"http://example.com/x?jsessionid=0123456789abcdef0123456789abcde",
       "com,example)/x?jsessionid=0123456789abcdef0123456789abcde"},
      {"http://example.com/x?a=1&cfid=12&cftoken=34&z=2", "com,example)/x?a=1&z=2"},
      {"http://legislature.mi.gov/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx",
       "gov,mi,legislature)/mileg.aspx"},
      {"http://legislature.mi.gov/(4hqa0555fwsecu455xqckv45)/mileg.aspx?page=a",
       "gov,mi,legislature)/mileg.aspx?page=a"},
  };
  for (const auto& [url, key] : cases) EXPECT_EQ(KeyOf(url), key) << url;
}

TEST(Surt, IsOneKeyForOneUrlHoweverItIsSpelled) {
  EXPECT_EQ(KeyOf("http://www.example.com/a?x=1&y=2"), KeyOf("https://EXAMPLE.com/a/?y=2&x=1"));
  EXPECT_NE(KeyOf("http://example.com/a"), KeyOf("http://example.org/a"));
}

TEST(Surt, TakesAwayEscapesOfEscapesHoweverTheyAreSpelled) {
  EXPECT_EQ(KeyOf("http://example.com/%25%34%31%254%31%%32541"), "com,example)/aaa");
  EXPECT_EQ(KeyOf("http://example.com/%2%35%"), "com,example)/%25%25");
}

// A look at the whole for each escape of an escape would be 10^11 steps.
TEST(Surt, TakesThemAwayInOneGo) {
  std::string text = "http://example.com/%";
  while (text.size() < 32'000) text += "25";
  const auto url = frontier::Url::Parse(text + "41", frontier::UrlRules::Longest());
  ASSERT_TRUE(url);
  for (int i = 0; i < 400; ++i) ASSERT_EQ(Surt(*url), "com,example)/a");
}

}  // namespace
}  // namespace crawler

// The WHATWG's own URL cases (web-platform-tests, url/resources/urltestdata.json).

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "frontier/url.h"
#include "tests/shared_files.h"

namespace frontier {
namespace {

struct WptCase {
  std::string input;
  std::optional<std::string> base;
  /// The standard's href less fragment and user info; nothing where it fails.
  std::optional<std::string> expected;
};

bool IsHttp(const std::string& text) {
  return text.rfind("http:", 0) == 0 || text.rfind("https:", 0) == 0;
}

/// The cases that end at http or https, or fail, with no base or one at http or https.
std::vector<WptCase> LoadCases(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<WptCase> cases;
  for (const nlohmann::json& entry : nlohmann::json::parse(in)) {
    if (!entry.is_object()) continue;
    WptCase one{.input = entry["input"], .base = std::nullopt, .expected = std::nullopt};
    if (entry["base"].is_string()) one.base = entry["base"];
    if (one.base && !IsHttp(*one.base)) continue;
    if (!entry.value("failure", false)) {
      if (!IsHttp(entry["href"])) continue;
      one.expected = entry["protocol"].get<std::string>() + "//" +
                     entry["host"].get<std::string>() + entry["pathname"].get<std::string>() +
                     entry["search"].get<std::string>();
      // `search` does not tell "?" from nothing.
      std::string href = entry["href"];
      href.resize(std::min(href.find('#'), href.size()));
      if (href.back() == '?') *one.expected += '?';
    }
    cases.push_back(one);
  }
  return cases;
}

std::optional<std::string> Read(const WptCase& one, UrlRules rules) {
  rules.url_bytes_max = 32768;
  base::Result<Url> read = tl::unexpected(base::Error{});
  if (one.base) {
    base::Result<Url> base = Url::Parse(*one.base, rules);
    if (!base) return "base refused";
    read = Url::Resolve(*base, one.input, rules);
  } else {
    read = Url::Parse(one.input, rules);
  }
  if (!read) return std::nullopt;
  return read->text();
}

/// The cases read otherwise: input and what came out ("-" for a refusal).
std::map<std::string, std::string> Differences(const std::vector<WptCase>& cases,
                                               const UrlRules& rules) {
  std::map<std::string, std::string> differences;
  for (const WptCase& one : cases) {
    std::optional<std::string> read = Read(one, rules);
    if (read != one.expected) differences[one.input] = read.value_or("-");
  }
  return differences;
}

TEST(WptUrlTest, WhatwgRulesReadAllButOneAsTheStandard) {
  auto shared = tests::SharedFolder("suites/url/urltestdata.json");
  if (!shared) GTEST_SKIP() << tests::kNoShared;
  std::vector<WptCase> cases = LoadCases(*shared);
  ASSERT_GT(cases.size(), 500U);
  std::map<std::string, std::string> expected = {
      // libcurl takes no such host, so nothing could be fetched there.
      {"http://!\"$&'()*+,-.;=_`{}~/", "-"},
  };
  EXPECT_EQ(Differences(cases, UrlRules::Whatwg()), expected);
}

TEST(WptUrlTest, OurOwnRulesDifferWhereTheySaySo) {
  auto shared = tests::SharedFolder("suites/url/urltestdata.json");
  if (!shared) GTEST_SKIP() << tests::kNoShared;
  std::vector<WptCase> cases = LoadCases(*shared);
  std::map<std::string, std::string> expected = {
      {"http://!\"$&'()*+,-.;=_`{}~/", "-"},
      // UrlRules::normalize_escapes: upper-case hex digits, no escapes of unreserved characters.
      {"/a%2fc", "http://example.org/a%2Fc"},
      {"/a/%2f/c", "http://example.org/a/%2F/c"},
      {"http://example.com/%3A%3a%3C%3c", "http://example.com/%3A%3A%3C%3C"},
      {"http://example.com/foo/%2e%2", "http://example.com/foo/.%2"},
      {"http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar", "http://example.com/..bar"},
      {"http://example.com/foo%41%7a", "http://example.com/fooAz"},
      {"http://example.com/foo%00%51", "http://example.com/foo%00Q"},
      {"http://www/foo%2Ehtml", "http://www/foo.html"},
      // UrlRules::strict: labels that are no punycode ...
      {"http://a.b.c.xn--pokxncvks", "-"},
      {"http://a.b.c.XN--pokxncvks", "-"},
      {"http://a.b.c.Xn--pokxncvks", "-"},
      {"http://10.0.0.xn--pokxncvks", "-"},
      {"http://10.0.0.XN--pokxncvks", "-"},
      {"http://10.0.0.xN--pokxncvks", "-"},
      {"https://xn--/", "-"},
      // ... names with an empty label ...
      {"http://./", "-"},
      {"http://../", "-"},
      {"http://foo.09..", "-"},
      // ... and control bytes.
      {std::string("https://x/\0y", 12), "-"},
      {std::string("https://x/?\0y", 13), "-"},
      {"https://www.example.com/path{\x7fpath.html?query'\x7f=query#fragment<\x7f"
       "fragment",
       "-"},
  };
  EXPECT_EQ(Differences(cases, UrlRules()), expected);
  EXPECT_LT(expected.size(), cases.size() * 5 / 100);
}

// crawler-commons' normaliser has the aims of our default rules.
TEST(WptUrlTest, CrawlerCommonsRefusals) {
  for (const char* text : {"https://example%2Xcom/", "https://abc%FEdef.org/"}) {
    EXPECT_FALSE(Url::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace frontier

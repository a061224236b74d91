#include "crawler/fetch/cookie_jar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "crawler/fetch/cookie_date.h"
#include "crawler/fetch/http_date.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"
#include "tests/parser/shared_data.h"
#include "tests/read_file.h"
#include "tests/shared_files.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const base::WallTime kNow = base::FakeClock().WallNow();

frontier::Url At(std::string_view text) { return *frontier::Url::Parse(text); }

TEST(CookieJarTest, WhatAHostSetGoesBackToIt) {
  CookieJar jar;
  jar.Set(At("http://a.example.org/x/y"), "id=17; HttpOnly", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://a.example.org/x/"), kNow), "id=17");
  EXPECT_EQ(jar.FieldFor(At("https://a.example.org:8443/x/z/"), kNow), "id=17");
  for (const char* other :
       {"http://b.example.org/x/", "http://example.org/x/", "http://c.a.example.org/x/",
        "http://xa.example.org/x/", "http://a.example.org.evil.test/x/",
        "http://a.example.org/other", "http://a.example.org/xy"}) {
    EXPECT_EQ(jar.FieldFor(At(other), kNow), "") << other;
  }
}

TEST(CookieJarTest, NoHostSetsACookieForAnother) {
  CookieJar jar;
  for (const char* domain : {"victim.test", "co.uk", "uk", "b.site.co.uk", "ite.co.uk",
                             "a.site.co.uk.", "x.a.site.co.uk", "[::1]", "127.0.0.1"}) {
    jar.Set(At("http://a.site.co.uk/"), "id=1; Domain=" + std::string(domain), kNow);
  }
  jar.Set(At("http://10.1.2.3/"), "id=1; Domain=2.3", kNow);
  jar.Set(At("http://me.github.io/"), "id=1; Domain=github.io", kNow);
  EXPECT_EQ(jar.size(), 0u);
  // No domain at all (RFC 6265 section 5.2.3): its own host's only.
  jar.Set(At("http://a.other.co.uk/"), "id=1; Domain=.", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://a.other.co.uk/"), kNow), "id=1");
  EXPECT_EQ(jar.FieldFor(At("http://b.other.co.uk/"), kNow), "");
  jar.Set(At("http://a.site.co.uk/"), "id=1; Domain=Site.Co.UK", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://b.site.co.uk/"), kNow), "id=1");
  EXPECT_EQ(jar.FieldFor(At("http://othersite.co.uk/"), kNow), "");
  jar.Set(At("http://10.1.2.3/"), "ip=1; Domain=10.1.2.3", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://10.1.2.3/"), kNow), "ip=1");
  EXPECT_EQ(jar.FieldFor(At("http://9.10.1.2/"), kNow), "");
}

TEST(CookieJarTest, SecureOnesGoOverTlsOnly) {
  CookieJar jar;
  jar.Set(At("https://a.test/"), "s=1; Secure", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://a.test/"), kNow), "");
  EXPECT_EQ(jar.FieldFor(At("https://a.test/"), kNow), "s=1");
  jar.Set(At("http://a.test/"), "t=1; Secure", kNow);
  EXPECT_EQ(jar.size(), 1u);
}

TEST(CookieJarTest, NobodyOnTheWayDrivesASecureOneOut) {
  CookieJar jar;
  jar.Set(At("https://a.test/"), "s=1; Secure", kNow);
  jar.Set(At("https://a.test/"), "old=1; Secure; Max-Age=60", kNow);
  for (int i = 0; i < 200; ++i)
    jar.Set(At("http://a.test/"), "n" + std::to_string(i) + "=1", kNow);
  jar.Set(At("http://a.test/"), "s=2", kNow);
  EXPECT_THAT(jar.FieldFor(At("https://a.test/"), kNow), HasSubstr("s=1"));
  EXPECT_THAT(jar.FieldFor(At("https://a.test/"), kNow), Not(HasSubstr("s=2")));
  EXPECT_THAT(jar.FieldFor(At("https://a.test/"), kNow), HasSubstr("n199=1"));
  const base::WallTime later = kNow + std::chrono::minutes(2);
  jar.Set(At("http://a.test/"), "old=2", later);
  EXPECT_THAT(jar.FieldFor(At("http://a.test/"), later), HasSubstr("old=2"))
      << "what is over hides nothing";
}

TEST(CookieJarTest, NobodyOnTheWayReplacesOrHidesASecureOne) {
  CookieJar jar;
  jar.Set(At("https://a.site.co.uk/"), "s=1; Secure; Path=/x", kNow);
  for (const char* field : {"s=2; Path=/x", "s=2; Path=/x/y", "s=2; Path=/x; Domain=site.co.uk",
                            "s=; Path=/x; Max-Age=0"}) {
    jar.Set(At("http://a.site.co.uk/"), field, kNow);
    EXPECT_EQ(jar.FieldFor(At("https://a.site.co.uk/x/y"), kNow), "s=1") << field;
  }
  // Where it does not come before the secure one, or has another name, it may.
  jar.Set(At("http://a.site.co.uk/"), "s=2; Path=/", kNow);
  jar.Set(At("http://a.site.co.uk/"), "t=3; Path=/x", kNow);
  EXPECT_EQ(jar.FieldFor(At("https://a.site.co.uk/x/"), kNow), "s=1; t=3; s=2");
  jar.Set(At("https://a.site.co.uk/"), "s=4; Path=/x", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://a.site.co.uk/x/"), kNow), "s=4; t=3; s=2");
}

TEST(CookieJarTest, APrefixKeepsWhatItPromises) {
  CookieJar jar;
  const auto url = At("https://a.site.co.uk/");
  for (const char* field :
       {"__Secure-a=1", "__secure-a=1; Path=/", "__Host-b=1", "__Host-b=1; Secure",
        "__Host-b=1; Secure; Path=/x", "__HOST-b=1; Secure; Path=/; Domain=a.site.co.uk"}) {
    jar.Set(url, field, kNow);
    EXPECT_EQ(jar.size(), 0u) << field;
  }
  jar.Set(At("http://a.site.co.uk/"), "__Secure-a=1; Secure", kNow);
  EXPECT_EQ(jar.size(), 0u);
  jar.Set(url, "__Secure-a=1; Secure; Domain=site.co.uk", kNow);
  jar.Set(url, "__Host-b=1; Secure; Path=/", kNow);
  EXPECT_EQ(jar.FieldFor(url, kNow), "__Secure-a=1; __Host-b=1");
}

TEST(CookieJarTest, TheyEndWhenTheySay) {
  CookieJar jar;
  const auto url = At("http://a.test/");
  jar.Set(url, "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", kNow);
  jar.Set(url, "b=1; Max-Age=99999999999999999999", kNow);
  jar.Set(url, "c=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", kNow);
  jar.Set(url, "d=1; Max-Age=-1", kNow);
  EXPECT_EQ(jar.FieldFor(url, kNow), "a=1; b=1; c=1");
  EXPECT_EQ(jar.FieldFor(url, kNow + std::chrono::seconds(60)), "b=1; c=1");
  EXPECT_EQ(jar.FieldFor(url, kNow + std::chrono::hours(24 * 401)), "c=1");
  jar.Set(url, "c=; Max-Age=0", kNow);
  jar.Set(url, "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", kNow);
  jar.Set(url, "a=; Max-Age=0", kNow);
  EXPECT_EQ(jar.size(), 0u);
  EXPECT_EQ(jar.memory_bytes(), 0u);
}

TEST(CookieJarTest, Row26_AFloodOfCookiesStaysWithinBounds) {
  const CookieLimits limits{.cookie_bytes_max = 100,
                            .cookies_per_domain_max = 10,
                            .bytes_max = 40'000,
                            .field_bytes_max = 200};
  CookieJar jar(limits);
  const std::string value(80, 'v');
  for (int host = 0; host < 200; ++host) {
    const auto url = At("http://h" + std::to_string(host) + ".test/");
    for (int i = 0; i < 50; ++i) jar.Set(url, "c" + std::to_string(i) + "=" + value, kNow);
    EXPECT_LE(jar.FieldFor(url, kNow).size(), limits.field_bytes_max);
    EXPECT_LE(jar.memory_bytes(), limits.bytes_max);
  }
  // The last ten are kept; of them the oldest go first, as far as there is room.
  const std::string field = jar.FieldFor(At("http://h199.test/"), kNow);
  EXPECT_THAT(field, StartsWith("c40="));
  EXPECT_THAT(field, Not(HasSubstr("c39=")));
  EXPECT_EQ(jar.FieldFor(At("http://h0.test/"), kNow), "") << "not used for longest";
  jar.Set(At("http://x.test/"), "long=" + std::string(200, 'v'), kNow);
  jar.Set(At("http://x.test/"), "control=a\x1b[2J", kNow);
  EXPECT_EQ(jar.FieldFor(At("http://x.test/"), kNow), "");
}

TEST(CookieJarTest, AFileKeepsThemAndOnlyItsOwnerReadsIt) {
  const tests::TempFolder folder;
  const std::string path = (folder.path() / "cookies.txt").string();
  {
    auto jar = CookieJar::Open(path, kNow);
    ASSERT_TRUE(jar) << jar.error().message;
    (*jar)->Set(At("https://a.site.test/x/"), "s=\"a b\"; Secure; Max-Age=100", kNow);
    (*jar)->Set(At("https://a.site.test/x/"), "wide=1; Domain=site.test; Path=/", kNow);
    ASSERT_TRUE((*jar)->Save(kNow));
  }
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  auto again = CookieJar::Open(path, kNow);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->FieldFor(At("https://a.site.test/x/"), kNow), "s=\"a b\"; wide=1");
  EXPECT_EQ((*again)->FieldFor(At("http://b.site.test/"), kNow), "wide=1");
  auto later = CookieJar::Open(path, kNow + std::chrono::hours(1));
  EXPECT_EQ((*later)->size(), 1u);
}

// What is saved is read back, or the next crawl could not begin.
TEST(CookieJarTest, TheLongestCookiesSurviveTheFile) {
  const tests::TempFolder folder;
  const std::string path = (folder.path() / "cookies.txt").string();
  const CookieLimits limits;
  const std::string host = "http://" + std::string(60, 'h') + ".test";
  const std::string longest_path = "/" + std::string(limits.attribute_bytes_max - 1, 'x');
  {
    auto jar = CookieJar::Open(path, kNow);
    ASSERT_TRUE(jar) << jar.error().message;
    const std::string value(limits.cookie_bytes_max - 1, 'v');
    (*jar)->Set(At(host + longest_path + "/"), "a=" + value, kNow);
    (*jar)->Set(At(host + "/"), "b=" + value + "; Path=" + longest_path, kNow);
    // Ignored as if they were not there: the path, the age; a folder has no shorter name.
    (*jar)->Set(At(host + "/"), "wide=1; Path=/" + std::string(20'000, 'x'), kNow);
    (*jar)->Set(At(host + "/"), "old=1; Max-Age=" + std::string(2'000, '0'), kNow);
    (*jar)->Set(At(host + longest_path + "x/"), "deep=1", kNow);
    EXPECT_EQ((*jar)->FieldFor(At(host + "/"), kNow), "wide=1; old=1");
    EXPECT_EQ((*jar)->size(), 4u);
    ASSERT_TRUE((*jar)->Save(kNow));
  }
  auto again = CookieJar::Open(path, kNow);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->size(), 4u);
  EXPECT_THAT((*again)->FieldFor(At(host + longest_path), kNow), StartsWith("a=vvv"));
}

TEST(CookieJarTest, NoPathMakesACookieLarge) {
  CookieJar jar;
  for (int i = 0; i < 50; ++i) {
    jar.Set(At("http://evil.test/"),
            "a" + std::to_string(i) + "=b; Path=/" + std::string(64'000, 'x'), kNow);
  }
  EXPECT_EQ(jar.size(), 50u);
  EXPECT_LT(jar.memory_bytes(), 50'000u);
}

TEST(CookieJarTest, WhatBrowsersExportIsReadAndGarbageIsNamedNotShown) {
  const tests::TempFolder folder;
  const std::string path = (folder.path() / "cookies.txt").string();
  std::ofstream(path) << "# Netscape HTTP Cookie File\r\n\r\n"
                         "#HttpOnly_.site.test\tTRUE\t/\tFALSE\t0\tid\tvalue with = and ;\r\n";
  auto jar = CookieJar::Open(path, kNow);
  ASSERT_TRUE(jar) << jar.error().message;
  EXPECT_THAT((*jar)->FieldFor(At("http://www.site.test/"), kNow), HasSubstr("id=value"));
  for (const char* bad :
       {"hunter2", "a.test\tTRUE\t/\tFALSE\tsoon\tn\thunter2",
        "a.test\tYES\t/\tFALSE\t0\tn\thunter2", "a b\tTRUE\t/\tFALSE\t0\tn\thunter2",
        "a.test\tTRUE\tx\tFALSE\t0\tn\thunter2"}) {
    std::ofstream(path) << "# Netscape\n" << bad << "\n";
    auto refused = CookieJar::Open(path, kNow);
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().message, HasSubstr("cookies.txt:2:"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
  }
}

std::string Line(const std::string& host, const std::string& name, const std::string& value) {
  return host + "\tFALSE\t/\tFALSE\t0\t" + name + "\t" + value + "\n";
}

TEST(CookieJarTest, AFileThatDoesNotFitIsRefusedAndLeftAlone) {
  const tests::TempFolder folder;
  const std::string path = (folder.path() / "cookies.txt").string();
  const CookieLimits limits;
  std::string full;
  for (std::size_t i = 0; i < limits.cookies_per_domain_max; ++i) {
    full += Line("a.site.test", "c" + std::to_string(i), "hunter2");
  }
  const std::string over = "b.site.test\tFALSE\t/\tFALSE\t1\tover\thunter2\n";
  tests::WriteFile(path, full + over + Line("a.other.test", "a", "1"));
  EXPECT_TRUE(CookieJar::Open(path, kNow)) << "all that is not over has room";

  const std::string long_path = "a.long.test\tFALSE\t/" + std::string(1'100, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {full + Line("b.site.test", "more", "hunter2"), "cookies.txt:51: "},
      {Line("a.test", "a", "1") + Line("a.long.test", "long", std::string(4'500, 'v')),
       "cookies.txt:2: "},
      {long_path + "\tFALSE\t0\ta\thunter2\n", "cookies.txt:1: "}};
  for (const auto& [text, place] : cases) {
    tests::WriteFile(path, text);
    const auto refused = CookieJar::Open(path, kNow);
    ASSERT_FALSE(refused) << place;
    EXPECT_THAT(refused.error().message, HasSubstr(place));
    EXPECT_THAT(refused.error().message, HasSubstr("give a copy"));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
    EXPECT_EQ(tests::ReadFile(path), text);
  }
  tests::WriteFile(path, Line("a.test", "a", "1") + Line("b.test", "a", "1"));
  const auto refused = CookieJar::Open(path, kNow, {.bytes_max = 200});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cookies.txt:2: "));
}

TEST(CookieJarTest, TheFileKeepsWhichCookiesAreHttpOnly) {
  const tests::TempFolder folder;
  const std::string path = (folder.path() / "cookies.txt").string();
  tests::WriteFile(path,
                   "#HttpOnly_" + Line("a.test", "marked", "1") + Line("a.test", "open", "1"));
  auto jar = CookieJar::Open(path, kNow);
  ASSERT_TRUE(jar) << jar.error().message;
  (*jar)->Set(At("http://b.test/"), "given=1; httpOnly; Domain=b.test", kNow);
  EXPECT_TRUE((*jar)->Save(kNow));
  const std::string saved = tests::ReadFile(path);
  EXPECT_THAT(saved, HasSubstr("\n#HttpOnly_a.test\tFALSE\t/\tFALSE\t0\tmarked\t1\n"));
  EXPECT_THAT(saved, HasSubstr("\na.test\tFALSE\t/\tFALSE\t0\topen\t1\n"));
  EXPECT_THAT(saved, HasSubstr("\n#HttpOnly_.b.test\tTRUE\t/\tFALSE\t0\tgiven\t1\n"));
}

// ---- As others have it

TEST(CookieSuiteTest, HttpState) {
  const auto file = tests::SharedFolder("suites/cookies/http-state-A.jsonl");
  if (!file) GTEST_SKIP() << tests::kNoShared;
  const std::set<std::string> left_out = {
      "0028",                  // its expectation is a response, no Cookie field
      "disabled-chromium0023"  // a CR within a field: we refuse controls, as RFC 6265bis does
  };
  std::ifstream lines(*file);
  int cases = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto test = nlohmann::json::parse(line);
    const std::string name = test.at("name");
    if (left_out.contains(name)) continue;
    const auto url = At("http://home.example.org:8888/cookie-parser?" + name);
    auto target = At("http://home.example.org:8888/cookie-parser-result?" + name);
    CookieJar jar;
    std::istringstream fields(
        tests::FromBase64(test.at("request_response_b64").get<std::string>()));
    for (std::string field; std::getline(fields, field);) {
      const std::size_t colon = field.find(':');
      if (field.starts_with("Set-Cookie:")) jar.Set(url, field.substr(colon + 1), kNow);
      if (field.starts_with("Location:")) {
        target = *frontier::Url::Resolve(url, field.substr(colon + 1));
      }
    }
    std::string expected =
        tests::FromBase64(test.at("expected_cookie_header_b64").get<std::string>());
    while (expected.ends_with('\n')) expected.pop_back();
    const std::string sent = jar.FieldFor(target, kNow);
    EXPECT_EQ(sent.empty() ? "" : "Cookie: " + sent, expected) << name;
    ++cases;
  }
  EXPECT_EQ(cases, 110);
}

TEST(CookieSuiteTest, Dates) {
  int cases = 0;
  for (const char* name : {"examples", "bsd-examples"}) {
    const auto file = tests::SharedFolder("suites/cookies/dates/" + std::string(name) + ".json");
    if (!file) GTEST_SKIP() << tests::kNoShared;
    std::ifstream input(*file);
    const auto all = nlohmann::json::parse(input, nullptr, true, /*ignore_comments=*/true);
    for (const auto& test : all) {
      const std::string text = test.at("test");
      const auto date = ParseCookieDate(text);
      ++cases;
      if (test.at("expected").is_null()) {
        EXPECT_FALSE(date.has_value()) << text;
        continue;
      }
      const auto expected =
          ParseHttpDate(test.at("expected").get<std::string>(), base::SystemClock().WallNow());
      ASSERT_TRUE(expected.has_value()) << test;
      EXPECT_EQ(date, expected) << text;
    }
  }
  EXPECT_GT(cases, 30);
}

// ---- Over the wire

TEST(CookieFetchTest, CookiesGoBackToTheirSiteOnlyAlsoAfterARedirect) {
  using tests::RawServer;
  base::Mutex mutex;
  std::vector<std::string> heads;
  RawServer server([&](RawServer::Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      base::MutexLock lock(mutex);
      heads.push_back(head);
      client.Send(
          "HTTP/1.1 302 Found\r\nLocation: http://b.test/\r\nSet-Cookie: id=hunter2\r\n"
          "Set-Cookie:\r\n folded=hunter2;\r\n\tPath=/\r\nSet-Cookie : blank=hunter2\r\n"
          "Set-Cookie: evil=1; Domain=b.test\r\nX-Two: a\r\n b\r\nContent-Length: 0\r\n\r\n");
    }
  });
  FetcherOptions options = tests::LoopbackOptions();
  options.transfers_max = 1;
  options.keep_raw = true;
  const std::string port = std::to_string(server.port());
  for (const char* host : {"a.test", "b.test"}) {
    options.resolve.push_back(std::string(host) + ":" + port + ":127.0.0.1");
  }
  const base::SystemClock clock;
  auto jar = std::make_shared<CookieJar>();
  auto fetcher = CurlFetcher::Create(options, clock, jar);
  ASSERT_TRUE(fetcher) << fetcher.error().message;
  tests::ListSource source({"http://a.test:" + port + "/", "http://b.test:" + port + "/",
                            "http://a.test:" + port + "/again"});
  (*fetcher)->Run(source);
  base::MutexLock lock(mutex);
  ASSERT_EQ(heads.size(), 3u);
  EXPECT_THAT(heads[0], Not(HasSubstr("Cookie:")));
  EXPECT_THAT(heads[1], Not(HasSubstr("Cookie:"))) << "one handle, another host";
  EXPECT_THAT(heads[2], HasSubstr("id=hunter2"));
  EXPECT_THAT(heads[2], HasSubstr("folded=hunter2"));
  EXPECT_THAT(heads[2], HasSubstr("blank=hunter2"));
  for (const auto& [ticket, response] : source.responses) {
    ASSERT_TRUE(response.raw.has_value());
    EXPECT_THAT(response.raw->response_head, HasSubstr("Set-Cookie: ***\r\n"));
    EXPECT_THAT(response.raw->response_head, Not(HasSubstr("hunter2")));
    EXPECT_THAT(response.raw->response_head, HasSubstr("X-Two: a\r\n b\r\n"));
  }
}

TEST(CookieFetchTest, WithoutAJarNoneAreSent) {
  std::atomic<int> sent{0};
  tests::RawServer server([&](tests::RawServer::Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      if (head.find("Cookie:") != std::string::npos) ++sent;
      client.Send("HTTP/1.1 200 OK\r\nSet-Cookie: id=1\r\nContent-Length: 0\r\n\r\n");
    }
  });
  tests::FetchAll({server.Url("/1"), server.Url("/2"), server.Url("/3")});
  EXPECT_EQ(sent.load(), 0);
}

}  // namespace
}  // namespace crawler

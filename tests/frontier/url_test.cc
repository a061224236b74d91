#include "frontier/url.h"

#include <curl/urlapi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "frontier/url_host.h"
#include "tests/frontier/property.h"

namespace frontier {
namespace {

/// The canonical text, or "refused: " and why.
std::string Canonical(std::string_view text, const UrlRules& rules = {}) {
  base::Result<Url> url = Url::Parse(text, rules);
  return url ? url->text() : "refused: " + url.error().message;
}

std::string Resolved(std::string_view base, std::string_view href) {
  base::Result<Url> url = Url::Resolve(Url::Parse(base).value(), href);
  return url ? url->text() : "refused: " + url.error().message;
}

bool Refused(std::string_view text) { return !Url::Parse(text).has_value(); }

TEST(UrlTest, ShowsItsParts) {
  Url url = Url::Parse("HTTPS://user:pw@WWW.Example.com:08443/a/./b/../c?x=1&y#top").value();
  EXPECT_EQ(url.text(), "https://www.example.com:8443/a/c?x=1&y");
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_EQ(url.host(), "www.example.com");
  EXPECT_EQ(url.port(), 8443);
  EXPECT_EQ(url.authority(), "www.example.com:8443");
  EXPECT_EQ(url.origin(), "https://www.example.com:8443");
  EXPECT_EQ(url.path(), "/a/c");
  EXPECT_EQ(url.query(), "x=1&y");
  EXPECT_EQ(url.path_and_query(), "/a/c?x=1&y");
}

TEST(UrlTest, ShowsThePartsOfAnAddressInBrackets) {
  Url plain = Url::Parse("http://[::FFFF:127.0.0.1]").value();
  EXPECT_EQ(plain.host(), "[::ffff:7f00:1]");
  EXPECT_EQ(plain.port(), 80);
  EXPECT_EQ(plain.path(), "/");
  EXPECT_EQ(plain.query(), "");
  Url ported = Url::Parse("https://[1:0:0:0:0:0:0:2]:81/?").value();
  EXPECT_EQ(ported.text(), "https://[1::2]:81/?");
  EXPECT_EQ(ported.host(), "[1::2]");
  EXPECT_EQ(ported.port(), 81);
}

TEST(UrlTest, ComparesAndHashesByText) {
  Url a = Url::Parse("http://a/").value();
  Url b = Url::Parse("HTTP://A:80#x").value();
  Url c = Url::Parse("http://b/").value();
  EXPECT_EQ(a, b);
  EXPECT_LT(a, c);
  EXPECT_EQ(std::unordered_set<Url>({a, b, c}).size(), 2U);
}

TEST(UrlTest, CanonicalForms) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"http://example.com", "http://example.com/"},
      {"  http://example.com/ \n", "http://example.com/"},
      {"ht\ntp://exa\tmple.com/a\r\nb", "http://example.com/ab"},
      {"http:\\\\example.com\\a\\b", "http://example.com/a/b"},
      {"http:example.com", "http://example.com/"},
      {"http:////example.com/", "http://example.com/"},
      {"http://example.com:/", "http://example.com/"},
      {"http://example.com:80/", "http://example.com/"},
      {"https://example.com:443/", "https://example.com/"},
      {"https://example.com:80/", "https://example.com:80/"},
      {"http://example.com//a//", "http://example.com//a//"},
      {"http://example.com/a b", "http://example.com/a%20b"},
      {"http://example.com/\"<>`{}^", "http://example.com/%22%3C%3E%60%7B%7D%5E"},
      {"http://example.com/?'\"<>`{}^|", "http://example.com/?%27%22%3C%3E`{}^|"},
      {"http://example.com/é?é", "http://example.com/%C3%A9?%C3%A9"},
      {"http://example.com/\xff", "http://example.com/%FF"},
      {"http://example.com/%7euser/%c3%a9", "http://example.com/~user/%C3%A9"},
      {"http://example.com/100%", "http://example.com/100%"},
      // Resolving the inner escapes would make new ones.
      {"http://example.com/%%34%31", "http://example.com/%%341"},
      {"http://example.com/%4%31", "http://example.com/%4%31"},
      {"http://example.com/?a=%2&b=%41", "http://example.com/?a=%2&b=A"},
  };
  for (const auto& [text, canonical] : kCases) EXPECT_EQ(Canonical(text), canonical) << text;
}

TEST(UrlTest, ResolvesReferences) {
  const std::string base = "http://a.example/b/c/d;p?q";
  const std::vector<std::pair<std::string, std::string>> kCases = {
      // RFC 3986 section 5.4, less fragments.
      {"g", "http://a.example/b/c/g"},
      {"./g/", "http://a.example/b/c/g/"},
      {"/g", "http://a.example/g"},
      {"//g", "http://g/"},
      {"?y", "http://a.example/b/c/d;p?y"},
      {"", "http://a.example/b/c/d;p?q"},
      {"#s", "http://a.example/b/c/d;p?q"},
      {"..", "http://a.example/b/"},
      {"../..", "http://a.example/"},
      {"../../../../g", "http://a.example/g"},
      {"g?y/../x", "http://a.example/b/c/g?y/../x"},
      {"http:g", "http://a.example/b/c/g"},
      {"https:g", "https://g/"},
      {"\\\\g\\h", "http://g/h"},
      {"\\h", "http://a.example/h"},
      {"?", "http://a.example/b/c/d;p?"},
  };
  for (const auto& [href, absolute] : kCases) EXPECT_EQ(Resolved(base, href), absolute) << href;
}

TEST(UrlTest, DropsNamedParameters) {
  UrlRules rules{.drop_parameters = {"PHPSESSID", "utm_*"}};
  EXPECT_EQ(Canonical("http://a/?PHPSESSID=1&b=2", rules), "http://a/?b=2");
  EXPECT_EQ(Canonical("http://a/?b=2&utm_source=x&c&utm_=", rules), "http://a/?b=2&c");
  EXPECT_EQ(Canonical("http://a/?utm_source=x&PHPSESSID", rules), "http://a/");
  EXPECT_EQ(Canonical("http://a/?phpsessid=1", rules), "http://a/?phpsessid=1");
  EXPECT_EQ(Canonical("http://a/?%75tm_x=1&b", rules), "http://a/?b");
  EXPECT_EQ(Canonical("http://a/?xutm_x=1", rules), "http://a/?xutm_x=1");
  EXPECT_EQ(Canonical("http://a/?", rules), "http://a/?");
  // What is left does not depend on how one that is dropped ended.
  EXPECT_EQ(Canonical("http://a/?utm_a=%&%6A", rules), "http://a/?j");
  EXPECT_EQ(Canonical("http://a/?b=%&%6A", rules), "http://a/?b=%&j");
}

TEST(UrlTest, TakesBackItsText) {
  for (const char* text : {"http://a/", "https://a:8/b?c", "http://[::1]:81/", "http://a/?"}) {
    Url parsed = Url::Parse(text).value();
    Url again = Url::FromCanonical(parsed.text());
    EXPECT_EQ(again, parsed);
    EXPECT_EQ(again.host(), parsed.host());
    EXPECT_EQ(again.port(), parsed.port());
    EXPECT_EQ(again.path(), parsed.path());
    EXPECT_EQ(again.query(), parsed.query());
  }
}

// Rows of the catalogue of hostile inputs.

TEST(HostileUrlTest, Row38RelativeLocationsOfEverySort) {
  EXPECT_EQ(Resolved("https://a/b", "//h"), "https://h/");
  EXPECT_EQ(Resolved("https://a/b", "\\c"), "https://a/c");
  EXPECT_EQ(Resolved("https://a/b", " c d "), "https://a/c%20d");
  EXPECT_EQ(Resolved("https://a/b", "é"), "https://a/%C3%A9");
  EXPECT_NE(Resolved("https://a/b", "\x01x\x01y").find("control byte"), std::string::npos);
}

TEST(HostileUrlTest, Row42AddressesInEverySpelling) {
  for (const char* host :
       {"2130706433", "0x7f000001", "0x7f.1", "017700000001", "127.1", "127.0.0.1", "127.0.0.1.",
        "0X7F.0.0.0x1", "127.0x0.0.01", "%31%32%37.1"}) {
    EXPECT_EQ(Canonical(std::string("http://") + host), "http://127.0.0.1/") << host;
  }
  EXPECT_EQ(Canonical("http://0/"), "http://0.0.0.0/");
  EXPECT_TRUE(Refused("http://256.0.0.1/"));
  EXPECT_TRUE(Refused("http://1.2.3.4.5/"));
  EXPECT_TRUE(Refused("http://4294967296/"));
  EXPECT_TRUE(Refused("http://foo.0x/"));
}

TEST(HostileUrlTest, Row43CircledDigitsAndIdeographicStops) {
  EXPECT_EQ(Canonical("http://①②⑦.⓪.⓪.①/"), "http://127.0.0.1/");
  EXPECT_EQ(Canonical("http://127。0。0。1/"), "http://127.0.0.1/");
  EXPECT_EQ(Canonical("http://example。com/"), "http://example.com/");
}

TEST(HostileUrlTest, Row44AddressesInBrackets) {
  EXPECT_EQ(Canonical("http://[::ffff:127.0.0.1]/"), "http://[::ffff:7f00:1]/");
  EXPECT_EQ(Canonical("http://[::FFFF:7F00:1]/"), "http://[::ffff:7f00:1]/");
  EXPECT_EQ(Canonical("http://[0:0:0:0:0:0:0:1]/"), "http://[::1]/");
  EXPECT_EQ(Canonical("http://[1:0:0:2:0:0:0:3]/"), "http://[1:0:0:2::3]/");
  EXPECT_EQ(Canonical("http://[1:0:2:0:3:0:4:0]/"), "http://[1:0:2:0:3:0:4:0]/");
  EXPECT_TRUE(Refused("http://[fe80::1%25eth0]/"));
  EXPECT_TRUE(Refused("http://[::1"));
  EXPECT_TRUE(Refused("http://[::1]x/"));
  EXPECT_TRUE(Refused(std::string_view("http://[::1\0evil.test]/", 23)));
}

TEST(HostileUrlTest, Row49UserInfoIsStripped) {
  EXPECT_EQ(Canonical("http://user:pass@host/"), "http://host/");
  EXPECT_EQ(Canonical("http://good.com@evil/"), "http://evil/");
  EXPECT_EQ(Canonical("http://a@b@c/"), "http://c/");
  EXPECT_TRUE(Refused("http://user@/"));
}

TEST(HostileUrlTest, Row50EveryoneReadsTheSameHost) {
  EXPECT_EQ(Canonical("http://a\\@b/"), "http://a/@b/");
  EXPECT_EQ(Canonical("http://a#@b/"), "http://a/");
  EXPECT_EQ(Canonical("http://a?@b/"), "http://a/?@b/");
  EXPECT_EQ(Canonical("http://a\t.b/"), "http://a.b/");
  EXPECT_TRUE(Refused("http://a b/"));
}

TEST(HostileUrlTest, Row51NamesInPunycode) {
  EXPECT_EQ(Canonical("http://Bücher.example/"), "http://xn--bcher-kva.example/");
  EXPECT_EQ(Canonical("http://b%C3%BCcher.example/"), "http://xn--bcher-kva.example/");
  EXPECT_EQ(Canonical("http://XN--BCHER-KVA.example/"), "http://xn--bcher-kva.example/");
  EXPECT_EQ(Canonical("http://faß.de/"), "http://xn--fa-hia.de/");
  EXPECT_TRUE(Refused("http://xn--/"));
  EXPECT_TRUE(Refused("http://xn--pokxncvks/"));
  EXPECT_TRUE(Refused("http://a\xff.example/"));
  EXPECT_TRUE(Refused("http://a..b/"));
  EXPECT_TRUE(Refused("http://" + std::string(64, 'a') + ".example/"));
}

TEST(HostileUrlTest, Row53LengthIsCheckedFirst) {
  std::string text = "http://a/" + std::string(2048 - 9, 'x');
  EXPECT_EQ(Canonical(text), text);
  EXPECT_TRUE(Refused(text + "x"));
  EXPECT_TRUE(Refused("http://a/" + std::string(2 << 20, '\t')));
  // Short as it stands, too long when escaped or resolved.
  EXPECT_TRUE(Refused("http://a/" + std::string(1000, ' ') + "x"));
  EXPECT_FALSE(Url::Resolve(Url::Parse("http://a/" + std::string(1500, 'x') + "/").value(),
                            std::string(1500, 'y'))
                   .has_value());
}

TEST(HostileUrlTest, Row55OnlyHttpAndHttps) {
  for (const char* text :
       {"javascript:alert(1)", "data:text/html,x", "mailto:a@b", "tel:1", "blob:http://a/b",
        "about:blank", "ftp://a/", "file:///etc/passwd", "httpx://a/", "ht%74p://a/"}) {
    EXPECT_TRUE(Refused(text)) << text;
  }
  EXPECT_NE(Resolved("http://a/", "javascript:1").find("neither http nor https"),
            std::string::npos);
}

TEST(HostileUrlTest, Row57ControlBytes) {
  EXPECT_EQ(Canonical("http://a/\tb\nc\rd"), "http://a/bcd");
  for (char c : {'\x01', '\x0b', '\x1b', '\x1f', '\x7f', '\0'}) {
    EXPECT_TRUE(Refused(std::string("http://a/b") + c + "c")) << int{c};
    EXPECT_TRUE(Refused(std::string("http://a/?b") + c + "c")) << int{c};
    EXPECT_TRUE(Refused(std::string("http://a") + c + "c/")) << int{c};
  }
  // Escaped ones are data.
  EXPECT_EQ(Canonical("http://a/%00%1b"), "http://a/%00%1B");
}

TEST(HostileUrlTest, Row58OneCanonicalForm) {
  for (const char* text :
       {"http://a.example/c", "http://A.EXAMPLE:080/c", "http://a.example.:0000080/c",
        "http://a.example:/c", "http://a.example/b/%2e%2e/c", "http://a.example/b/.%2E/c",
        "http://a.example/%2e/%63", "HTTP://a.example/../c"}) {
    EXPECT_EQ(Canonical(text), "http://a.example/c") << text;
  }
  EXPECT_EQ(Canonical("http://a:018080/"), "http://a:18080/");
  EXPECT_EQ(Canonical("http://a/%252e%252e/b"), "http://a/%252e%252e/b");
  EXPECT_TRUE(Refused("http://a:65536/"));
  EXPECT_TRUE(Refused("http://a:8x/"));
}

TEST(HostTest, KnowsAddresses) {
  for (const char* host : {"127.0.0.1", "[::1]"}) EXPECT_TRUE(IsAddress(host));
  for (const char* host : {"localhost", "a.b", "1.example", "1a"}) EXPECT_FALSE(IsAddress(host));
}

// Properties.

/// Text made of what parsers trip over.
std::string GenerateHref() {
  static const std::vector<std::string> kPieces = {"http:",
                                                   "https:",
                                                   "HTTP:",
                                                   "//",
                                                   "/",
                                                   "\\",
                                                   "..",
                                                   ".",
                                                   "%2e",
                                                   "%2E",
                                                   "%",
                                                   "%4",
                                                   "%41",
                                                   "%7e",
                                                   "%c3",
                                                   "?",
                                                   "#",
                                                   "@",
                                                   ":",
                                                   "80",
                                                   "443",
                                                   ":0",
                                                   "a",
                                                   "b.example",
                                                   "é",
                                                   "①",
                                                   "。",
                                                   "xn--",
                                                   "xn--bcher-kva",
                                                   "[",
                                                   "]",
                                                   "::1",
                                                   "0x7f",
                                                   "127.1",
                                                   "&",
                                                   "=",
                                                   " ",
                                                   "\t",
                                                   "\n",
                                                   "\x01",
                                                   "\x7f",
                                                   "\xff",
                                                   "'",
                                                   "\"",
                                                   "|",
                                                   "^",
                                                   "{",
                                                   "~",
                                                   "-",
                                                   "utm_x",
                                                   ";",
                                                   "+"};
  auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces));
  std::string text = *rc::gen::element<std::string>("", "http://", "https://a", "http://a.b/");
  for (const std::string& piece : pieces) text += piece;
  return text;
}

void CheckCanonical(const Url& url, const UrlRules& rules) {
  for (char c : url.text()) RC_ASSERT(c > 0x20 && c < 0x7f);
  RC_ASSERT(url.text().size() <= rules.url_bytes_max);
  base::Result<Url> again = Url::Parse(url.text(), rules);
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->text() == url.text());
  RC_ASSERT(url.path().substr(0, 1) == "/");
  RC_ASSERT(!url.host().empty());
}

TEST(UrlPropertyTest, NormalisingTwiceIsNormalisingOnce) {
  EXPECT_TRUE(tests::Holds([] {
    UrlRules rules = *rc::gen::element(UrlRules(), UrlRules::Whatwg(),
                                       UrlRules{.drop_parameters = {"a", "utm_*"}});
    base::Result<Url> url = Url::Parse(GenerateHref(), rules);
    RC_CLASSIFY(url.has_value(), "accepted");
    if (url) CheckCanonical(*url, rules);
  }));
}

TEST(UrlPropertyTest, ResolvingAnAbsoluteUrlIsParsingIt) {
  EXPECT_TRUE(tests::Holds([] {
    base::Result<Url> url = Url::Parse(GenerateHref());
    Url base = Url::Parse("https://base.example/x/y?z").value();
    if (!url) return;
    RC_ASSERT(Url::Resolve(base, url->text()).value() == *url);
    // Any href resolved is canonical too.
    base::Result<Url> link = Url::Resolve(*url, GenerateHref());
    if (link) CheckCanonical(*link, UrlRules());
  }));
}

std::string CurlReads(CURLU* handle, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, part, &text, flags) != CURLUE_OK) return std::string();
  const std::string read = text;
  curl_free(text);
  return read;
}

// libcurl, which will connect, sees in every URL what we see; also in those of which it is not
// asked because nothing in them could be read otherwise.
TEST(UrlPropertyTest, LibcurlReadsWhatWeRead) {
  std::mt19937_64 random(8);
  constexpr std::string_view kHost = "abcxyz0189-.";
  constexpr std::string_view kRest = "abXZ09-_.~/=&?%2e+;@:!";
  const auto letters = [&random](std::string_view from, std::size_t most) {
    std::string text;
    for (std::size_t n = random() % (most + 1); n > 0; --n) text += from[random() % from.size()];
    return text;
  };
  int read = 0;
  for (int i = 0; i < 30'000; ++i) {
    const auto url = Url::Parse((random() % 2 == 0 ? "http://" : "https://") + letters(kHost, 12) +
                                (random() % 4 == 0 ? ":8090/" : "/") + letters(kRest, 30));
    if (!url) continue;
    ++read;
    CURLU* const handle = curl_url();
    ASSERT_EQ(curl_url_set(handle, CURLUPART_URL, url->text().c_str(), CURLU_DISALLOW_USER),
              CURLUE_OK)
        << url->text();
    ASSERT_EQ(CurlReads(handle, CURLUPART_HOST), url->host()) << url->text();
    ASSERT_EQ(CurlReads(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT), std::to_string(url->port()));
    ASSERT_EQ(CurlReads(handle, CURLUPART_PATH), url->path()) << url->text();
    ASSERT_EQ(CurlReads(handle, CURLUPART_QUERY), url->query()) << url->text();
    curl_url_cleanup(handle);
  }
  EXPECT_GT(read, 10'000);
}

TEST(UrlPropertyTest, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(tests::Holds([](const std::string& bytes) {
    (void)Url::Parse(bytes);
    base::Result<Url> url = Url::Parse("http://" + bytes);
    if (url) CheckCanonical(*url, UrlRules());
    url = Url::Resolve(Url::FromCanonical("http://a/b"), bytes);
    if (url) CheckCanonical(*url, UrlRules());
  }));
}

TEST(UrlPropertyTest, EquivalentSpellingsMeet) {
  EXPECT_TRUE(tests::Holds([] {
    // Escaping any unreserved character of a path changes nothing.
    auto path = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019-_~/")));
    std::string escaped;
    for (char c : path) {
      if (c != '/' && *rc::gen::arbitrary<bool>()) {
        constexpr char kLower[] = "0123456789abcdef";
        escaped += {'%', kLower[c >> 4], kLower[c & 15]};
      } else {
        escaped += c;
      }
    }
    RC_ASSERT(Url::Parse("http://h/" + path).value() ==
              Url::Parse("HTTP://H:80/./" + escaped + "#x").value());
  }));
}

}  // namespace
}  // namespace frontier

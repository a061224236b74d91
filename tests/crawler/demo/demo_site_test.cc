#include "crawler/demo/demo_site.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "contentseen/compare.h"
#include "contentseen/digest.h"

namespace crawler {
namespace {

constexpr int kPort = 8090;
const std::string kScheme = "http://";
const std::string kPortText = ":8090";

class DemoSiteTest : public ::testing::Test {
 protected:
  const DemoPage* Find(std::string_view url) const {
    url.remove_prefix(kScheme.size());
    const std::size_t port = url.find(kPortText);
    return site_.Find(url.substr(0, port), url.substr(port + kPortText.size()));
  }
  /// Visible text of our own, well-formed pages.
  static std::string TextOf(const DemoPage& page) {
    std::string text;
    std::string_view html = page.body;
    html.remove_prefix(html.find("<body>"));
    while (!html.empty()) {
      if (html.front() != '<') {
        const std::size_t end = std::min(html.find('<'), html.size());
        text += html.substr(0, end);
        html.remove_prefix(end);
        continue;
      }
      for (const std::string_view name : {"style", "script"}) {
        if (html.substr(1).starts_with(name)) html.remove_prefix(html.find("</"));
      }
      // Only inline tags do not part words; our pages have none of these within words.
      text += ' ';
      html.remove_prefix(std::min(html.find('>') + 1, html.size()));
    }
    return text;
  }
  std::string TextOf(const std::string& url) const {
    const DemoPage* page = Find(url);
    EXPECT_NE(page, nullptr) << url;
    return page == nullptr ? std::string() : TextOf(*page);
  }
  static bool IsDuplicate(Disposition disposition) {
    return disposition == Disposition::kExactBytes || disposition == Disposition::kExactText ||
           disposition == Disposition::kNear;
  }

  /// The absolute form of a page's link: absolute already, from the root, or beside the page.
  static std::string Resolve(const std::string& base, const std::string& href) {
    if (href.starts_with(kScheme)) return href;
    const std::size_t path = base.find('/', kScheme.size());
    if (href.starts_with("/")) return base.substr(0, path) + href;
    const std::string folder = base.substr(0, base.rfind('/') + 1);
    return href == "./" ? folder : folder + href;
  }
  static std::vector<std::string> LinksOf(const std::string& url, const DemoPage& page) {
    if (!page.location.empty()) return {Resolve(url, page.location)};
    std::vector<std::string> links;
    const std::string mark = "href=\"";
    for (std::size_t at = page.body.find(mark); at != std::string::npos;
         at = page.body.find(mark, at)) {
      at += mark.size();
      links.push_back(Resolve(url, page.body.substr(at, page.body.find('"', at) - at)));
    }
    return links;
  }

  const DemoSite site_{kPort};
};

TEST_F(DemoSiteTest, NearCopiesAreNearAndKeptPagesFar) {
  const contentseen::ContentSeenOptions options;
  for (const DemoCase& c : site_.cases()) {
    for (std::size_t i = 0; i < c.urls.size(); ++i) {
      for (std::size_t j = i + 1; j < c.urls.size(); ++j) {
        const auto result = contentseen::Compare(options, TextOf(c.urls[i]), TextOf(c.urls[j]));
        const std::string place =
            c.name + ": " + c.urls[i] + " " + c.urls[j] + " " + std::to_string(result.distance);
        if (c.expected == Disposition::kNear) {
          EXPECT_EQ(result.kind, contentseen::Kind::kNear) << place;
          EXPECT_LE(result.distance, 2) << place;
        } else if (c.expected == Disposition::kStored) {
          EXPECT_EQ(result.kind, contentseen::Kind::kNew) << place;
          EXPECT_GT(result.distance, 10) << place;
        } else if (c.expected == Disposition::kExactText) {
          EXPECT_EQ(result.kind, contentseen::Kind::kExactText) << place;
          EXPECT_NE(Find(c.urls[i])->body, Find(c.urls[j])->body) << place;
        } else if (c.expected == Disposition::kExactBytes) {
          EXPECT_EQ(Find(c.urls[i])->body, Find(c.urls[j])->body) << place;
        }
      }
    }
  }
}

TEST_F(DemoSiteTest, PagesOfDifferentCasesAreFarApart) {
  const contentseen::ContentSeenOptions options;
  std::vector<std::pair<std::string, std::string>> texts;
  for (const DemoCase& c : site_.cases()) {
    if (c.expected == Disposition::kStored) {
      for (const std::string& url : c.urls) texts.emplace_back(url, TextOf(url));
    } else if (IsDuplicate(c.expected)) {
      texts.emplace_back(c.urls[0], TextOf(c.urls[0]));
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      EXPECT_GT(contentseen::Compare(options, texts[i].second, texts[j].second).distance, 10)
          << texts[i].first << " " << texts[j].first;
    }
  }
}

TEST_F(DemoSiteTest, CasesDoNotOverlap) {
  std::set<std::string> urls;
  std::set<std::string> names;
  for (const DemoCase& c : site_.cases()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_GE(c.urls.size(), IsDuplicate(c.expected) ? 2u : 1u) << c.name;
    for (const std::string& url : c.urls) EXPECT_TRUE(urls.insert(url).second) << url;
  }
}

TEST_F(DemoSiteTest, AnswersAreWhatTheCasesSay) {
  for (const DemoCase& c : site_.cases()) {
    for (const std::string& url : c.urls) {
      const DemoPage* page = Find(url);
      if (c.expected == Disposition::kClientError) {
        EXPECT_EQ(page, nullptr) << url;
        continue;
      }
      ASSERT_NE(page, nullptr) << url;
      EXPECT_EQ(page->status / 100, c.expected == Disposition::kRedirected ? 3 : 2) << url;
      if (c.expected == Disposition::kEmpty) {
        EXPECT_EQ(TextOf(*page).find_first_not_of(" \n"), std::string::npos) << url;
      }
    }
  }
}

// The crawl in small: of each group of copies the first, or the last, to be met is stored and only
// its links are followed. All pages are found either way.
TEST_F(DemoSiteTest, EveryPageIsReachedWhicheverCopyIsFirst) {
  std::map<std::string, const DemoCase*> groups;
  for (const DemoCase& c : site_.cases()) {
    if (!IsDuplicate(c.expected)) continue;
    for (const std::string& url : c.urls) groups[url] = &c;
  }
  for (const bool breadth_first : {true, false}) {
    std::set<std::string> seen(site_.seeds().begin(), site_.seeds().end());
    std::deque<std::string> queue(site_.seeds().begin(), site_.seeds().end());
    std::set<const DemoCase*> stored;
    std::size_t pages = 0;
    while (!queue.empty()) {
      const std::string url = breadth_first ? queue.front() : queue.back();
      breadth_first ? queue.pop_front() : queue.pop_back();
      const DemoPage* page = Find(url);
      if (page == nullptr) continue;
      ++pages;
      const auto group = groups.find(url);
      if (group != groups.end() && !stored.insert(group->second).second) continue;
      for (const std::string& link : LinksOf(url, *page)) {
        if (seen.insert(link).second) queue.push_back(link);
      }
    }
    EXPECT_EQ(pages, site_.pages());
  }
  EXPECT_GE(site_.pages(), 60u);
  EXPECT_LE(site_.pages(), 120u);
}

TEST_F(DemoSiteTest, ArticlesHaveSeveralHundredWords) {
  std::size_t words = 0;
  for (const char c : TextOf("http://news.localhost:8090/harbour/story-1.html")) words += c == ' ';
  EXPECT_GE(words, 300u);
}

}  // namespace
}  // namespace crawler

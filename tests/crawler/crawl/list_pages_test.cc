#include <string>

#include "tests/crawler/crawl/crawl_fixture.h"

namespace crawler {
namespace {

// Pages that differ by a list alone: if one is taken for another, what only it links to is lost.
// `before` and `after` are the tags around the list and what stands on all of the pages.
class ListPagesTest : public CrawlTest {
 protected:
  static constexpr int kPages = 8;
  static constexpr int kEntries = 20;

  CrawlSnapshot CrawlLists(const std::string& before, const std::string& after) {
    std::string menu = "<header><nav><ul>";
    for (int i = 0; i < 40; ++i) menu += "<li>" + Prose(1'000 + i, 4) + "</li>";
    menu += "</ul>";
    for (int page = 0; page < kPages; ++page) {
      menu += "<a href=/index/" + std::to_string(page) + ">" + std::string(1, 'A' + page) + "</a>";
    }
    menu += "</nav></header>";
    web_.Page("http://a.test/", menu + "<main><p>" + Prose(3'001, 200) + "</p></main>");
    for (int page = 0; page < kPages; ++page) {
      std::string list = "<ul>";
      for (int i = 0; i < kEntries; ++i) {
        const int entry = 1 + page * kEntries + i;
        const std::string url = "/entry/" + std::to_string(entry);
        list += "<li><a href=" + url + ">" + Prose(5'000 + entry, 3) + "</a></li>";
        web_.Page("http://a.test" + url, menu + "<main><p>" + Prose(entry, 150) + "</p></main>");
      }
      web_.Page("http://a.test/index/" + std::to_string(page),
                menu + before + list + "</ul>" + after);
    }
    return Run({"http://a.test/"});
  }
  static constexpr std::uint64_t kAll = 1 + kPages + kPages * kEntries;
};

TEST_F(ListPagesTest, AListInANavigationWithinMainLosesNoPage) {
  const std::string intro = "<main><h1>Index</h1><p>" + Prose(3'000, 30) + "</p>";
  const CrawlSnapshot end = CrawlLists(intro + "<nav>", "</nav></main>");
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), kAll);
}

TEST_F(ListPagesTest, NorDoesOneInAnAsideOfAnArticle) {
  const std::string intro = "<article><h1>Index</h1><p>" + Prose(3'000, 12) + "</p>";
  const CrawlSnapshot end = CrawlLists(intro + "<aside>", "</aside></article>");
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), kAll);
}

TEST_F(ListPagesTest, NorDoesOneBesideMain) {
  const std::string intro = "<main><h1>Index</h1><p>" + Prose(3'000, 30) + "</p></main>";
  const CrawlSnapshot end = CrawlLists(intro + "<nav>", "</nav>");
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), kAll);
}

}  // namespace
}  // namespace crawler

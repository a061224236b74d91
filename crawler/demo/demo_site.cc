#include "crawler/demo/demo_site.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "base/check.h"
#include "crawler/demo/demo_abroad.h"
#include "crawler/demo/demo_prose.h"

namespace crawler {
namespace {

// Which prose stands on the pages that have a near copy or must be told apart. Chosen by trying:
// whether a copy is near is decided by some few of several thousand features.
constexpr std::uint64_t kPrintSeed = 1;
constexpr std::uint64_t kEditedSeed = 1;
constexpr std::uint64_t kLongReadSeed = 4;
constexpr std::uint64_t kBoatsSeed = 1;
constexpr std::size_t kLongReadSentences = 84;
constexpr std::size_t kArticleSentences = 20;

struct Section {
  std::string_view path;
  std::string_view name;
  DemoTopic topic;
  std::uint64_t seed;  // of its first article
};

constexpr std::array kSections = {
    Section{"/harbour/", "Harbour", DemoTopic::kHarbour, 100},
    Section{"/council/", "Council", DemoTopic::kCouncil, 200},
    Section{"/culture/", "Culture", DemoTopic::kCulture, 300},
    Section{"/sport/", "Sport", DemoTopic::kSport, 420},
};
constexpr std::uint64_t kArticlesPerSection = 5;
constexpr std::uint64_t kChapters = 7;
constexpr std::uint64_t kProducts = 10;

constexpr std::array<std::string_view, 8> kStations = {"harbour", "hill",   "airfield", "island",
                                                       "mill",    "cutter", "forest",   "school"};

std::string Link(std::string_view href, std::string_view text) {
  return "<a href=\"" + std::string(href) + "\">" + std::string(text) + "</a>";
}

std::string Item(const std::string& content) { return "<li>" + content + "</li>\n"; }

std::string Paragraphs(const std::vector<std::string>& paragraphs) {
  std::string html;
  for (const std::string& paragraph : paragraphs) html += "<p>" + paragraph + "</p>\n";
  return html;
}

std::string Html(std::string_view title, std::string_view body, std::string_view lang = "en") {
  return "<!DOCTYPE html>\n<html lang=\"" + std::string(lang) +
         "\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + std::string(title) +
         "</title>\n</head>\n<body>\n" + std::string(body) + "</body>\n</html>\n";
}

/// Two subjects in one long text, so that it resembles the articles on neither.
std::vector<std::string> LongRead(DemoTopic topic, DemoTopic other, std::uint64_t seed) {
  std::vector<std::string> text = DemoProse(topic, seed, kLongReadSentences / 2);
  const std::vector<std::string> more = DemoProse(other, seed, kLongReadSentences / 2);
  text.insert(text.end(), more.begin(), more.end());
  return text;
}

std::string Replaced(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  CHECK(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

}  // namespace

/// Fills a DemoSite, host by host.
class DemoSiteBuilder {
 public:
  DemoSiteBuilder(DemoSite& site, int port) : site_(site), port_(":" + std::to_string(port)) {}

  void Build() {
    BuildNews();
    BuildNewsCopies();
    BuildNewsOddities();
    BuildHandbook();
    BuildShop();
    BuildShopCopies();
    BuildWeather();
    BuildAbroad("zh", "茶与海", "zh", kDemoChinese);
    BuildAbroad("ja", "岬の便り", "ja", kDemoJapanese);
    BuildDirectory();
    BuildRobots();
    site_.seeds_ = {Url("directory", "/"), Url("news", "/"), Url("shop", "/")};
  }

 private:
  static std::string HostOf(std::string_view name) { return std::string(name) + ".localhost"; }

  std::string Url(std::string_view name, std::string_view target) const {
    return "http://" + HostOf(name) + port_ + std::string(target);
  }

  void Put(std::string_view name, std::string_view target, DemoPage page) {
    const bool is_new =
        site_.pages_.emplace(HostOf(name) + std::string(target), std::move(page)).second;
    CHECK(is_new);
  }
  void PutHtml(std::string_view name, std::string_view target, std::string body) {
    DemoPage page;
    page.body = std::move(body);
    Put(name, target, std::move(page));
  }
  void Case(std::string name, Disposition expected, std::vector<std::string> urls) {
    site_.cases_.push_back({std::move(name), expected, std::move(urls)});
  }
  /// Has the directory link to these URLs, so that they are found whatever happens.
  void List(const std::vector<std::string>& urls) {
    listed_.insert(listed_.end(), urls.begin(), urls.end());
  }
  void ListedCase(std::string name, Disposition expected, std::vector<std::string> urls) {
    List(urls);
    Case(std::move(name), expected, std::move(urls));
  }

  // The newspaper. Its links are absolute, as a paper's often are: whichever alias is stored, the
  // same pages follow.

  std::string NewsPage(std::string_view title, std::string_view content) const {
    std::string menu = "<ul class=\"menu\">\n" + Item(Link(Url("news", "/"), "Gazette"));
    for (const Section& section : kSections) {
      menu += Item(Link(Url("news", section.path), section.name));
    }
    return Html(title, menu + "</ul>\n<h1>" + std::string(title) + "</h1>\n" +
                           std::string(content) +
                           "<footer>The Port Ellery Gazette, Custom House, since 1871"
                           "</footer>\n");
  }

  static std::string ArticlePath(const Section& section, std::uint64_t number) {
    return std::string(section.path) + "story-" + std::to_string(number) + ".html";
  }

  void BuildNews() {
    std::string front =
        "<p>Tides, votes, songs and scores from Port Ellery and its islands, "
        "gathered on foot and printed overnight.</p>\n";
    for (const Section& section : kSections) {
      std::string list = "<ul>\n";
      std::vector<std::string> urls;
      for (std::uint64_t i = 1; i <= kArticlesPerSection; ++i) {
        const std::uint64_t seed = section.seed + i;
        const std::string path = ArticlePath(section, i);
        const std::string title = DemoHeadline(section.topic, seed);
        const auto text = DemoProse(section.topic, seed, kArticleSentences);
        PutHtml("news", path, NewsPage(title, Paragraphs(text)));
        const std::string teaser = text[0].substr(0, text[0].find(". ") + 1);
        list += Item(Link(Url("news", path), title) + "<br>" + teaser);
        urls.push_back(Url("news", path));
        if (i == 1) front += "<h2>" + std::string(section.name) + "</h2>\n<p>" + teaser + "</p>\n";
      }
      PutHtml("news", section.path, NewsPage(section.name, list + "</ul>\n"));
      Case("articles on a like subject: " + std::string(section.name), Disposition::kStored, urls);
    }
    const std::string home = NewsPage("The Port Ellery Gazette", front);
    PutHtml("news", "/", home);
    PutHtml("news", "/index.html", home);
    PutHtml("www.news", "/", home);
    ListedCase("www alias and index page", Disposition::kExactBytes,
               {Url("news", "/"), Url("news", "/index.html"), Url("www.news", "/")});
  }

  void BuildNewsCopies() {
    const auto report = DemoProse(DemoTopic::kHarbour, 901, kArticleSentences);
    const std::string tracked = NewsPage("A letter from the breakwater", Paragraphs(report));
    PutHtml("news", "/letters/breakwater", tracked);
    PutHtml("news", "/letters/breakwater?from=newsletter", tracked);
    ListedCase(
        "tracking parameter", Disposition::kExactBytes,
        {Url("news", "/letters/breakwater"), Url("news", "/letters/breakwater?from=newsletter")});
    BuildPrintVersion();
    BuildEditedArticle();
    BuildLongRead();
  }

  /// The menu is for the screen only, so it is missing; a line says where the sheet came from.
  void BuildPrintVersion() {
    const auto text = LongRead(DemoTopic::kCulture, DemoTopic::kSeamanship, kPrintSeed);
    const std::string title = "The night the organ played itself";
    const std::string content = "<h1>" + title + "</h1>\n" + Paragraphs(text);
    const std::string home = Link(Url("news", "/"), "Gazette");
    PutHtml("news", "/longreads/organ", Html(title, "<nav>" + home + "</nav>\n" + content));
    PutHtml("news", "/longreads/organ?view=print",
            Html(title, "<style>nav { display: none }</style>\n" + content + "<p>" + home +
                            "</p>\n<script>window.print()</script>\n"));
    ListedCase("print version", Disposition::kNear,
               {Url("news", "/longreads/organ"), Url("news", "/longreads/organ?view=print")});
  }

  void BuildEditedArticle() {
    const auto text = LongRead(DemoTopic::kCouncil, DemoTopic::kSport, kEditedSeed);
    const std::string title = "Budget night, hour by hour";
    const std::string first =
        NewsPage(title, Paragraphs(text) + "<p>The final count was 14 votes to 9.</p>\n");
    PutHtml("news", "/longreads/budget", first);
    PutHtml("news", "/longreads/budget-corrected",
            Replaced(first, "was 14 votes to 9", "was 15 votes to 9"));
    ListedCase("edited article", Disposition::kNear,
               {Url("news", "/longreads/budget"), Url("news", "/longreads/budget-corrected")});
  }

  /// The same article as three visitors get it: with other advertisements, time and counter.
  void BuildLongRead() {
    const auto text = LongRead(DemoTopic::kHarbour, DemoTopic::kWeather, kLongReadSeed);
    struct Visit {
      std::string_view target, advertisement, time, count;
    };
    constexpr std::array kVisits = {Visit{"/longreads/lamp", "chandlery", "08:15", "1024"},
                                    Visit{"/longreads/lamp?visit=2", "bakery", "08:16", "1025"},
                                    Visit{"/longreads/lamp?visit=3", "tailor", "08:31", "1061"}};
    std::vector<std::string> urls;
    for (const Visit& visit : kVisits) {
      PutHtml("news", visit.target,
              NewsPage("Changing the lamp",
                       Paragraphs(text) + "<p class=\"advertisement\">Visit our " +
                           std::string(visit.advertisement) + "</p>\n<p>Made at " +
                           std::string(visit.time) + " for visitor " + std::string(visit.count) +
                           "</p>\n"));
      urls.push_back(Url("news", visit.target));
    }
    ListedCase("other advertisements, timestamp and visitor counter", Disposition::kNear, urls);
  }

  void BuildNewsOddities() {
    PutHtml("news", "/blank",
            "<!DOCTYPE html>\n<html><head><title>Blank</title></head>"
            "<body></body></html>\n");
    PutHtml("news", "/blank-too",
            "<!DOCTYPE html>\n<html><body><!-- nothing --> </body></html>\n");
    ListedCase("empty pages", Disposition::kEmpty,
               {Url("news", "/blank"), Url("news", "/blank-too")});
    PutRedirect("/old-front-page", Url("news", "/"), 301);
    PutRedirect("/go/ferry", "/go/ferries", 302);
    PutRedirect("/go/ferries", "/harbour/", 301);
    ListedCase(
        "redirects", Disposition::kRedirected,
        {Url("news", "/old-front-page"), Url("news", "/go/ferry"), Url("news", "/go/ferries")});
    ListedCase("page not found", Disposition::kClientError,
               {Url("news", "/harbour/no-such-story.html")});
    PutHtml("news", "/private/drafts", NewsPage("Drafts", "<p>Not for crawlers.</p>\n"));
    ListedCase("denied by robots.txt", Disposition::kRobotsDenied,
               {Url("news", "/private/drafts")});
  }

  void PutRedirect(std::string_view target, std::string location, int status) {
    DemoPage page;
    page.status = status;
    page.location = std::move(location);
    page.body = Html("Moved", "<p>Moved to " + Link(page.location, "another page") + ".</p>\n");
    Put("news", target, std::move(page));
  }

  // The handbook and its mirror: the same bytes, with relative links.

  void BuildHandbook() {
    std::string contents =
        "<h1>A Handbook for Small Craft</h1>\n"
        "<p>Seven chapters for those who sail out of Port Ellery and mean to "
        "come back, free to copy and to mirror.</p>\n<ol>\n";
    for (std::uint64_t i = 1; i <= kChapters; ++i) {
      const auto seed = 500 + i;
      const std::string title = DemoHeadline(DemoTopic::kSeamanship, seed);
      const std::string name = "chapter-" + std::to_string(i) + ".html";
      contents += Item(Link(name, title));
      const std::string turn = i < kChapters
                                   ? Link("chapter-" + std::to_string(i + 1) + ".html", "Next")
                                   : std::string("The end");
      Mirror("chapter " + std::to_string(i), "/" + name, ChapterPage(title, seed, turn));
    }
    Mirror("contents", "/", Html("A Handbook for Small Craft", contents + "</ol>\n"));
  }

  static std::string ChapterPage(const std::string& title, std::uint64_t seed,
                                 const std::string& turn) {
    const auto text = DemoProse(DemoTopic::kSeamanship, seed, kArticleSentences);
    return Html(title, "<h1>" + title + "</h1>\n" + Paragraphs(text) + "<p>" +
                           Link("./", "Contents") + " " + turn + "</p>\n");
  }

  void Mirror(const std::string& name, const std::string& target, const std::string& html) {
    PutHtml("docs", target, html);
    PutHtml("mirror", target, html);
    ListedCase("mirror host: " + name, Disposition::kExactBytes,
               {Url("docs", target), Url("mirror", target)});
  }

  // The shop.

  std::string ShopPage(std::string_view title, std::string_view content,
                       std::string_view session) const {
    return Html(title, "<p>" + Link(Url("shop", "/"), "Quayle and Daughters, Chandlers") +
                           "</p>\n<h1>" + std::string(title) + "</h1>\n" + std::string(content) +
                           "<form action=\"/basket\" method=\"post\"><input type=\"hidden\" "
                           "name=\"session\" value=\"" +
                           std::string(session) +
                           "\"><button>Put in the basket</button></form>\n");
  }

  static std::string ProductPath(std::uint64_t number) {
    return "/product/" + std::to_string(number);
  }

  static std::string ProductName(std::uint64_t number) {
    return DemoHeadline(DemoTopic::kGoods, 620 + number);
  }

  static std::string ProductText(std::uint64_t number) {
    return Paragraphs(DemoProse(DemoTopic::kGoods, 620 + number, 16));
  }

  void BuildShop() {
    std::string list = "<ul>\n";
    for (std::uint64_t i = 1; i <= kProducts; ++i) {
      list += Item(Link(Url("shop", ProductPath(i)), ProductName(i)) + ", " +
                   std::to_string(20 + 7 * i) + " crowns");
    }
    const auto greeting = DemoProse(DemoTopic::kGoods, 699, 8);
    PutHtml("shop", "/",
            ShopPage("Everything for the deck", Paragraphs(greeting) + list + "</ul>\n", ""));

    std::vector<std::string> plain;
    for (std::uint64_t i = 1; i <= kProducts; ++i) {
      const std::string name = ProductName(i);
      const std::string path = ProductPath(i);
      PutHtml("shop", path, ShopPage(name, ProductText(i), "new"));
      if (i > 3) {
        plain.push_back(Url("shop", path));
        continue;
      }
      std::vector<std::string> urls = {Url("shop", path)};
      for (const std::string session : {"8c1f0a", "e47b92"}) {
        std::string target = path;
        target.append("?session=").append(session);
        PutHtml("shop", target, ShopPage(name, ProductText(i), session));
        urls.push_back(Url("shop", target));
      }
      ListedCase("session id: product " + std::to_string(i), Disposition::kExactText, urls);
    }
    Case("products of one template", Disposition::kStored, plain);
  }

  /// Lists in another order: of the lamps, where price and name agree on it and only the mark of
  /// the chosen order moves; and of the boats, where two long descriptions change places.
  void BuildShopCopies() {
    std::vector<std::string> lamps;
    for (const std::string_view chosen : {"name", "price"}) {
      std::string content = "<p>Sorted by";
      for (const std::string_view order : {"name", "price"}) {
        content += " <a class=\"" + std::string(order == chosen ? "chosen" : "other") +
                   "\" href=\"" + Url("shop", "/lamps?sort=" + std::string(order)) + "\">" +
                   std::string(order) + "</a>";
      }
      content += "</p>\n" + Paragraphs(DemoProse(DemoTopic::kGoods, 650, 20));
      const std::string target = "/lamps?sort=" + std::string(chosen);
      PutHtml("shop", target, ShopPage("Lamps and lanterns", content, "new"));
      lamps.push_back(Url("shop", target));
    }
    ListedCase("sort order that changes nothing", Disposition::kExactText, lamps);

    const std::string ketch =
        "<h2>Ketch</h2>\n" + Paragraphs(DemoProse(DemoTopic::kGoods, kBoatsSeed, 44));
    const std::string dinghy =
        "<h2>Dinghy</h2>\n" + Paragraphs(DemoProse(DemoTopic::kSeamanship, kBoatsSeed, 44));
    PutHtml("shop", "/boats?sort=length", ShopPage("Boats", dinghy + ketch, "new"));
    PutHtml("shop", "/boats?sort=price", ShopPage("Boats", ketch + dinghy, "new"));
    ListedCase("sort order", Disposition::kNear,
               {Url("shop", "/boats?sort=length"), Url("shop", "/boats?sort=price")});
  }

  // The weather stations: one template, another content each.

  void BuildWeather() {
    std::string list = "<ul>\n";
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < kStations.size(); ++i) {
      const std::string path = "/station/" + std::string(kStations[i]);
      const std::string title = DemoHeadline(DemoTopic::kWeather, 700 + i);
      const auto number = [&](std::size_t factor) { return std::to_string(i * factor % 41 + 3); };
      PutHtml("weather", path,
              Html(title, "<h1>" + title +
                              "</h1>\n<table>\n<tr><th>Air temperature, degrees</th>"
                              "<td>" +
                              number(7) + "</td></tr>\n<tr><th>Wind speed, knots</th><td>" +
                              number(13) +
                              "</td></tr>\n<tr><th>Rain since midnight, millimetres"
                              "</th><td>" +
                              number(29) +
                              "</td></tr>\n</table>\n"
                              "<h2>About this station</h2>\n" +
                              Paragraphs(DemoProse(DemoTopic::kWeather, 700 + i, 20)) + "<p>" +
                              Link("/", "All stations") + "</p>\n"));
      list += Item(Link(path, title));
      urls.push_back(Url("weather", path));
    }
    const auto text = DemoProse(DemoTopic::kWeather, 799, 12);
    PutHtml("weather", "/",
            Html("Weather stations",
                 "<h1>Weather stations of the bay</h1>\n" + Paragraphs(text) + list + "</ul>\n"));
    List({Url("weather", "/")});
    Case("templates alike, contents not", Disposition::kStored, urls);
  }

  // Guests whose writing has no spaces.

  void BuildAbroad(std::string_view host, std::string_view name, std::string_view lang,
                   std::span<const DemoForeignText> texts) {
    std::string list = "<h1>" + std::string(name) + "</h1>\n<ul>\n";
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const DemoForeignText& text = texts[i];
      const std::string target = "/" + std::to_string(i + 1) + ".html";
      const std::string html = ForeignPage(text, lang);
      PutHtml(host, target, html);
      list += Item(Link(target, text.title));
      if (text.before.empty()) {
        kept.push_back(Url(host, target));
        continue;
      }
      const std::string copy = "/" + std::to_string(i + 1) + "-revised.html";
      PutHtml(host, copy, Replaced(html, text.before, text.after));
      ListedCase(std::string(lang) + ": revised page", Disposition::kNear,
                 {Url(host, target), Url(host, copy)});
    }
    kept.push_back(Url(host, "/"));
    PutHtml(host, "/", Html(name, list + "</ul>\n", lang));
    List({Url(host, "/")});
    Case(std::string(lang) + ": other pages", Disposition::kStored, kept);
  }

  static std::string ForeignPage(const DemoForeignText& text, std::string_view lang) {
    std::string html = "<h1>" + std::string(text.title) + "</h1>\n";
    std::string_view rest = text.paragraphs;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      html += "<p>" + std::string(rest.substr(0, end)) + "</p>\n";
      rest.remove_prefix(end + 1);
    }
    return Html(text.title, html, lang);
  }

  /// Links to all that other pages do not, in particular to every copy: a crawler finds them
  /// whichever it meets first.
  void BuildDirectory() {
    std::string list =
        "<h1>The Port Ellery web directory</h1>\n<p>Every page of the town that "
        "somebody thought worth a second address.</p>\n<ul>\n";
    for (const std::string& url : listed_) {
      std::string_view shown = url;
      shown.remove_prefix(std::string_view("http://").size());
      list += Item(Link(url, shown));
    }
    PutHtml("directory", "/", Html("Directory", list + "</ul>\n"));
    Case("seeds", Disposition::kStored, {Url("directory", "/"), Url("shop", "/")});
  }

  void BuildRobots() {
    for (const std::string_view name :
         {"news", "www.news", "docs", "mirror", "shop", "weather", "zh", "ja", "directory"}) {
      DemoPage robots;
      robots.content_type = "text/plain; charset=utf-8";
      robots.body = "User-agent: *\nDisallow: /private/\n";
      Put(name, "/robots.txt", std::move(robots));
      ++site_.robots_;
    }
  }

  DemoSite& site_;
  const std::string port_;
  std::vector<std::string> listed_;
};

DemoSite::DemoSite(int port) { DemoSiteBuilder(*this, port).Build(); }

const DemoPage* DemoSite::Find(std::string_view host, std::string_view target) const {
  const auto found = pages_.find(std::string(host) + std::string(target));
  return found == pages_.end() ? nullptr : &found->second;
}

}  // namespace crawler

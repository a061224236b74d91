#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parser {

/// Bounds on the reading of one robots.txt.
struct RobotsLimits {
  /// Bytes read; the line that the limit cuts is dropped (RFC 9309, section 2.5: at least 500
  /// KiB).
  std::size_t body_bytes_max = std::size_t{500} * 1024;
  /// Bytes of one line; the rest of a longer one is ignored.
  std::size_t line_bytes_max = 16'664;
  /// Sitemap lines kept.
  std::size_t sitemaps_max = 1'000;
  /// Bytes of path that the wildcards of a file may look through to judge one URL. A file that
  /// would need more forbids the URL: 500 KiB of wildcards on a path of 2 KiB would take 0.2 s
  /// for every URL otherwise. A thousand wildcard rules on a path of a hundred bytes need 100 KB.
  std::size_t match_bytes_max = std::size_t{4} << 20;
};

/// The rules of one robots.txt, by RFC 9309.
///
///     parser::RobotsTxt robots = parser::RobotsTxt::Parse(body);
///     if (auto decision = robots.Allows("contentseen", "/private?x=1"); !decision.allowed)
///       std::cout << "denied by line " << decision.line << '\n';
///
/// Groups of one product token are merged (2.2.1); the longest matching rule decides and allow
/// wins ties (2.2.2); paths compare after percent-encoding is normalised; '*' and a final '$' are
/// special (2.2.3). A file with no line that parses, such as an HTML page, allows everything.
/// Where implementations differ, verdicts are those of Google's parser, but for escapes of
/// unreserved characters ("%7E" for "~"): a rule that forbids one spelling forbids the other.
/// /robots.txt itself is implicitly allowed, so whoever fetches it does not ask.
///
/// Thread safety: immutable after Parse().
/// Cost: Parse() O(n log n) in the lines. Allows() visits each rule of the group once; one rule
/// costs no more than its length plus the path's, whatever its '*'s, and all of them together no
/// more than RobotsLimits::match_bytes_max (some milliseconds).
class RobotsTxt {
 public:
  struct Decision {
    bool allowed = true;
    /// The line of the rule that decided, from 1; 0 when no rule matched.
    std::uint32_t line = 0;
    /// No rule decided: the rules up to `line` used up RobotsLimits::match_bytes_max.
    bool too_costly = false;

    friend bool operator==(const Decision&, const Decision&) = default;
  };

  /// Reads `body`. Never fails: what does not parse is skipped, as the RFC asks.
  static RobotsTxt Parse(std::string_view body, const RobotsLimits& limits = {});
  /// What an unavailable (4xx) robots.txt means; also a default-constructed object.
  static RobotsTxt AllowAll();

  /// May the crawler named `product_token` (letters, '_' and '-'; a '/' and what follows is
  /// ignored) fetch `path_and_query` ("/a?b=c"; an empty one means "/", one without a leading '/'
  /// gets it)?
  Decision Allows(std::string_view product_token, std::string_view path_and_query) const;

  /// The first Crawl-delay of the group that applies, as the file gives it and at most a day;
  /// nothing when absent, negative or not a number. Not part of the RFC.
  std::optional<std::chrono::milliseconds> CrawlDelay(std::string_view product_token) const;

  /// The same rules for `product_token`, without those for others: what a crawler need keep.
  /// Sitemaps are left out too.
  RobotsTxt Only(std::string_view product_token) const;

  /// Memory this object takes, about.
  std::size_t memory_bytes() const;

  /// The text of line `line` of `body`, as Decision counts lines and Parse() reads them; empty
  /// beyond the end. Cost: linear in the body.
  static std::string Line(std::string_view body, std::uint32_t line);

  /// URLs of Sitemap lines in order, as written. They belong to no group.
  const std::vector<std::string>& Sitemaps() const { return sitemaps_; }

 private:
  /// One allow or disallow line; its pattern lies in patterns_.
  struct Rule {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    std::uint32_t line = 0;
    bool allow = false;
    bool wildcards = false;  // holds '*' or ends in '$'
  };
  /// The rules between one run of user-agent lines and the next: [begin, end) of rules_. Many
  /// tokens may share a section, so a file of many agents and many rules stays linear.
  struct Section {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::optional<std::chrono::milliseconds> crawl_delay;
  };
  /// Everything that is said to one product token.
  struct Group {
    std::string token;  // lower case; "*" speaks to all who have no group
    std::vector<std::uint32_t> sections;
  };
  class Reader;

  const Group* GroupFor(std::string_view product_token) const;
  bool Matches(const Rule& rule, std::string_view path, std::size_t* cost) const;
  std::uint32_t CopySection(const RobotsTxt& from, std::uint32_t section);

  std::string patterns_;  // percent-encoding normalised, end to end
  std::vector<Rule> rules_;
  std::vector<Section> sections_;
  std::vector<Group> groups_;  // by token
  std::vector<std::string> sitemaps_;
  std::size_t match_bytes_max_ = RobotsLimits().match_bytes_max;
};

}  // namespace parser

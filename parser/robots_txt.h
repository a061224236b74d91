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
};

/// The rules of one robots.txt, by RFC 9309.
///
///     parser::RobotsTxt robots = parser::RobotsTxt::Parse(body);
///     if (auto decision = robots.Allows("contentseen", "/private?x=1"); !decision.allowed)
///       std::cout << "denied by line " << decision.line << '\n';
///
/// Groups of one product token are merged (2.2.1); the longest matching rule decides and allow
/// wins ties (2.2.2); paths compare after percent-encoding is normalised; '*' and a final '$' are
/// special (2.2.3); /robots.txt is always allowed. A file with no line that parses, such as an
/// HTML page, allows everything.
///
/// Thread safety: immutable after Parse().
/// Cost: Parse() linear in the bytes. Allows() linear in rules of the group times the longer of
/// rule and path per '*' (no backtracking beyond the last '*').
class RobotsTxt {
 public:
  struct Decision {
    bool allowed = true;
    /// The line of the rule that decided, from 1; 0 when no rule matched.
    std::uint32_t line = 0;

    friend bool operator==(const Decision&, const Decision&) = default;
  };

  /// Reads `body`. Never fails: what does not parse is skipped, as the RFC asks.
  static RobotsTxt Parse(std::string_view body, const RobotsLimits& limits = {});
  /// What an unavailable (4xx) robots.txt means; also a default-constructed object.
  static RobotsTxt AllowAll();
  /// What an unreachable (5xx, network error) robots.txt means.
  static RobotsTxt DisallowAll();

  /// May the crawler named `product_token` (letters, '_' and '-'; what follows is ignored) fetch
  /// `path_and_query` ("/a?b=c"; an empty one means "/", one without a leading '/' gets it)?
  Decision Allows(std::string_view product_token, std::string_view path_and_query) const;

  /// The first Crawl-delay of the group that applies, as the file gives it and at most a day;
  /// nothing when absent, negative or not a number. Not part of the RFC.
  std::optional<std::chrono::milliseconds> CrawlDelay(std::string_view product_token) const;

  /// URLs of Sitemap lines in order, as written. They belong to no group.
  const std::vector<std::string>& Sitemaps() const { return sitemaps_; }

 private:
  struct Rule {
    std::string pattern;  // percent-encoding normalised
    std::uint32_t line = 0;
    bool allow = false;
    bool wildcards = false;  // holds '*' or ends in '$'
  };
  /// Everything that is said to one product token.
  struct Group {
    std::string token;  // lower case; "*" speaks to all others
    std::vector<Rule> rules;
    std::optional<std::chrono::milliseconds> crawl_delay;
  };
  class Reader;

  const Group* GroupOf(std::string_view product_token) const;

  std::vector<Group> groups_;
  std::vector<std::string> sitemaps_;
};

}  // namespace parser

#pragma once

#include <string_view>

namespace parser {

/// What a page or its headers ask of robots. Combine with |: the most restrictive wins.
struct RobotsDirectives {
  /// Do not keep the page.
  bool noindex = false;
  /// Do not follow its links.
  bool nofollow = false;

  friend bool operator==(const RobotsDirectives&, const RobotsDirectives&) = default;
  friend RobotsDirectives operator|(RobotsDirectives a, RobotsDirectives b) {
    return {a.noindex || b.noindex, a.nofollow || b.nofollow};
  }
};

/// Reads the content of <meta name=robots>: words between commas or white space, without case;
/// noindex, nofollow and none (= both) count, all others are ignored.
///
/// Thread safety: yes. Cost: linear.
RobotsDirectives ParseMetaRobots(std::string_view content);

/// Reads one X-Robots-Tag header value for the crawler named `product_token`.
///
///     ParseXRobotsTag("otherbot: noindex, nofollow, contentseen: none", "contentseen");  // both
///
/// A directive speaks to everybody until a "name:" stands before it; then to that crawler only,
/// up to the next name. "unavailable_after:" and the "max-...:" directives are no names, nor is
/// what has white space in it ("unavailable_after: Wed, 25 Jun 2025 15:00:00 GMT").
///
/// Thread safety: yes. Cost: linear.
RobotsDirectives ParseXRobotsTag(std::string_view value, std::string_view product_token);

}  // namespace parser

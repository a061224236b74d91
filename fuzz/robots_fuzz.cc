// First line: a path; the rest: a robots.txt. What robots_txt.h promises of any bytes.

#include <algorithm>
#include <string>

#include "base/check.h"
#include "fuzz/fuzz_input.h"
#include "parser/robots_directives.h"
#include "parser/robots_txt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string_view path = input.Line();
  const std::string_view body = input.Rest();
  const auto robots = parser::RobotsTxt::Parse(body);
  const auto only = robots.Only("contentseen");
  for (const char* agent : {"contentseen", "other", ""}) {
    const auto decision = robots.Allows(agent, path);
    const auto lines =
        1 + std::count_if(body.begin(), body.end(), [](char c) { return c == '\n' || c == '\r'; });
    CHECK(decision.allowed || decision.line > 0);
    // UTF-16 has fewer bytes for its line ends than this counts, never more lines.
    CHECK(decision.line <= static_cast<std::uint64_t>(lines) + body.size());
    CHECK(robots.CrawlDelay(agent).value_or(std::chrono::milliseconds(0)) >=
          std::chrono::milliseconds(0));
  }
  CHECK(only.Allows("contentseen", path) == robots.Allows("contentseen", path));
  CHECK(only.CrawlDelay("contentseen") == robots.CrawlDelay("contentseen"));
  CHECK(robots.Sitemaps().size() <= parser::RobotsLimits().sitemaps_max);
  static_cast<void>(parser::ParseMetaRobots(body));
  static_cast<void>(parser::ParseXRobotsTag(body, "contentseen"));
  return 0;
}

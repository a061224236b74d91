#include "crawler/report/standing.h"

#include <fmt/format.h>

#include <chrono>

#include "crawler/io/terminal.h"
#include "crawler/io/units.h"

namespace crawler {
namespace {

enum class Standing {
  kEnded,
  kSilentHosts,  // nothing waits but for hosts that did not answer
  kPagesMax,
  kTimeMax,
  kStopped,
};

Standing StandingOf(const CrawlSnapshot& at) {
  if (at.frontier.queued == at.frontier.queued_out_of_scope) return Standing::kEnded;
  // Before the hosts that did not answer: another start asks them only where the limit is higher.
  if (at.frontier.pages_max_reached > 0) return Standing::kPagesMax;
  if (at.frontier.queued_open() == 0) return Standing::kSilentHosts;
  return at.time_max_reached > 0 ? Standing::kTimeMax : Standing::kStopped;
}

}  // namespace

std::string_view StandingName(const CrawlSnapshot& at) {
  const Standing standing = StandingOf(at);
  const bool ended = standing == Standing::kEnded || standing == Standing::kSilentHosts;
  return ended ? "ended" : "stopped";
}

std::string StandingText(const CrawlSnapshot& at, const std::string& data) {
  const std::string crawl = "The crawl in " + Escaped(data);
  const std::string go_on = "contentseen crawl --data " + ShellWord(data);
  switch (StandingOf(at)) {
    case Standing::kEnded:
      return crawl + " has come to its end.\n";
    case Standing::kSilentHosts:
      return fmt::format(
          "{} has come to its end, but for hosts that did not answer. Ask these again by\n{}\n",
          crawl, go_on);
    case Standing::kPagesMax:
      return fmt::format(
          "{} stopped at crawl.pages_max = {}. Go on with it, as far as you say, by\n"
          "{} --max-pages N\n",
          crawl, at.frontier.pages_max_reached, go_on);
    case Standing::kTimeMax:
      return fmt::format(
          "{} stopped after crawl.time_max = \"{}\". Go on with it, for as long again, by\n{}\n",
          crawl, FormatDuration(std::chrono::seconds(at.time_max_reached)), go_on);
    case Standing::kStopped:
      break;
  }
  return fmt::format("{} was stopped. Go on with it by\n{}\n", crawl, go_on);
}

}  // namespace crawler

#include "crawler/report/progress.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "crawler/page/disposition.h"
#include "crawler/report/standing.h"

namespace crawler {
namespace {

// 1234567 as "1,234,567".
std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// What stands still until the crawl is started again.
std::string GivenUp(const frontier::FrontierStats& frontier) {
  if (frontier.queued_given_up == 0) return {};
  return fmt::format(" ({} given up)", Grouped(frontier.queued_given_up));
}

double Rate(std::uint64_t now, std::uint64_t before, double seconds) {
  return seconds <= 0 ? 0.0 : static_cast<double>(now - before) / seconds;
}

std::uint64_t Exact(const StatisticsSnapshot& statistics) {
  return statistics.Of(Disposition::kExactBytes) + statistics.Of(Disposition::kExactText);
}

// Of what ContentSeen judged, so that a crawl of many redirects does not look original.
std::uint64_t Judged(const StatisticsSnapshot& statistics) {
  return statistics.InGroup(DispositionGroup::kStored) +
         statistics.InGroup(DispositionGroup::kSkipped);
}

std::string Duration(double seconds) {
  auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{:.1f}s", seconds);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string DispositionTable(const StatisticsSnapshot& statistics) {
  std::string text;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    auto disposition = static_cast<Disposition>(i);
    std::uint64_t count = statistics.Of(disposition);
    if (count == 0) continue;
    sum += count;
    text += fmt::format("  {:>12}  {:<18} {}\n", Grouped(count), Name(disposition),
                        Describe(disposition));
  }
  return text + fmt::format("  {:>12}  {:<18} {}\n", Grouped(sum), "in all",
                            "pages taken from the frontier");
}

// The limits that left something out, each with the option that sets it.
std::string LimitTable(const LimitHits& limits) {
  std::string text;
  VisitLimits(limits,
              [&text](std::string_view name, std::string_view option, std::uint64_t count) {
                if (count > 0)
                  text += fmt::format("  {:>12}  {:<20} {}\n", Grouped(count), name, option);
              });
  return text.empty() ? text : "\n  Left out, or cut, by the crawl's scope and limits:\n" + text;
}

// What was not asked for, and what it waits for.
std::string Waiting(const frontier::FrontierStats& frontier) {
  std::string text;
  if (frontier.queued_open() > 0) {
    text += fmt::format("  {} URLs were still waiting\n", Grouped(frontier.queued_open()));
  }
  if (frontier.queued_given_up > 0) {
    text +=
        fmt::format("  {} URLs wait for hosts that did not answer: the next start asks again\n",
                    Grouped(frontier.queued_given_up));
  }
  return text;
}

}  // namespace

std::string ProgressLine(const CrawlSnapshot& now, const CrawlSnapshot& before) {
  const StatisticsSnapshot& statistics = now.statistics;
  double seconds = (now.elapsed - before.elapsed).count();
  std::uint64_t judged = Judged(statistics);
  std::string line = fmt::format(
      "{} pages  {:.0f}/s  {:.1f} MB/s  queued {}{}  in flight {}  exact {:.1f} %  near {:.1f} %  "
      "errors {}  {}",
      Grouped(statistics.Pages()), Rate(statistics.Pages(), before.statistics.Pages(), seconds),
      Rate(statistics.body_bytes, before.statistics.body_bytes, seconds) / 1e6,
      Grouped(now.frontier.queued), GivenUp(now.frontier), now.in_flight,
      Percent(Exact(statistics), judged), Percent(statistics.Of(Disposition::kNear), judged),
      Grouped(statistics.InGroup(DispositionGroup::kFailed)), Duration(now.elapsed.count()));
  if (!now.paused.empty()) line += "  PAUSED: " + now.paused;
  return line;
}

std::string SummaryText(const CrawlSnapshot& end) {
  const StatisticsSnapshot& statistics = end.statistics;
  double seconds = end.elapsed.count();
  std::string text = DispositionTable(statistics);
  text += fmt::format(
      "\n  {} pages from {} hosts in {} ({:.1f} pages/s), {:.1f} MB received, {} robots.txt\n",
      Grouped(statistics.Pages()), Grouped(end.frontier.hosts), Duration(seconds),
      Rate(statistics.Pages(), 0, seconds), static_cast<double>(statistics.wire_bytes) / 1e6,
      Grouped(statistics.robots_fetched));
  text += fmt::format(
      "  {} links found on new pages, {} of them queued; {} on duplicates not "
      "followed\n",
      Grouped(statistics.links_found), Grouped(statistics.links_queued),
      Grouped(statistics.links_not_followed));
  return text + Waiting(end.frontier) + LimitTable(statistics.limits);
}

std::string SummaryJson(const CrawlSnapshot& end) {
  const StatisticsSnapshot& statistics = end.statistics;
  nlohmann::ordered_json json;
  json["state"] = StandingName(end);
  json["pages"] = statistics.Pages();
  json["leased"] = statistics.Ended();
  auto& dispositions = json["dispositions"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kDispositions; ++i) {
    auto disposition = static_cast<Disposition>(i);
    dispositions[std::string(Name(disposition))] = statistics.Of(disposition);
  }
  auto& limits = json["limits"] = nlohmann::ordered_json::object();
  VisitLimits(statistics.limits,
              [&limits](std::string_view name, std::string_view, std::uint64_t count) {
                limits[std::string(name)] = count;
              });
  json["near_by_distance"] = statistics.distances;
  json["robots_fetched"] = statistics.robots_fetched;
  json["wire_bytes"] = statistics.wire_bytes;
  json["body_bytes"] = statistics.body_bytes;
  json["links_found"] = statistics.links_found;
  json["links_queued"] = statistics.links_queued;
  json["links_not_followed"] = statistics.links_not_followed;
  json["hosts"] = end.frontier.hosts;
  json["queued"] = end.frontier.queued;
  json["queued_given_up"] = end.frontier.queued_given_up;
  json["pages_max_reached"] = end.frontier.pages_max_reached;
  json["time_max_reached"] = end.time_max_reached;
  json["urls_seen"] = end.frontier.seen;
  json["documents"] = end.seen.documents;
  json["seconds"] = end.elapsed.count();
  return json.dump();
}

}  // namespace crawler

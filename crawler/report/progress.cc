#include "crawler/report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "crawler/io/units.h"
#include "crawler/page/disposition.h"
#include "crawler/report/standing.h"

namespace crawler {
namespace {

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// What stands still until the crawl is started again.
std::string StandingStill(const frontier::FrontierStats& frontier) {
  std::string text;
  auto add = [&text](std::uint64_t count, std::string_view why) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Grouped(count), why);
  };
  add(frontier.queued_given_up, "given up");
  add(frontier.queued_out_of_scope, "out of scope");
  return text.empty() ? text : " (" + text + ")";
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

std::string WholeDuration(std::uint64_t seconds) {
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string Duration(double seconds) {
  return seconds < 60 ? fmt::format("{:.1f}s", seconds)
                      : WholeDuration(static_cast<std::uint64_t>(seconds));
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
  if (frontier.queued_out_of_scope > 0) {
    text +=
        fmt::format("  {} URLs wait outside the scope: a start with a wider one asks for them\n",
                    Grouped(frontier.queued_out_of_scope));
  }
  return text;
}

// Where all hosts rest, until when: else it looks as if the crawl hung.
std::string InFlight(const CrawlSnapshot& now) {
  std::string text = fmt::format("in flight {}", now.in_flight);
  if (now.in_flight > 0 || now.frontier.queued_open() == 0) return text;
  const auto wait = std::chrono::ceil<std::chrono::seconds>(now.frontier.next_in).count();
  if (wait > 1) text += ", next in " + WholeDuration(static_cast<std::uint64_t>(wait));
  return text;
}

// Of a line: what is worth least has the highest rank.
struct Part {
  int rank;
  std::string text;
};

// In so many columns, if leaving out all but rank 0, one part after the other, makes them enough.
std::string Joined(std::vector<Part> parts, std::size_t columns) {
  while (true) {
    std::string line;
    for (const Part& part : parts) line.append(line.empty() ? "" : "  ").append(part.text);
    const auto least = std::max_element(parts.begin(), parts.end(),
                                        [](auto& a, auto& b) { return a.rank < b.rank; });
    if (line.size() <= columns || least->rank == 0) return line;
    parts.erase(least);
  }
}

}  // namespace

std::string ProgressLine(const CrawlSnapshot& now, const CrawlSnapshot& before,
                         std::size_t columns) {
  const StatisticsSnapshot& statistics = now.statistics;
  const double seconds = (now.elapsed - before.elapsed).count();
  const std::uint64_t judged = Judged(statistics);
  std::vector<Part> parts = {
      {0, fmt::format("{} pages", Grouped(statistics.Pages()))},
      {4, fmt::format("{:.0f}/s", Rate(statistics.Pages(), before.statistics.Pages(), seconds))},
      {7, fmt::format("{:.1f} MB/s",
                      Rate(statistics.body_bytes, before.statistics.body_bytes, seconds) / 1e6)},
      {2, fmt::format("queued {}{}", Grouped(now.frontier.queued), StandingStill(now.frontier))},
      {3, InFlight(now)},
      {6, fmt::format("exact {:.0f}%", Percent(Exact(statistics), judged))},
      {5, fmt::format("near {:.0f}%", Percent(statistics.Of(Disposition::kNear), judged))},
      {1, fmt::format("errors {}", Grouped(statistics.InGroup(DispositionGroup::kFailed)))},
      {0, Duration(now.elapsed.count())}};
  if (!now.paused.empty()) parts.push_back({0, "PAUSED: " + now.paused});
  return Joined(std::move(parts), columns);
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
  json["queued_out_of_scope"] = end.frontier.queued_out_of_scope;
  json["pages_max_reached"] = end.frontier.pages_max_reached;
  json["time_max_reached"] = end.time_max_reached;
  json["urls_seen"] = end.frontier.seen;
  json["documents"] = end.seen.documents;
  json["seconds"] = end.elapsed.count();
  return json.dump();
}

}  // namespace crawler

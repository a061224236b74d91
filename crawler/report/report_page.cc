#include "crawler/report/report_page.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "crawler/version.h"
#include "crawler/web/web_page.h"

namespace crawler {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t Milliseconds(base::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// A byte that is not UTF-8 becomes U+FFFD.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A step as a number of words in both, of words only in the original (negative), or the words
/// only in the skipped page.
Json DeltaJson(const TextDelta& delta) {
  struct Visitor {
    Json operator()(const TextDelta::Same& same) const { return same.words; }
    Json operator()(const TextDelta::Removed& removed) const {
      return -static_cast<std::int64_t>(removed.words);
    }
    Json operator()(const TextDelta::Added& added) const { return added.words; }
  };
  Json steps = Json::array();
  for (const TextDelta::Step& step : delta.steps) steps.push_back(std::visit(Visitor{}, step));
  return steps;
}

Json DispositionsJson(const DispositionCounts& counts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < kDispositions; ++i) {
    const auto disposition = static_cast<Disposition>(i);
    if (counts[i] == 0) continue;
    list.push_back({{"name", Name(disposition)},
                    {"group", Name(GroupOf(disposition))},
                    {"about", Describe(disposition)},
                    {"pages", counts[i]}});
  }
  return list;
}

/// Those that left something out.
Json LimitsJson(const LimitHits& limits) {
  Json list = Json::array();
  VisitLimits(limits,
              [&list](std::string_view name, std::string_view option, std::uint64_t count) {
                if (count > 0)
                  list.push_back({{"name", name}, {"option", option}, {"count", count}});
              });
  return list;
}

Json GroupsJson(const Report& report) {
  Json list = Json::array();
  for (const DuplicateGroup& group : report.groups) {
    list.push_back({{"url", group.original_url},
                    {"shown", group.shown_url},
                    {"title", group.title},
                    {"pages", group.pages},
                    {"near", group.near},
                    {"hosts", group.hosts},
                    {"distance", group.distance_max}});
  }
  return list;
}

Json MirrorsJson(const Mirrors& mirrors) {
  Json pairs = Json::array();
  for (const MirrorPair& pair : mirrors.pairs) {
    pairs.push_back({{"a", pair.a.Name()},
                     {"b", pair.b.Name()},
                     {"tested", pair.tested},
                     {"matching", pair.matching},
                     {"bound", pair.bound},
                     {"certain", pair.certain},
                     {"examples", pair.examples}});
  }
  Json groups = Json::array();
  for (const MirrorGroup& group : mirrors.groups) {
    Json sides = Json::array();
    for (const MirrorSide& side : group.sides) sides.push_back(side.Name());
    groups.push_back(std::move(sides));
  }
  return {{"pairs", std::move(pairs)}, {"groups", std::move(groups)}};
}

Json ParametersJson(const IdleParameters& parameters) {
  Json list = Json::array();
  for (const IdleParameter& idle : parameters.idle) {
    list.push_back({{"site", idle.site},
                    {"name", idle.name},
                    {"compared", idle.compared},
                    {"same_text", idle.same_text},
                    {"bound", idle.bound},
                    {"certain", idle.IsCertain()},
                    {"url", idle.url},
                    {"same_as", idle.same_as}});
  }
  return {{"idle", std::move(list)}, {"droppable", parameters.droppable}};
}

Json HostsJson(const Report& report) {
  Json list = Json::array();
  for (const HostCounts& host : report.hosts) {
    list.push_back({{"host", host.host},
                    {"stored", host.stored},
                    {"skipped", host.skipped},
                    {"other", host.other}});
  }
  return list;
}

Json RecordJson(const SkipRecord& record) {
  return {{"kind", contentseen::Name(record.kind)},
          {"distance", record.distance},
          {"k", record.k},
          {"evidence", record.evidence},
          {"url", record.url},
          {"original", record.original_url},
          {"title", record.title},
          {"time", Milliseconds(record.time)},
          {"bytes", record.body_bytes},
          {"links", record.links_not_followed}};
}

/// Originals are named once and then by number.
Json RowsJson(const Report& report) {
  std::map<std::string_view, std::size_t> numbers;
  Json originals = Json::array();
  Json rows = Json::array();
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const auto& [number, record] = report.rows[i];
    auto [original, fresh] = numbers.try_emplace(record.original_url, numbers.size());
    if (fresh) originals.push_back(record.original_url);
    Json row = RecordJson(record);
    row["n"] = number;
    row["original"] = original->second;
    if (auto pair = report.texts.pairs.find(i); pair != report.texts.pairs.end()) {
      row["text"] = pair->second.original;
      row["delta"] = DeltaJson(pair->second.delta);
    }
    rows.push_back(std::move(row));
  }
  return {{"originals", std::move(originals)}, {"rows", std::move(rows)}};
}

Json FaultsJson(const Report& report) {
  Json list = Json::array();
  for (const auto& [name, faults] : report.faults) {
    list.push_back({{"log", name},
                    {"lines", faults.size()},
                    {"more", faults.size() == kLogFaultsMax},
                    {"first", faults[0].line},
                    {"reason", faults[0].reason}});
  }
  return list;
}

std::string DiffPageOf(const Json& data) {
  const std::string json = Text(data);
  return WebPage({.title = "ContentSeen",
                  .styles = {"common.css", "diff.css"},
                  .scripts = {"dom.js", "diff.js", "diff_page.js"},
                  .data = json});
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json;
  json["program"] = std::string("contentseen ") + kVersion;
  json["data"] = report.data;
  json["begin"] = Milliseconds(report.begin);
  json["end"] = Milliseconds(report.end);
  json["k"] = report.k;
  json["dispositions"] = DispositionsJson(report.dispositions);
  json["limits"] = LimitsJson(report.limits);
  json["distances"] = report.distances;
  json["stored_bytes"] = report.stored_bytes;
  json["skipped_bytes"] = report.skipped_bytes;
  json["links_not_followed"] = report.links_not_followed;
  json["hosts_count"] = report.hosts_count;
  json["groups_count"] = report.groups_count;
  json["groups"] = GroupsJson(report);
  json["hosts"] = HostsJson(report);
  json["alarms"] = report.alarms;
  json["mirrors"] = MirrorsJson(report.mirrors);
  json["parameters"] = ParametersJson(report.parameters);
  json["skipped"] = RowsJson(report);
  json["texts"] = report.texts.originals;
  json["texts_left_out"] = report.texts.left_out;
  json["texts_missing"] = report.texts.missing;
  json["rows_left_out"] = report.rows_left_out;
  json["urls_left_out"] = report.urls_left_out;
  json["hosts_left_out"] = report.hosts_left_out;
  json["groups_left_out"] = report.groups_left_out;
  json["faults"] = FaultsJson(report);
  return Text(json);
}

std::string ReportPage(const Report& report) {
  const std::string json = ReportJson(report);
  return WebPage({.title = "ContentSeen report",
                  .styles = {"common.css", "diff.css", "report.css"},
                  .scripts = {"dom.js", "charts.js", "table.js", "diff.js", "report.js"},
                  .data = json});
}

std::string DiffPage(const SkipRecord& page, const std::string& original_words,
                     const TextDelta& delta) {
  Json data = RecordJson(page);
  data["text"] = original_words;
  data["delta"] = DeltaJson(delta);
  return DiffPageOf(data);
}

std::string NoDiffPage(const SkipRecord& page, const std::string& why) {
  Json data = RecordJson(page);
  data["why"] = why;
  return DiffPageOf(data);
}

}  // namespace crawler

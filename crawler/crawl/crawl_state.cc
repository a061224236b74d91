#include "crawler/crawl/crawl_state.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "base/bytes.h"
#include "crawler/page/disposition.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kPrefix = "count:";

/// The figures by name. `Snapshot` is CrawlSnapshot, const for writing. Names, not places, so that
/// a figure added later reads as 0 in a crawl that began before.
template <class Visitor, class Snapshot>
requires std::is_same_v<std::remove_const_t<Snapshot>, CrawlSnapshot>
void VisitFigures(Visitor visit, Snapshot& snapshot) {
  auto& statistics = snapshot.statistics;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    visit("ended:" + std::string(Name(static_cast<Disposition>(i))), statistics.dispositions[i]);
  }
  for (std::size_t i = 0; i < statistics.distances.size(); ++i) {
    visit("near:" + std::to_string(i), statistics.distances[i]);
  }
  VisitLimits(statistics.limits, [&visit](std::string_view name, std::string_view, auto& count) {
    visit("limit:" + std::string(name), count);
  });
  visit("robots_fetched", statistics.robots_fetched);
  visit("wire_bytes", statistics.wire_bytes);
  visit("body_bytes", statistics.body_bytes);
  visit("links_found", statistics.links_found);
  visit("links_queued", statistics.links_queued);
  visit("links_not_followed", statistics.links_not_followed);
  visit("queued", snapshot.frontier.queued);
  visit("queued_given_up", snapshot.frontier.queued_given_up);
  visit("queued_out_of_scope", snapshot.frontier.queued_out_of_scope);
  visit("pages_max_reached", snapshot.frontier.pages_max_reached);
  visit("time_max_reached", snapshot.time_max_reached);
  visit("hosts", snapshot.frontier.hosts);
  visit("urls_seen", snapshot.frontier.seen);
  visit("documents", snapshot.seen.documents);
  visit("bodies", snapshot.seen.bodies);
  visit("memory:urls_seen", snapshot.memory.urls_seen);
  visit("memory:hosts", snapshot.memory.hosts);
  visit("memory:documents", snapshot.memory.documents);
  visit("memory:archive", snapshot.memory.archive);
}

constexpr std::string_view kElapsed = "elapsed_us";

}  // namespace

void PutSnapshot(const CrawlSnapshot& snapshot, store::Batch& batch) {
  auto put = [&batch](std::string_view name, std::uint64_t figure) {
    std::string value;
    base::AppendVarint(figure, value);
    batch.Put(Table::kAbout, std::string(kPrefix).append(name), value);
  };
  VisitFigures(put, snapshot);
  put(kElapsed, static_cast<std::uint64_t>(snapshot.elapsed.count() * 1e6));
}

base::Result<std::optional<CrawlSnapshot>> ReadSnapshot(const store::Store& store) {
  std::unordered_map<std::string, std::uint64_t> figures;
  auto cursor = store.ReadPrefix(Table::kAbout, kPrefix);
  for (; cursor->Valid(); cursor->Next()) {
    base::ByteReader reader(cursor->value());
    figures[std::string(cursor->key().substr(kPrefix.size()))] = reader.Varint();
    if (!reader.AtEnd()) return base::Fail("a figure in the store is none");
  }
  if (auto read = cursor->status(); !read) return base::Fail(read.error().message);
  if (figures.empty()) return std::nullopt;
  CrawlSnapshot snapshot;
  VisitFigures(
      [&figures](const std::string& name, std::uint64_t& figure) { figure = figures[name]; },
      snapshot);
  snapshot.elapsed =
      std::chrono::duration<double>(static_cast<double>(figures[std::string(kElapsed)]) / 1e6);
  return snapshot;
}

base::Status FitsMemory(const CrawlSnapshot& at, const Options& options) {
  MemoryInUse in_use = at.memory;
  if (!options.output.warc) in_use.archive = 0;
  const MemoryBudget memory(options.crawl.memory_mb);
  return memory.Divide(in_use) ? base::Status() : base::Fail(memory.Complaint(in_use));
}

}  // namespace crawler

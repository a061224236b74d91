#include "crawler/crawl/data_check.h"

#include <cstdint>
#include <filesystem>
#include <utility>

#include "crawler/crawl/crawl_state.h"
#include "crawler/crawl/store_tally.h"
#include "crawler/data/data_format.h"
#include "crawler/pipeline/crawl_archive.h"
#include "crawler/warc/warc_check.h"

namespace crawler {
namespace {

base::Status ReadAll(const store::Store& store, store::Table table, StoreTally& tally) {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  auto cursor = store.Read(table);
  for (; cursor->Valid(); cursor->Next()) {
    ++rows;
    bytes += cursor->value().size();
  }
  if (table == store::Table::kQueue) tally.waiting = rows;
  if (table == store::Table::kSeen) tally.seen = bytes / sizeof(std::uint64_t);
  if (table == store::Table::kHosts) tally.hosts = rows;
  if (table == store::Table::kDocuments) tally.bodies = rows;
  return cursor->status();
}

base::Status FindWhatIsLost(const store::Store& store, const StoreTally& found) {
  auto committed = ReadSnapshot(store);
  if (!committed) return base::Fail(committed.error().message);
  return *committed ? CheckTally(TallyOf(**committed), found) : base::Status();
}

}  // namespace

std::vector<std::string> FindDamage(const std::string& directory, const store::Store& store) {
  std::vector<std::string> damage;
  StoreTally tally;
  for (std::size_t i = 0; i < store::kTables; ++i) {
    const auto table = static_cast<store::Table>(i);
    if (base::Status read = ReadAll(store, table, tally); !read) {
      damage.push_back("table " + std::string(Name(table)) + ": " + read.error().message);
    }
  }
  if (damage.empty()) {
    if (base::Status whole = FindWhatIsLost(store, tally); !whole) {
      damage.push_back(whole.error().message);
    }
  }
  for (std::size_t i = 0; i < kLogs; ++i) {
    const auto log = static_cast<Log>(i);
    const std::filesystem::path path = std::filesystem::path(directory) / Name(log);
    auto parts = CommittedParts(store, log);
    if (!parts) {
      damage.push_back(path.string() + ": " + parts.error().message);
      continue;
    }
    for (std::size_t n = 0; n < parts->size(); ++n) {
      base::Status sound = CheckLogPart(LogPartPath(path, n + 1), (*parts)[n]);
      if (!sound) damage.push_back(sound.error().message);
    }
  }
  auto position = ArchivePosition(store);
  if (!position) {
    damage.push_back(position.error().message);
    return damage;
  }
  const std::filesystem::path archive = std::filesystem::path(directory) / kWarcFolder;
  for (std::string& sentence : FindWarcDamage(archive, *position)) {
    damage.push_back(std::move(sentence));
  }
  return damage;
}

}  // namespace crawler

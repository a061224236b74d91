#include "crawler/crawl/data_check.h"

#include <filesystem>
#include <utility>

#include "crawler/data/data_format.h"
#include "crawler/pipeline/crawl_archive.h"
#include "crawler/warc/warc_check.h"

namespace crawler {
namespace {

base::Status ReadAll(const store::Store& store, store::Table table) {
  auto cursor = store.Read(table);
  while (cursor->Valid()) cursor->Next();
  return cursor->status();
}

}  // namespace

std::vector<std::string> FindDamage(const std::string& directory, const store::Store& store) {
  std::vector<std::string> damage;
  for (std::size_t i = 0; i < store::kTables; ++i) {
    const auto table = static_cast<store::Table>(i);
    if (base::Status read = ReadAll(store, table); !read) {
      damage.push_back("table " + std::string(Name(table)) + ": " + read.error().message);
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

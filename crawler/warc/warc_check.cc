#include "crawler/warc/warc_check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "base/entries_of.h"
#include "crawler/io/jsonl.h"
#include "crawler/warc/cdxj.h"
#include "crawler/warc/warc_reader.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

std::string At(const fs::path& path, std::uint64_t offset, const std::string& what) {
  return path.string() + ": byte " + std::to_string(offset) + ": " + what;
}

// What is wrong with the first `bytes` of a file; empty when nothing.
std::string Damage(const fs::path& path, std::uint64_t bytes) {
  auto reader = WarcReader::Open(path, kOwnWarcFiles);
  if (!reader) return reader.error().message;
  while ((*reader)->whole_bytes() < bytes && (*reader)->faults() == 0) {
    const std::optional<WarcReadRecord> record = (*reader)->Next();
    if (!record) break;
    if (DigestMatches(record->Field("WARC-Block-Digest"), record->block) == false) {
      return At(path, record->offset, "the record's digest is not that of its block");
    }
  }
  if (!(*reader)->status()) return (*reader)->status().error().message;
  const std::uint64_t whole = (*reader)->whole_bytes();
  if (whole >= bytes) return {};
  return At(path, whole,
            (*reader)->faults() > 0 ? (*reader)->last_fault().reason
                                    : "the file is shorter than the crawl left it");
}

// What a finished file has at least: all that its index names, and where that is gone something.
std::uint64_t LeastBytes(const fs::path& file) {
  std::uint64_t bytes = 1;
  auto lines = JsonlReader::Open(WarcIndexPath(file));
  if (!lines) return bytes;
  while (auto line = lines->Next()) {
    const auto entry = ParseCdxjPayload(line->text);
    if (entry) bytes = std::max(bytes, entry->offset + entry->length);
  }
  return bytes;
}

}  // namespace

std::vector<std::string> FindWarcDamage(const fs::path& directory, const WarcPosition& position) {
  std::map<std::uint32_t, fs::path> files;
  std::vector<std::string> damage;
  std::error_code error;
  if (fs::exists(directory, error)) {
    const auto paths = base::EntriesOf(directory);
    if (!paths) damage.push_back(paths.error().message);
    for (const fs::path& path : paths.value_or(std::vector<fs::path>())) {
      const auto number = WarcFileNumber(path.filename().string());
      if (number && *number <= position.number) files[*number] = path;
      const auto indexed = IndexedWarcFile(path);
      if (indexed && indexed->first < position.number) files.insert(*indexed);
    }
  }
  if (position.number > 0 && !files.contains(position.number)) {
    damage.push_back(directory.string() + " lacks WARC file number " +
                     std::to_string(position.number) + " of this crawl");
  }
  for (const auto& [number, path] : files) {
    const bool last = number == position.number;
    std::error_code gone;  // a crawl that runs may just have given it its final name
    const std::uint64_t size = fs::file_size(path, gone);
    if (gone && !last) damage.push_back(path.string() + " is gone, but its index is there");
    if (gone) continue;
    const std::uint64_t bytes = last ? position.bytes : std::max(size, LeastBytes(path));
    std::string found = Damage(path, bytes);
    if (!found.empty()) damage.push_back(std::move(found));
  }
  return damage;
}

}  // namespace crawler

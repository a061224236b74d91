#include "crawler/pipeline/crawl_archive.h"

#include <filesystem>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/sync_directory.h"

namespace crawler {
namespace {

// In the table kAbout: number of the last WARC file (4 bytes) and its length (8 bytes).
constexpr std::string_view kPositionKey = "warc";

std::size_t BytesOf(const ArchivedPage& records) {
  std::size_t bytes = records.head.size();
  for (const WarcMember& member : records.members) bytes += member.bytes.size();
  return bytes;
}

}  // namespace

base::Result<WarcPosition> ArchivePosition(const store::Store& store) {
  auto value = store.Get(store::Table::kAbout, kPositionKey);
  if (!value) return base::Fail(value.error().message);
  if (!*value) return WarcPosition{};
  base::ByteReader reader(**value);
  WarcPosition position;
  position.number = static_cast<std::uint32_t>(reader.BigEndian(4));
  position.bytes = reader.BigEndian();
  if (!reader.AtEnd()) return base::Fail("the length of the WARC files in the store is none");
  return position;
}

base::Result<std::unique_ptr<CrawlArchive>> CrawlArchive::Open(WarcWriterOptions files,
                                                               const WarcOptions& output,
                                                               store::Durability durability,
                                                               const store::Store& store,
                                                               const base::Clock& clock) {
  auto position = ArchivePosition(store);
  if (!position) return base::Fail(position.error().message);
  const std::filesystem::path data = files.directory.parent_path();
  auto pages = PageArchive::Open(std::move(files), output, clock, *position);
  if (!pages) return base::Fail(pages.error().message);
  const bool sync = durability == store::Durability::kPower;
  if (sync) {  // the name of their folder
    if (auto named = base::SyncDirectory(data); !named) return base::Fail(named.error().message);
  }
  return std::unique_ptr<CrawlArchive>(new CrawlArchive(std::move(*pages), sync));
}

void CrawlArchive::Keep(const Page& page, Disposition disposition, int k) {
  const bool robots = page.lease.kind() == frontier::Lease::Kind::kRobots;
  ArchivedPage records =
      robots ? pages_->PrepareRobots(page) : pages_->Prepare(page, disposition, k);
  order_.Await(page.verdict);
  {
    base::MutexLock lock(mutex_);
    if (!waiting_.empty() || !pages_->Append(records)) {
      waiting_bytes_.fetch_add(BytesOf(records), std::memory_order_relaxed);
      waiting_.push_back(std::move(records));
    }
  }
  order_.Passed(page.id, page.verdict);
}

base::Status CrawlArchive::Flush() {
  base::MutexLock lock(mutex_);
  for (; !waiting_.empty(); waiting_.pop_front()) {
    if (base::Status written = pages_->Append(waiting_.front()); !written) return written;
  }
  waiting_bytes_.store(0, std::memory_order_relaxed);
  return sync_ ? pages_->files().Sync() : base::Status();
}

void CrawlArchive::Save(store::Batch& batch) {
  const WarcPosition position = pages_->files().position();
  std::string value;
  base::AppendBigEndian(position.number, value, 4);
  base::AppendBigEndian(position.bytes, value);
  batch.Put(store::Table::kAbout, kPositionKey, value);
}

}  // namespace crawler

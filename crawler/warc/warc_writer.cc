#include "crawler/warc/warc_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/entries_of.h"
#include "base/random_seed.h"
#include "base/sync_directory.h"
#include "base/system_failure.h"
#include "base/whole_number.h"
#include "contentseen/digest.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/io/gzip_member.h"
#include "crawler/io/jsonl.h"
#include "crawler/io/units.h"
#include "crawler/warc/warc_http.h"
#include "crawler/warc/warc_reader.h"
#include "frontier/url.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "contentseen-";
constexpr std::string_view kSuffix = ".warc.gz";
constexpr std::string_view kIndexSuffix = ".cdxj";
constexpr std::string_view kOpen = ".open";
constexpr int kOffsetBits = 40;  // files of up to 1 TiB
constexpr int kLevel = 6;
constexpr std::size_t kHeadPiece = std::size_t{4} << 10;  // holds the head of most records

fs::path OpenPath(const fs::path& finished) { return finished.string() + std::string(kOpen); }

// What the index says of a record that was read back; nothing of one that is not indexed.
std::optional<CdxjEntry> EntryOf(const WarcReadRecord& record) {
  const std::string type = record.Type();
  if (type != "response" && type != "revisit") return std::nullopt;
  const auto http = ParseWarcHttp(record.block, /*refused_too=*/true);
  const auto url =
      frontier::Url::Parse(record.Field("WARC-Target-URI"), frontier::UrlRules::Longest());
  if (!http || !url) return std::nullopt;
  CdxjEntry entry;
  entry.url = record.Field("WARC-Target-URI");
  entry.time = ParseTime(record.Field("WARC-Date")).value_or(base::WallTime{});
  entry.mime = type == "revisit" ? kRevisitMime : MediaType(ContentTypeOf(http->headers));
  entry.status = http->status;
  entry.digest = record.Field("WARC-Payload-Digest");
  const bool judged = record.Field(kDispositionField).empty();
  if (judged && !http->body.empty() && record.Field("WARC-Truncated").empty()) {
    entry.payload = contentseen::Sha256(http->body).Key();
  }
  entry.offset = record.offset;
  entry.length = record.stored_bytes;
  return entry;
}

}  // namespace

std::optional<std::uint32_t> WarcFileNumber(std::string_view name) {
  if (name.ends_with(kOpen)) name.remove_suffix(kOpen.size());
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const auto number = base::WholeNumber<std::uint32_t>(name.substr(name.rfind('-') + 1));
  return number == 0U ? std::nullopt : number;
}

fs::path WarcIndexPath(const fs::path& finished) {
  const std::string name = finished.string();
  return name.substr(0, name.size() - kSuffix.size()) + std::string(kIndexSuffix);
}

std::optional<std::pair<std::uint32_t, fs::path>> IndexedWarcFile(const fs::path& index) {
  std::string name = index.string();
  if (!name.ends_with(kIndexSuffix)) return std::nullopt;
  name.replace(name.size() - kIndexSuffix.size(), kIndexSuffix.size(), kSuffix);
  fs::path file(std::move(name));
  const auto number = WarcFileNumber(file.filename().string());
  if (!number) return std::nullopt;
  return std::pair(*number, std::move(file));
}

bool HasUnfinishedWarcFile(const fs::path& directory) {
  const auto paths = base::EntriesOf(directory).value_or(std::vector<fs::path>());
  return std::any_of(paths.begin(), paths.end(), [](const fs::path& path) {
    const std::string name = path.filename().string();
    return WarcFileNumber(name) && name.ends_with(kOpen);
  });
}

WarcWriter::WarcWriter(const WarcWriterOptions& options, const base::Clock& clock)
    : options_(options), clock_(clock), originals_(base::RandomSeed()), index_("") {}

WarcWriter::~WarcWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::Result<std::unique_ptr<WarcWriter>> WarcWriter::Open(const WarcWriterOptions& options,
                                                           const base::Clock& clock,
                                                           std::optional<WarcPosition> position) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    return base::Fail(options.directory.string() + " cannot be made: " + error.message());
  }
  std::unique_ptr<WarcWriter> writer(new WarcWriter(options, clock));
  if (auto recovered = writer->Recover(position); !recovered) {
    return base::Fail(recovered.error().message);
  }
  return writer;
}

// ---- After an earlier run ----

base::Status WarcWriter::Recover(std::optional<WarcPosition> position) {
  base::MutexLock lock(mutex_);
  if (auto found = FindFiles(); !found) return found;
  if (position) {
    if (auto cut = CutTo(*position); !cut) return cut;
  }
  for (auto file = files_.begin(); file != files_.end();) {
    const std::uint32_t number = file->first;
    ++file;  // Reopen() may take the last one away
    const bool committed = position && number <= position->number;
    auto status = files_.at(number).open ? Reopen(number, committed) : Remember(number);
    if (!status) return status;
  }
  return {};
}

base::Status WarcWriter::FindFiles() {
  auto paths = base::EntriesOf(options_.directory);
  if (!paths) return base::Fail(paths.error().message);
  for (fs::path& path : *paths) {
    const std::string name = path.filename().string();
    const auto number = WarcFileNumber(name);
    if (!number) continue;
    const bool open = name.ends_with(kOpen);
    if (open) path.replace_extension();
    files_[*number] = {std::move(path), open};
  }
  return {};
}

base::Status WarcWriter::CutTo(const WarcPosition& position) {
  std::error_code error;
  while (!files_.empty() && files_.rbegin()->first > position.number) {
    const auto last = std::prev(files_.end());
    fs::remove(WarcIndexPath(last->second.path), error);
    fs::remove(last->second.open ? OpenPath(last->second.path) : last->second.path, error);
    files_.erase(last);
  }
  if (position.number == 0) return {};
  const auto last = files_.find(position.number);
  if (last == files_.end()) {
    return base::Fail(options_.directory.string() + " lacks WARC file number " +
                      std::to_string(position.number) + " of this crawl: put it back, or --fresh");
  }
  File& file = last->second;
  if (!file.open) {
    fs::remove(WarcIndexPath(file.path), error);
    fs::rename(file.path, OpenPath(file.path), error);
    if (error) return base::Fail(file.path.string() + " cannot be renamed: " + error.message());
    file.open = true;
  }
  const fs::path path = OpenPath(file.path);
  const std::uint64_t size = fs::file_size(path, error);
  if (error || size < position.bytes) {
    return base::Fail(path.string() +
                      " is shorter than the crawl left it: put it back, or --fresh");
  }
  fs::resize_file(path, position.bytes, error);
  if (error) return base::Fail(path.string() + ": cannot be cut: " + error.message());
  return {};
}

// Goes on in a file that was not finished. One that is not the last is finished as it is. What a
// torn write left at its end is cut off; but nothing of what is `committed`.
base::Status WarcWriter::Reopen(std::uint32_t number, bool committed) {
  const File& file = files_.at(number);
  const fs::path path = OpenPath(file.path);
  index_ = CdxjIndex(file.path.filename().string());
  std::uint64_t whole_bytes = 0;
  if (auto scanned = Scan(number, whole_bytes); !scanned) return scanned;
  std::error_code error;
  if (committed && whole_bytes < fs::file_size(path, error)) {
    return base::Fail(path.string() + " is damaged from byte " + std::to_string(whole_bytes) +
                      " on: put a copy of it back, or begin anew with --fresh");
  }
  if (whole_bytes == 0) {
    fs::remove(path, error);
    files_.erase(number);
    return {};
  }
  fs::resize_file(path, whole_bytes, error);
  if (error) return base::Fail(path.string() + ": cannot be cut: " + error.message());
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) return base::SystemFailure(path, "cannot be opened for writing");
  bytes_ = whole_bytes;
  return number == files_.rbegin()->first ? base::Status() : Finish();
}

base::Status WarcWriter::Scan(std::uint32_t number, std::uint64_t& whole_bytes) {
  number_ = number;
  const File& file = files_.at(number);
  auto reader = WarcReader::Open(file.open ? OpenPath(file.path) : file.path, kOwnWarcFiles);
  if (!reader) return base::Fail(reader.error().message);
  while (auto record = (*reader)->Next()) {
    if ((*reader)->faults() > 0) break;
    if (auto entry = EntryOf(*record)) Index(std::move(*entry));
  }
  whole_bytes = (*reader)->whole_bytes();
  return (*reader)->status();
}

// Learns a finished file's payloads from its index, or where that is gone from the file.
base::Status WarcWriter::Remember(std::uint32_t number) {
  std::error_code error;
  bytes_ = fs::file_size(files_.at(number).path, error);
  if (error) return base::Fail(files_.at(number).path.string() + ": " + error.message());
  const fs::path index = WarcIndexPath(files_.at(number).path);
  auto lines = JsonlReader::Open(index);
  if (!lines) {
    index_ = CdxjIndex(files_.at(number).path.filename().string());
    std::uint64_t ignored = 0;
    if (auto scanned = Scan(number, ignored); !scanned) return scanned;
    return index_.Write(index);
  }
  while (auto line = lines->Next()) {
    const auto payload = ParseCdxjPayload(line->text);
    if (!payload || !payload->may_be_original) continue;
    Learn(payload->payload, payload->digest, number, payload->offset);
  }
  return lines->status();
}

// ---- Writing ----

void WarcWriter::Index(CdxjEntry entry) {
  index_.Add(entry);
  if (!MayBeOriginal(entry)) return;
  Learn(entry.payload, entry.digest, number_, entry.offset);
}

// A copy names its payload's digest, by which readers look for the original: of another kind than
// earlier runs wrote it is found nowhere.
void WarcWriter::Learn(const contentseen::Key128& payload, std::string_view digest,
                       std::uint32_t number, std::uint64_t offset) {
  if (!digest.starts_with(DigestLabel(options_.digest))) return;
  originals_.Insert(payload, std::uint64_t{number} << kOffsetBits | offset);
}

base::Status WarcWriter::Begin() {
  number_ = files_.empty() ? 1 : files_.rbegin()->first + 1;
  std::string timestamp = WarcDate(clock_.WallNow());
  std::erase_if(timestamp, [](char c) { return c < '0' || c > '9'; });
  const std::string name = fmt::format("{}{}-{:05}{}", kPrefix, timestamp, number_, kSuffix);
  const File file{options_.directory / name, true};
  const fs::path path = OpenPath(file.path);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) return base::SystemFailure(path, "cannot be made");
  named_ = false;
  files_[number_] = file;
  const std::uint64_t bytes_before = std::exchange(bytes_, 0);
  index_ = CdxjIndex(name);
  WarcRecord record("warcinfo", clock_.WallNow());
  record.Add("WARC-Filename", name);
  std::string block;
  for (const auto& [key, value] : options_.about) block += key + ": " + value + "\r\n";
  record.SetBlock("application/warc-fields", block, options_.digest);
  auto written = Write(GzipMember(record.text(), kLevel));
  if (written) return {};
  ::close(descriptor_);
  descriptor_ = -1;
  ::unlink(path.c_str());
  files_.erase(number_);
  bytes_ = bytes_before;  // those of the file before it, as position() has them
  return written;
}

base::Status WarcWriter::Write(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const std::uint64_t at = bytes_ + (bytes.size() - rest.size());
    const ssize_t written =
        ::pwrite(descriptor_, rest.data(), rest.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      base::Status failure =
          base::SystemFailure(OpenPath(files_.at(number_).path), "cannot be written");
      // Where this fails too, what comes next is written over it, and Finish() cuts again.
      if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) == 0) return failure;
      return base::Fail(failure.error().message + "; and its torn end cannot be cut off");
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  bytes_ += bytes.size();
  return {};
}

base::Result<bool> WarcWriter::Append(const std::vector<WarcMember>& members, bool unless_known) {
  CHECK(!members.empty());
  base::MutexLock lock(mutex_);
  if (!synced_) return base::Fail(synced_.error().message);
  if (unless_known && members.front().entry && originals_.Find(members.front().entry->payload)) {
    return false;
  }
  if (descriptor_ >= 0 && bytes_ >= options_.file_bytes_max) {
    if (auto finished = Finish(); !finished) return base::Fail(finished.error().message);
  }
  if (descriptor_ < 0) {
    if (auto begun = Begin(); !begun) return base::Fail(begun.error().message);
  }
  std::string bytes;
  for (const WarcMember& member : members) bytes += member.bytes;
  std::uint64_t offset = bytes_;
  if (auto written = Write(bytes); !written) return base::Fail(written.error().message);
  for (const WarcMember& member : members) {
    if (std::optional<CdxjEntry> entry = member.entry) {
      entry->offset = offset;
      entry->length = member.bytes.size();
      Index(std::move(*entry));
    }
    offset += member.bytes.size();
  }
  return true;
}

base::Status WarcWriter::Finish() {
  if (!synced_) return synced_;
  File& file = files_.at(number_);
  const fs::path path = OpenPath(file.path);
  // Each step may fail for want of room, and be made again; but the sync.
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) {
    return base::SystemFailure(path, "cannot be cut");
  }
  if (::fsync(descriptor_) != 0) return NotSynced(path);
  if (auto written = index_.Write(WarcIndexPath(file.path)); !written) return written;
  if (::rename(path.c_str(), file.path.c_str()) != 0) {
    return base::SystemFailure(path, "cannot be renamed");
  }
  ::close(descriptor_);
  descriptor_ = -1;
  file.open = false;
  index_ = CdxjIndex("");
  return {};
}

base::Status WarcWriter::Close() {
  base::MutexLock lock(mutex_);
  return descriptor_ < 0 ? base::Status() : Finish();
}

base::Status WarcWriter::Sync() {
  base::MutexLock lock(mutex_);
  if (!synced_) return synced_;
  if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0) {
    return NotSynced(OpenPath(files_.at(number_).path));
  }
  if (!std::exchange(named_, true)) synced_ = base::SyncDirectory(options_.directory);
  return synced_;
}

// The system reports what it lost once: a second sync would succeed over the hole.
base::Status WarcWriter::NotSynced(const fs::path& path) {
  return synced_ = base::SystemFailure(path, "cannot be synced");
}

WarcPosition WarcWriter::position() const {
  base::MutexLock lock(mutex_);
  return files_.empty() ? WarcPosition{} : WarcPosition{files_.rbegin()->first, bytes_};
}

std::size_t WarcWriter::memory_bytes() const {
  base::MutexLock lock(mutex_);
  return originals_.memory_bytes() + index_.memory_bytes();
}

fs::path WarcWriter::PathOf(std::uint32_t number) const {
  base::MutexLock lock(mutex_);
  const auto file = files_.find(number);
  if (file == files_.end()) return {};
  return file->second.open ? OpenPath(file->second.path) : file->second.path;
}

std::optional<WarcOriginal> WarcWriter::Original(const contentseen::Key128& payload) const {
  const std::optional<std::uint64_t> place = originals_.Find(payload);
  if (!place) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(*place >> kOffsetBits);
  const std::uint64_t offset = *place & ((std::uint64_t{1} << kOffsetBits) - 1);
  auto open = [&] {
    return WarcReader::Open(PathOf(number), {.piece_bytes = kHeadPiece}, offset);
  };
  auto reader = open();
  if (!reader) reader = open();  // it may just have got its final name
  auto record = reader ? (*reader)->OnlyHead() : std::nullopt;
  if (!record) return std::nullopt;
  return WarcOriginal{std::string(record->Field("WARC-Record-ID")),
                      std::string(record->Field("WARC-Target-URI")),
                      std::string(record->Field("WARC-Date"))};
}

}  // namespace crawler

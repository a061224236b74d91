#include "crawler/pipeline/suspects.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "base/bytes.h"
#include "base/check.h"
#include "base/descriptor.h"
#include "base/system_failure.h"
#include "crawler/pipeline/fault_note.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kFaultsPrefix = "deaths:";
constexpr std::string_view kKillsPrefix = "kills:";

constexpr std::size_t kSlotBytes = 4'096;
// That a file can have; more threads than this there are not.
constexpr std::size_t kSlotsMax = 256;

/// What one thread works at. The length is written last, and 0 says that there is nothing: a
/// process that dies meanwhile leaves no half of a URL.
struct Slot {
  std::uint32_t length;
  char url[kSlotBytes - 2 * sizeof(std::uint32_t)];
  std::uint32_t faulted;  // not 0: the thread itself died with it
};
static_assert(sizeof(Slot) == kSlotBytes);

Slot& SlotAt(void* map, std::size_t number) { return static_cast<Slot*>(map)[number]; }

// Release: whoever reads the file after our death finds the URL that the length is of.
void SetLength(Slot& slot, std::uint32_t length) {
  std::atomic_ref<std::uint32_t>(slot.length).store(length, std::memory_order_release);
}

/// Empty where nothing was worked at, or what stands there cannot be a slot's.
std::string_view UrlOf(const Slot& slot) {
  return slot.length <= sizeof slot.url ? std::string_view(slot.url, slot.length)
                                        : std::string_view();
}

std::string Key(std::string_view prefix, std::string_view url) {
  return std::string(prefix).append(url);
}

struct Mapped {
  void* map;
  std::size_t slots;
};

/// The file's slots, at least so many. (That of an earlier process may have more.)
base::Result<Mapped> Map(const std::filesystem::path& path, std::size_t slots) {
  constexpr char kFailed[] = "cannot be used";
  const base::Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  struct stat status;
  if (!file.ok() || fstat(file.get(), &status) != 0) return base::SystemFailure(path, kFailed);
  slots = std::clamp(static_cast<std::size_t>(status.st_size) / kSlotBytes, slots, kSlotsMax);
  // Room is taken now: a full disk found later would be a signal in mid-page.
  const std::size_t bytes = slots * kSlotBytes;
  const int error = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) return base::SystemFailure(path, kFailed, error);
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) return base::SystemFailure(path, kFailed);
  return Mapped{map, slots};
}

}  // namespace

base::Result<std::unique_ptr<Suspects>> Suspects::Open(const std::filesystem::path& path,
                                                       std::size_t slots, store::Store& store) {
  CHECK(slots > 0 && slots <= kSlotsMax);
  auto mapped = Map(path, slots);
  if (!mapped) return base::Fail(mapped.error().message);
  std::unique_ptr<Suspects> suspects(new Suspects(mapped->map, mapped->slots, store));
  if (auto counted = suspects->CountDeaths(); !counted) {
    return base::Fail(counted.error().message);
  }
  return suspects;
}

Suspects::~Suspects() { munmap(map_, slots_ * kSlotBytes); }

base::Status Suspects::ReadCounts(std::string_view prefix, std::uint32_t Deaths::*count) {
  auto cursor = store_.ReadPrefix(Table::kAbout, prefix);
  for (; cursor->Valid(); cursor->Next()) {
    base::ByteReader reader(cursor->value());
    const std::uint64_t deaths = reader.Varint();
    if (!reader.AtEnd()) return base::Fail("a count of deaths in the store is none");
    deaths_[std::string(cursor->key().substr(prefix.size()))].*count =
        static_cast<std::uint32_t>(deaths);
  }
  return cursor->status();
}

base::Status Suspects::CountDeaths() {
  if (auto read = ReadCounts(kFaultsPrefix, &Deaths::faults); !read) return read;
  if (auto read = ReadCounts(kKillsPrefix, &Deaths::kills); !read) return read;
  const std::span<Slot> slots(static_cast<Slot*>(map_), slots_);
  const bool faulted = std::ranges::any_of(slots, [](const Slot& slot) { return slot.faulted; });
  store::Batch batch;
  for (const Slot& slot : slots) {
    const std::string url(UrlOf(slot));
    if (url.empty() || (faulted && !slot.faulted)) continue;
    Deaths& deaths = deaths_[url];
    std::string value;
    base::AppendVarint(++(faulted ? deaths.faults : deaths.kills), value);
    batch.Put(Table::kAbout, Key(faulted ? kFaultsPrefix : kKillsPrefix, url), value);
  }
  if (!batch.empty()) {
    if (auto written = store_.Write(batch, store::Durability::kProcess); !written) return written;
  }
  for (Slot& slot : slots) {
    slot.faulted = 0;
    SetLength(slot, 0);
  }
  return {};
}

void Suspects::Begin(std::size_t slot, std::string_view url) {
  CHECK(slot < slots_);
  Slot& mine = SlotAt(map_, slot);
  if (url.size() > sizeof mine.url) return;
  std::memcpy(mine.url, url.data(), url.size());
  SetLength(mine, static_cast<std::uint32_t>(url.size()));
  NoteFaultsIn(&mine.faulted);
}

void Suspects::End(std::size_t slot) {
  NoteFaultsIn(nullptr);
  Slot& mine = SlotAt(map_, slot);
  const std::string url(deaths_.empty() ? std::string_view() : UrlOf(mine));
  SetLength(mine, 0);
  if (!deaths_.contains(url)) return;
  store::Batch batch;
  Forget(url, batch);
  static_cast<void>(store_.Write(batch, store::Durability::kProcess));
}

bool Suspects::IsDeadly(const std::string& url) const {
  const auto found = deaths_.find(url);
  return found != deaths_.end() &&
         (found->second.faults >= kFaultsMax || found->second.kills >= kKillsMax);
}

void Suspects::Forget(std::string_view url, store::Batch& batch) {
  batch.Delete(Table::kAbout, Key(kFaultsPrefix, url));
  batch.Delete(Table::kAbout, Key(kKillsPrefix, url));
}

}  // namespace crawler

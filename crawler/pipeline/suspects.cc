#include "crawler/pipeline/suspects.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/descriptor.h"
#include "base/system_failure.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kPrefix = "deaths:";

constexpr std::size_t kSlotBytes = 4'096;
// That a file can have; more threads than this there are not.
constexpr std::size_t kSlotsMax = 256;

/// What one thread works at. The length is written last, and 0 says that there is nothing: a
/// process that dies meanwhile leaves no half of a URL.
struct Slot {
  std::uint32_t length;
  char url[kSlotBytes - sizeof(std::uint32_t)];
};
static_assert(sizeof(Slot) == kSlotBytes);

Slot& SlotAt(void* map, std::size_t number) { return static_cast<Slot*>(map)[number]; }

// Release: whoever reads the file after our death finds the URL that the length is of.
void SetLength(Slot& slot, std::uint32_t length) {
  std::atomic_ref<std::uint32_t>(slot.length).store(length, std::memory_order_release);
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
  std::unique_ptr<Suspects> suspects(new Suspects(mapped->map, mapped->slots));
  if (auto counted = suspects->CountDeaths(store); !counted) {
    return base::Fail(counted.error().message);
  }
  return suspects;
}

Suspects::~Suspects() { munmap(map_, slots_ * kSlotBytes); }

base::Status Suspects::CountDeaths(store::Store& store) {
  auto cursor = store.ReadPrefix(Table::kAbout, kPrefix);
  for (; cursor->Valid(); cursor->Next()) {
    base::ByteReader reader(cursor->value());
    const std::uint64_t deaths = reader.Varint();
    if (!reader.AtEnd()) return base::Fail("a count of deaths in the store is none");
    deaths_[std::string(cursor->key().substr(kPrefix.size()))] =
        static_cast<std::uint32_t>(deaths);
  }
  if (auto read = cursor->status(); !read) return read;
  store::Batch batch;
  for (std::size_t i = 0; i < slots_; ++i) {
    const Slot& slot = SlotAt(map_, i);
    if (slot.length == 0 || slot.length > sizeof slot.url) continue;
    const std::string url(slot.url, slot.length);
    std::string value;
    base::AppendVarint(++deaths_[url], value);
    batch.Put(Table::kAbout, std::string(kPrefix).append(url), value);
  }
  if (!batch.empty()) {
    if (auto written = store.Write(batch, store::Durability::kProcess); !written) return written;
  }
  for (std::size_t i = 0; i < slots_; ++i) SetLength(SlotAt(map_, i), 0);
  return {};
}

void Suspects::Begin(std::size_t slot, std::string_view url) {
  CHECK(slot < slots_);
  Slot& mine = SlotAt(map_, slot);
  if (url.size() > sizeof mine.url) return;
  std::memcpy(mine.url, url.data(), url.size());
  SetLength(mine, static_cast<std::uint32_t>(url.size()));
}

void Suspects::End(std::size_t slot) { SetLength(SlotAt(map_, slot), 0); }

void Suspects::Clear(std::string_view url, store::Batch& batch) {
  batch.Delete(Table::kAbout, std::string(kPrefix).append(url));
}

}  // namespace crawler

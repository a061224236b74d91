#include "contentseen/reserved_memory.h"

#include <sys/mman.h>

#include <cerrno>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace contentseen {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

base::Result<ReservedMemory> ReservedMemory::Reserve(std::size_t bytes, bool huge_pages) {
  ReservedMemory memory;
  memory.mapped_size_ = bytes + kHugePage;
  void* mapped = mmap(nullptr, memory.mapped_size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return base::Fail("cannot reserve " + std::to_string(bytes >> 20) + " MB of address space (" +
                      std::strerror(errno) +
                      "): raise `ulimit -v` or set vm.overcommit_memory to 0 or 1");
  }
  memory.mapped_ = static_cast<std::byte*>(mapped);
  auto address = reinterpret_cast<std::uintptr_t>(mapped);
  memory.data_ = memory.mapped_ + ((kHugePage - address % kHugePage) % kHugePage);
  memory.size_ = bytes;
  memory.page_ = huge_pages ? kHugePage : 1;
#ifdef MADV_HUGEPAGE
  // A kernel that has no 2 MB pages refuses; small pages are slower, not wrong.
  (void)madvise(memory.data_, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  return memory;
}

ReservedMemory::ReservedMemory(ReservedMemory&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_size_(std::exchange(other.mapped_size_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      page_(std::exchange(other.page_, 1)) {}

ReservedMemory& ReservedMemory::operator=(ReservedMemory&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_size_, other.mapped_size_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(page_, other.page_);
  return *this;
}

ReservedMemory::~ReservedMemory() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

}  // namespace contentseen

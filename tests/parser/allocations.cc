#include "tests/parser/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

// Relaxed: read when the threads that allocate have been joined, or are this one.
std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> peak{0};

void Count(void* memory) {
  const std::size_t bytes = malloc_usable_size(memory);
  const std::size_t now = allocated.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t before = peak.load(std::memory_order_relaxed);
  while (before < now && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

void Discount(void* memory) {
  if (memory != nullptr) {
    allocated.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
  }
}

}  // namespace

namespace tests {

std::size_t AllocatedBytes() { return allocated.load(); }
std::size_t PeakBytes() { return peak.load(); }
void ResetPeak() { peak.store(allocated.load()); }

}  // namespace tests

// The others (of arrays, without exceptions) call these two.
void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) std::abort();
  Count(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  Discount(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

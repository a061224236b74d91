#pragma once

#include <cstddef>

#include "base/result.h"

namespace contentseen {

/// A stretch of address space, all zeros, of which memory is taken page by page as it is touched:
/// a table in it grows without ever moving.
///
/// Thread safety: constant after Reserve. Ownership: gives the memory back when it ends; movable.
class ReservedMemory {
 public:
  /// With `huge_pages` the kernel is asked for 2 MB pages.
  static base::Result<ReservedMemory> Reserve(std::size_t bytes, bool huge_pages);

  ReservedMemory() = default;
  ReservedMemory(ReservedMemory&& other) noexcept;
  ReservedMemory& operator=(ReservedMemory&& other) noexcept;
  ~ReservedMemory();

  /// Aligned to 2 MB.
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Bytes of memory that its first `bytes` take once they are touched: whole pages where 2 MB
  /// ones were asked for (a kernel that refused them takes less), else just these.
  std::size_t Taken(std::size_t bytes) const { return (bytes + page_ - 1) / page_ * page_; }

 private:
  std::byte* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  // What memory is counted by.
  std::size_t page_ = 1;
};

}  // namespace contentseen

#include "contentseen/hamming/hamming_part.h"

#include <algorithm>

namespace contentseen {
namespace {

constexpr unsigned kWindows = 3;
// Wider ones have more values than a list of kLong has fingerprints.
constexpr unsigned kWindowWidthMax = 16;

}  // namespace

HammingPart::HammingPart(unsigned shift, unsigned width, int threshold, unsigned k,
                         const HammingKernels& kernels)
    : outside_((shift + width) % 64),
      width_(std::min((64 - width) / kWindows, kWindowWidthMax)),
      k_(k),
      kernels_(kernels),
      cells_(shift, width, threshold, kernels, arena_) {}

HammingPart::~HammingPart() = default;

HammingWindows* HammingPart::Long::Find(std::uint32_t value) const {
  auto at = std::ranges::lower_bound(lists, value, {}, &List::value);
  return at != lists.end() && at->value == value ? at->windows : nullptr;
}

HammingWindows* HammingPart::WindowsOf(std::uint32_t value) const {
  const Long* all = long_.load(std::memory_order_acquire);
  return all == nullptr ? nullptr : all->Find(value);
}

void HammingPart::Append(std::uint64_t fingerprint) {
  const std::uint32_t value = cells_.Value(fingerprint);
  base::MutexLock lock(append_locks_[value % append_locks_.size()]);
  const HammingBag& list = cells_.Append(fingerprint);
  if (!list.large()) return;
  if (HammingWindows* windows = WindowsOf(value); windows != nullptr) {
    windows->Append(fingerprint);
  } else if (list.size() >= kLong) {
    Split(value);
  }
}

// The value's lock is held: nothing is appended to its list meanwhile.
void HammingPart::Split(std::uint32_t value) {
  auto windows =
      std::make_unique<HammingWindows>(outside_, width_, kWindows, k_, kernels_, arena_);
  cells_.List(value).ForEach([&](std::uint64_t x) { windows->Append(x); });
  windows_bytes_.fetch_add(windows->bytes(), std::memory_order_relaxed);
  base::MutexLock lock(split_mutex_);
  const Long* before = long_.load(std::memory_order_relaxed);
  auto after = before == nullptr ? std::make_unique<Long>() : std::make_unique<Long>(*before);
  const auto at = std::ranges::lower_bound(after->lists, value, {}, &Long::List::value);
  after->lists.insert(at, {value, windows.get()});
  windows_.push_back(std::move(windows));
  all_long_.push_back(std::move(after));
  long_.store(all_long_.back().get(), std::memory_order_release);
}

bool HammingPart::Contains(std::uint64_t fingerprint) const {
  const HammingWindows* windows = WindowsOf(cells_.Value(fingerprint));
  return windows != nullptr ? windows->Contains(fingerprint) : cells_.Contains(fingerprint);
}

}  // namespace contentseen

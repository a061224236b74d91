#include "contentseen/hamming/hamming_windows.h"

#include <bit>

#include "base/check.h"

namespace contentseen {

HammingWindows::HammingWindows(unsigned first, unsigned width, unsigned count, unsigned k,
                               const HammingKernels& kernels, HammingArena& arena)
    : first_(first), k_(k) {
  CHECK(count >= 1 && count * width <= 64);
  // The thresholds add up to k - count + 1; a window whose threshold would be negative is not
  // needed.
  for (unsigned i = 0; i < count; ++i) {
    const int threshold = static_cast<int>((k + count - i) / count) - 1;
    if (threshold < 0) continue;
    windows_.push_back(
        std::make_unique<HammingCells>(i * width, width, threshold, kernels, arena));
  }
}

std::uint64_t HammingWindows::Turned(std::uint64_t x) const {
  return std::rotr(x, static_cast<int>(first_));
}

std::uint64_t HammingWindows::TurnedBack(std::uint64_t x) const {
  return std::rotl(x, static_cast<int>(first_));
}

void HammingWindows::Append(std::uint64_t fingerprint) {
  for (const auto& window : windows_) window->Append(Turned(fingerprint));
}

bool HammingWindows::Contains(std::uint64_t fingerprint) const {
  return windows_[0]->Contains(Turned(fingerprint));
}

bool HammingWindows::ReachedEarlier(std::size_t i, std::uint64_t query, std::uint64_t x) const {
  for (std::size_t earlier = 0; earlier < i; ++earlier) {
    if (windows_[earlier]->Reaches(query, x)) return true;
  }
  return false;
}

std::uint64_t HammingWindows::bytes() const {
  std::uint64_t bytes = sizeof(HammingWindows);
  for (const auto& window : windows_) bytes += window->bytes();
  return bytes;
}

}  // namespace contentseen

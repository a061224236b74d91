#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "contentseen/hamming/hamming_cells.h"

namespace contentseen {

/// A long list of fingerprints that have some bits in common, by windows of their other bits: of
/// what is within k of a query, at least one window is within its threshold (the general
/// pigeonhole principle, hamming_plan.h), so that few of the list are compared.
///
/// Thread safety: one thread appends, any number read and never wait. Cost: 8 bytes for each value
/// of each window, and those of its list (hamming_bag.h).
class HammingWindows {
 public:
  /// `count` windows of `width` bits each, upwards from bit `first`; after bit 63 comes bit 0.
  /// The arena outlives it.
  HammingWindows(unsigned first, unsigned width, unsigned count, unsigned k,
                 const HammingKernels& kernels, HammingArena& arena);

  void Append(std::uint64_t fingerprint);
  bool Contains(std::uint64_t fingerprint) const;

  /// visit(fingerprint) -> bool for each within k of `query`, once; false as soon as a visit is.
  template <class Visit>
  bool VisitWithin(std::uint64_t query, Visit&& visit) const {
    const std::uint64_t turned = Turned(query);
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const bool all = windows_[i]->VisitWithin(turned, k_, [&](std::uint64_t x) {
        return ReachedEarlier(i, turned, x) || visit(TurnedBack(x));
      });
      if (!all) return false;
    }
    return true;
  }

  /// Beside what the arena has; always the same.
  std::uint64_t bytes() const;

 private:
  // Fingerprints are kept turned, so that the windows begin at bit 0.
  std::uint64_t Turned(std::uint64_t x) const;
  std::uint64_t TurnedBack(std::uint64_t x) const;
  // Whether a window before number i has met x.
  bool ReachedEarlier(std::size_t i, std::uint64_t query, std::uint64_t x) const;

  const unsigned first_;
  const unsigned k_;
  std::vector<std::unique_ptr<HammingCells>> windows_;
};

}  // namespace contentseen

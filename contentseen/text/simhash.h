#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "contentseen/fingerprint.h"
#include "contentseen/text/features.h"

namespace contentseen {

/// Ways to count bits; all give equal results. The fastest one that the machine has is used.
enum class SimHashKernel : std::uint8_t { kScalar, kSwar, kAvx2, kAvx512 };

std::string_view Name(SimHashKernel kernel);
/// The machine can run it.
bool IsAvailable(SimHashKernel kernel);
/// The fastest available one; settled once.
SimHashKernel BestKernel();

/// Charikar's SimHash (STOC 2002) as Manku, Jain and Das Sarma use it (WWW 2007, section 2): for
/// each bit the weights of the features that have it set, minus those of the others; the
/// fingerprint has the bits whose sum is positive.
///
///     SimHash simhash;
///     simhash.Add(hashes, /*weight=*/2);
///     Fingerprint fingerprint = simhash.Finish();
///
/// Promises: the order of features does not matter; a sum of 0 gives a 0 bit; no features give 0;
/// sums are 64 bits wide, so no input overflows them.
/// Thread safety: one thread at a time. Cost: about 1 ns a feature with AVX2 or AVX-512, 3 ns
/// without.
class SimHash {
 public:
  /// REQUIRES: IsAvailable(kernel).
  explicit SimHash(SimHashKernel kernel = BestKernel()) : kernel_(kernel) {}

  static constexpr std::uint32_t kWeightMax = 1u << 20;

  /// Adds features that all have one weight, 0..kWeightMax.
  void Add(std::span<const std::uint64_t> hashes, std::uint32_t weight = 1);
  /// Adds features with weights of their own. REQUIRES: as many weights as hashes.
  void Add(std::span<const std::uint64_t> hashes, std::span<const std::uint8_t> weights);

  Fingerprint Finish() const;

 private:
  SimHashKernel kernel_;
  // Sum of the weights of features with bit i set, and of all.
  std::array<std::uint64_t, kFingerprintBits> set_{};
  std::uint64_t total_ = 0;
};

/// The fingerprint of a text's features.
Fingerprint SimHashOf(const Features& features, SimHashKernel kernel = BestKernel());

}  // namespace contentseen

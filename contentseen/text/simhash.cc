#include "contentseen/text/simhash.h"

#include <algorithm>

#include "base/check.h"
#include "contentseen/text/simd.h"
#include "contentseen/text/simhash_kernels.h"

namespace contentseen {
namespace {

constexpr std::array kFastestFirst = {SimHashKernel::kAvx512, SimHashKernel::kAvx2,
                                      SimHashKernel::kSwar, SimHashKernel::kScalar};

CountBits FunctionOf(SimHashKernel kernel) {
  switch (kernel) {
    case SimHashKernel::kScalar:
      return CountBitsScalar;
    case SimHashKernel::kSwar:
      return CountBitsSwar;
#if defined(CONTENTSEEN_X86)
    case SimHashKernel::kAvx2:
      return CountBitsAvx2;
    case SimHashKernel::kAvx512:
      return CountBitsAvx512;
#else
    case SimHashKernel::kAvx2:
    case SimHashKernel::kAvx512:
      break;
#endif
  }
  return CountBitsSwar;
}

}  // namespace

std::string_view Name(SimHashKernel kernel) {
  switch (kernel) {
    case SimHashKernel::kScalar:
      return "scalar";
    case SimHashKernel::kSwar:
      return "swar";
    case SimHashKernel::kAvx2:
      return "avx2";
    case SimHashKernel::kAvx512:
      return "avx512";
  }
  return "";
}

bool IsAvailable(SimHashKernel kernel) {
#if defined(CONTENTSEEN_X86)
  if (kernel == SimHashKernel::kAvx2) return __builtin_cpu_supports("avx2");
  if (kernel == SimHashKernel::kAvx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  }
  return true;
#else
  return kernel == SimHashKernel::kScalar || kernel == SimHashKernel::kSwar;
#endif
}

SimHashKernel BestKernel() {
  static const SimHashKernel best =
      *std::find_if(kFastestFirst.begin(), kFastestFirst.end(), IsAvailable);
  return best;
}

void SimHash::Add(std::span<const std::uint64_t> hashes, std::uint32_t weight) {
  CHECK(weight <= kWeightMax);
  const CountBits count = FunctionOf(kernel_);
  total_ += std::uint64_t{weight} * hashes.size();
  while (!hashes.empty()) {
    const std::size_t n = std::min(hashes.size(), kKernelHashesMax);
    std::array<std::uint32_t, kFingerprintBits> counts{};
    count(hashes.data(), nullptr, n, counts.data());
    for (std::size_t i = 0; i < counts.size(); ++i) set_[i] += std::uint64_t{weight} * counts[i];
    hashes = hashes.subspan(n);
  }
}

void SimHash::Add(std::span<const std::uint64_t> hashes, std::span<const std::uint8_t> weights) {
  CHECK(hashes.size() == weights.size());
  const CountBits count = FunctionOf(kernel_);
  for (const std::uint8_t weight : weights) total_ += weight;
  while (!hashes.empty()) {
    const std::size_t n = std::min(hashes.size(), kKernelHashesMax);
    std::array<std::uint32_t, kFingerprintBits> counts{};
    count(hashes.data(), weights.data(), n, counts.data());
    for (std::size_t i = 0; i < counts.size(); ++i) set_[i] += counts[i];
    hashes = hashes.subspan(n);
    weights = weights.subspan(n);
  }
}

Fingerprint SimHash::Finish() const {
  Fingerprint fingerprint = 0;
  for (std::size_t i = 0; i < set_.size(); ++i) {
    // The sum is what has the bit minus what has not: positive when more than half has it.
    fingerprint |= Fingerprint{set_[i] > total_ - set_[i]} << i;
  }
  return fingerprint;
}

Fingerprint SimHashOf(const Features& features, SimHashKernel kernel) {
  SimHash simhash(kernel);
  for (const Features::Block& block : features.blocks) simhash.Add(block.hashes, block.weight);
  return simhash.Finish();
}

}  // namespace contentseen

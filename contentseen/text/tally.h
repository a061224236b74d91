#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contentseen {

/// Counts how often each hash was met, to damp repetition: of n occurrences those numbered 1, 2,
/// 4, 8 ... kCountMax are kept, 1 + floor(log2 n) of them.
///
///     Tally tally;
///     Tally::Damped damped = tally.Damp(hashes.data(), hashes.size());
///     hashes.resize(damped.kept);
///
/// A table of buckets of eight slots of 32 bits: 24 bits of the hash and the count. The slots of a
/// bucket are compared at once, so nothing depends on a branch that would be guessed wrong: that
/// is what counting a hash costs otherwise. Two different hashes are taken for one when those bits
/// and the bucket agree: among n of them in about n / 2^22 cases (and one hash in 2^24 is not
/// counted as distinct).
///
/// Thread safety: one thread at a time (it keeps its table). Cost: 2 ns a hash with AVX-512, 3
/// with SSE2; memory 6 to 13 bytes a hash.
class Tally {
 public:
  static constexpr std::uint32_t kCountMax = 128;

  struct Damped {
    std::size_t kept = 0;
    std::size_t distinct = 0;
  };
  /// Moves those of `hashes` that are kept to the front, in their order.
  Damped Damp(std::uint64_t* hashes, std::size_t n);

  /// The same in portable C++; for tests. (Damp() chooses what the processor does best.)
  Damped DampPortably(std::uint64_t* hashes, std::size_t n);

  std::size_t capacity_bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }
  /// Gives all memory back.
  void Release() { std::vector<std::uint32_t>().swap(slots_); }

 private:
  void Clear(std::size_t hashes);

  std::vector<std::uint32_t> slots_;
  std::size_t slot_mask_ = 0;
};

}  // namespace contentseen

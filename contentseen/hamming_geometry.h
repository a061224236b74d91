#pragma once

#include <cstdint>

namespace contentseen {

/// Which line a codeword lives in while the table grows line by line.
///
/// Linear hashing with partial expansions (Litwin, VLDB 1980; Larson, VLDB 1980): 2^bits groups of
/// `share` lines, 8 to 15, each group a line larger when its turn comes. Line t of group j is
/// number t * 2^bits + j, so growth appends at the end and nothing else moves. When all groups
/// have 16 lines they are taken as twice as many groups of 8. Groups below `split` have grown in
/// this round.
///
/// Codewords are first mixed (a bijection of their 26 information bits, so that counting numbers
/// and the like spread); of the mixed word b_1..b_22 (low) a (the top 4 bits), the group is
/// b_1..b_bits, and the line within it is floor(y * share) for the fraction y = 0.a b_(bits+1)
/// rest: the top bits of y at share 32 are exactly the next group bit below the new share of 16.
///
/// The tag keeps b_13..b_22, bit 31 and the syndrome. With `bits` >= 12 the line number gives the
/// others but a, and a is the only value whose y falls in the line, because a line covers at most
/// one sixteenth of all y.
///
/// Thread safety: a value; Pack() makes it one atomic word. Cost: a dozen instructions each.
struct HammingGeometry {
  static constexpr std::uint32_t kBitsMin = 12;
  static constexpr std::uint32_t kBitsMax = 22;
  static constexpr std::uint32_t kShareMin = 16;
  static constexpr std::uint32_t kMix = 0x2c9277b;
  static constexpr std::uint32_t kUnmix = [] {
    std::uint32_t inverse = 1;
    for (int i = 0; i < 5; ++i) inverse *= 2 - kMix * inverse;
    return inverse;
  }();
  static constexpr std::uint32_t kInformation = (1U << 26) - 1;

  std::uint32_t bits = kBitsMin;
  std::uint32_t share = kShareMin;
  std::uint32_t split = 0;
  /// Groups from `split` on that are being rewritten at this moment.
  std::uint32_t busy = 0;

  std::uint64_t Pack() const {
    return std::uint64_t{split} | std::uint64_t{bits} << 24 | std::uint64_t{share} << 32 |
           std::uint64_t{busy} << 40;
  }
  static HammingGeometry Unpack(std::uint64_t packed) {
    return {static_cast<std::uint32_t>(packed >> 24 & 255),
            static_cast<std::uint32_t>(packed >> 32 & 255),
            static_cast<std::uint32_t>(packed & 0xffffff),
            static_cast<std::uint32_t>(packed >> 40)};
  }

  /// The smallest with at least `lines` lines, or the largest there is.
  static HammingGeometry For(std::uint64_t lines) {
    HammingGeometry geometry;
    while (geometry.bits < kBitsMax && (std::uint64_t{2} * kShareMin << geometry.bits) <= lines) {
      ++geometry.bits;
    }
    std::uint64_t groups = std::uint64_t{1} << geometry.bits;
    if (lines < kShareMin * groups) lines = kShareMin * groups;
    if (lines >= std::uint64_t{2} * kShareMin * groups)
      lines = std::uint64_t{2} * kShareMin * groups - 1;
    geometry.share = static_cast<std::uint32_t>(lines >> geometry.bits);
    geometry.split = static_cast<std::uint32_t>(lines & (groups - 1));
    return geometry;
  }
  std::uint64_t lines() const { return (std::uint64_t{share} << bits) + split; }
  bool full() const {
    return bits == kBitsMax && share == 2 * kShareMin - 1 && split + 1 == 1U << bits;
  }
  /// After `groups` more groups have grown. REQUIRES: not past the end of the round.
  HammingGeometry Grown(std::uint32_t groups) const {
    HammingGeometry next = *this;
    next.busy = 0;
    next.split += groups;
    if (next.split == 1U << bits) {
      next.split = 0;
      ++next.share;
      if (next.share == 2 * kShareMin) {
        next.share = kShareMin;
        ++next.bits;
      }
    }
    return next;
  }

  /// The mixed form of a codeword number; bit 26 stays. Mixed words only are meant below.
  static std::uint32_t Mix(std::uint32_t codeword) {
    std::uint32_t mixed = codeword * kMix & kInformation;
    return (mixed ^ mixed >> 13) | (codeword & ~kInformation);
  }
  static std::uint32_t Unmix(std::uint32_t mixed) {
    std::uint32_t word = mixed & kInformation;
    return ((word ^ word >> 13) * kUnmix & kInformation) | (mixed & ~kInformation);
  }
  static std::uint32_t Tag(std::uint32_t mixed, std::uint32_t syndrome) {
    return syndrome | (mixed >> 12 & 1023) << 5 | (mixed >> 26) << 15;
  }

  std::uint32_t Group(std::uint32_t mixed) const { return mixed & ((1U << bits) - 1); }
  std::uint32_t Share(std::uint32_t group) const { return share + (group < split ? 1 : 0); }
  std::uint32_t LineOf(std::uint32_t mixed) const { return LineOf(mixed, Share(Group(mixed))); }
  /// As if the word's group had `group_share` lines.
  std::uint32_t LineOf(std::uint32_t mixed, std::uint32_t group_share) const {
    std::uint32_t line = (Fraction(mixed) * group_share) >> (RestBits() + 4);
    return line << bits | Group(mixed);
  }
  /// The smallest fraction y in `line`, whose group has `group_share` lines.
  std::uint32_t FirstOf(std::uint32_t line, std::uint32_t group_share) const {
    return (((line >> bits) << (RestBits() + 4)) + group_share - 1) / group_share;
  }
  /// The mixed word of the fingerprint with `tag` in `line`; `first` is FirstOf(line).
  std::uint32_t WordOf(std::uint32_t line, std::uint32_t tag, std::uint32_t first) const {
    std::uint32_t high = tag >> 5 & 1023;
    std::uint32_t bit31 = tag >> 15;
    std::uint32_t rest = Rotated(bits == kBitsMax ? bit31 : high >> (bits - 12));
    std::uint32_t rest_bits = RestBits();
    std::uint32_t fraction = first + ((rest - first) & ((1U << rest_bits) - 1));
    return (line & 0xfff) | high << 12 | fraction >> rest_bits << 22 | bit31 << 26;
  }

 private:
  std::uint32_t RestBits() const { return bits == kBitsMax ? 1 : kBitsMax - bits; }
  std::uint32_t Rotated(std::uint32_t rest) const {
    return (rest & 1) << (RestBits() - 1) | rest >> 1;
  }
  std::uint32_t Fraction(std::uint32_t mixed) const {
    std::uint32_t rest = bits == kBitsMax ? mixed >> 26 : (mixed & ((1U << 22) - 1)) >> bits;
    return (mixed >> 22 & 15) << RestBits() | Rotated(rest);
  }
};

}  // namespace contentseen

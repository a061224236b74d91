#pragma once

#include <algorithm>
#include <cstdint>

namespace contentseen {

/// Which line a codeword lives in while the table grows line by line.
///
/// Linear hashing with partial expansions (Litwin, VLDB 1980; Larson, VLDB 1980): 2^bits groups of
/// `share` lines, 4 to 7, each group a line larger when its turn comes. Line t of group j is
/// number t * 2^bits + j, so growth appends at the end and nothing else moves. When all groups
/// have 8 lines they are taken as twice as many groups of 4. Groups below `split` have grown in
/// this round; groups grow kUnit at a time.
///
/// Why 4 to 7: between 8 and 16, say, every fingerprint would be rewritten twice as often while
/// the table doubles, and the lines be a little more even; the overflow evens that out for less.
///
/// Codewords are first mixed (a bijection of their 26 information bits, so that counting numbers
/// and the like spread); of the mixed word b_1..b_24 (low) a (the top 2 bits), the group is
/// b_1..b_bits, and the line within it is floor(y * share) for the fraction y = 0.a b_(bits+1)
/// rest: the top bits of y at share 8 are exactly the next group bit below the new share of 4.
///
/// The tag keeps b_15..b_24, bit 31 and the syndrome. With `bits` >= 14 the line number gives the
/// others but a, and a is the only value whose y falls in the line, because a line covers at most
/// a quarter of all y.
///
/// Thread safety: a value; Pack() makes it one atomic word. Cost: a dozen instructions each.
struct HammingGeometry {
  static constexpr std::uint32_t kBitsMin = 14;
  static constexpr std::uint32_t kBitsMax = 24;
  static constexpr std::uint32_t kShareMin = 4;
  /// `split` is a multiple of this.
  static constexpr std::uint32_t kUnit = 1024;
  /// Bits of a, and the codeword's bits below a; those from kTagFirst on are in the tag.
  static constexpr std::uint32_t kTopBits = 2;
  static constexpr std::uint32_t kTopFirst = 24;
  static constexpr std::uint32_t kTagFirst = 14;
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
    lines = (lines + kUnit - 1) / kUnit * kUnit;
    while (geometry.bits < kBitsMax && (std::uint64_t{2} * kShareMin << geometry.bits) <= lines) {
      ++geometry.bits;
    }
    std::uint64_t groups = std::uint64_t{1} << geometry.bits;
    lines = std::clamp(lines, kShareMin * groups, 2 * kShareMin * groups - kUnit);
    geometry.share = static_cast<std::uint32_t>(lines >> geometry.bits);
    geometry.split = static_cast<std::uint32_t>(lines & (groups - 1));
    return geometry;
  }
  std::uint64_t lines() const { return (std::uint64_t{share} << bits) + split; }
  bool full() const {
    return bits == kBitsMax && share == 2 * kShareMin - 1 && split + kUnit == 1U << bits;
  }
  /// After kUnit more groups have grown. REQUIRES: !full().
  HammingGeometry Grown() const {
    HammingGeometry next = *this;
    next.busy = 0;
    next.split += kUnit;
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
    return syndrome | (mixed >> kTagFirst & 1023) << 5 | (mixed >> 26) << 15;
  }

  std::uint32_t Group(std::uint32_t mixed) const { return mixed & ((1U << bits) - 1); }
  std::uint32_t Share(std::uint32_t group) const { return share + (group < split ? 1 : 0); }
  std::uint32_t LineOf(std::uint32_t mixed) const { return LineOf(mixed, Share(Group(mixed))); }
  /// As if the word's group had `group_share` lines.
  std::uint32_t LineOf(std::uint32_t mixed, std::uint32_t group_share) const {
    std::uint32_t line = (Fraction(mixed) * group_share) >> (RestBits() + kTopBits);
    return line << bits | Group(mixed);
  }
  /// The smallest fraction y in `line`, whose group has `group_share` lines.
  std::uint32_t FirstOf(std::uint32_t line, std::uint32_t group_share) const {
    return (((line >> bits) << (RestBits() + kTopBits)) + group_share - 1) / group_share;
  }
  /// The mixed word of the fingerprint with `tag` in `line`; `first` is FirstOf(line).
  std::uint32_t WordOf(std::uint32_t line, std::uint32_t tag, std::uint32_t first) const {
    std::uint32_t high = tag >> 5 & 1023;
    std::uint32_t bit31 = tag >> 15;
    std::uint32_t rest = Rotated(bits == kBitsMax ? bit31 : high >> (bits - kTagFirst));
    std::uint32_t rest_bits = RestBits();
    std::uint32_t fraction = first + ((rest - first) & ((1U << rest_bits) - 1));
    return (line & ((1U << kTagFirst) - 1)) | high << kTagFirst |
           fraction >> rest_bits << kTopFirst | bit31 << 26;
  }

 private:
  std::uint32_t RestBits() const { return bits == kBitsMax ? 1 : kBitsMax - bits; }
  std::uint32_t Rotated(std::uint32_t rest) const {
    return (rest & 1) << (RestBits() - 1) | rest >> 1;
  }
  std::uint32_t Fraction(std::uint32_t mixed) const {
    std::uint32_t rest =
        bits == kBitsMax ? mixed >> 26 : (mixed & ((1U << kTopFirst) - 1)) >> bits;
    return (mixed >> kTopFirst & 3) << RestBits() | Rotated(rest);
  }
};

}  // namespace contentseen

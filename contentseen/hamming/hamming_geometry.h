#pragma once

#include <algorithm>
#include <cstdint>

namespace contentseen {

/// How a line holds its fingerprints, and the filter of its home.
struct HammingLayout {
  static constexpr std::uint32_t kSlotsMax = 12;
  /// Fields of a home's filter, a bit in each for every tag: one of 16 bits, which all layouts
  /// have, and two of 8.
  static constexpr std::uint32_t kFirstField = 0x0000ffff;
  static constexpr std::uint32_t kThirdField = 0xff000000;
  static constexpr std::uint32_t kAllFields = 0xffffffff;

  /// Fingerprints a line holds.
  std::uint32_t slots;
  /// Bits [upper_first, upper_first + upper_bits) of the mixed word are stored beside the tag.
  std::uint32_t upper_first;
  std::uint32_t upper_bits;
  /// The fields of the filter that a line has room for.
  std::uint32_t fields;

  /// What a tag sets in the filter.
  std::uint32_t Mark(std::uint32_t tag) const { return WholeMark(tag) & fields; }
  /// In all fields. Of a tag that is alone all three are its own eight bits; any two are
  /// independent.
  static std::uint32_t WholeMark(std::uint32_t tag) {
    std::uint32_t first = (tag ^ (tag >> 5 & 3)) & 15;
    std::uint32_t second = tag >> 4 & 7;
    std::uint32_t third = (tag >> 5 ^ tag >> 2) & 7;
    return 1U << first | 1U << (16 + second) | 1U << (24 + third);
  }
};

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
/// The line number tells b_1..b_bits, and a is the only value whose y falls in the line, because a
/// line covers at most a quarter of all y. The rest must be stored with a fingerprint: syndrome,
/// b_23, b_24 and bit 31 (the tag, a byte), and in the smaller tables some of b_15..b_22, for
/// which a line has fewer slots or a shorter filter (HammingLayout). A group that is rewritten as
/// 8 lines is so in the layout that it will have as two groups of 4.
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
  static constexpr std::uint32_t kTagFirst = 22;
  static constexpr HammingLayout kLayouts[] = {{10, 14, 8, HammingLayout::kFirstField},
                                               {10, 17, 5, HammingLayout::kAllFields},
                                               {11, 20, 2, HammingLayout::kAllFields},
                                               {12, 22, 0, HammingLayout::kFirstField}};
  /// Fingerprints a line at which the table grows: more is slower (overflow), less is larger. One
  /// load while lines have ten slots, another where all have more, from kRoomyLines on. From half
  /// of these on it falls evenly from the one to the other: growth would have to hurry else.
  static constexpr double kLoad = 11.2;
  static constexpr double kRoomyLoad = 10;
  static constexpr double kRoomyLines = 1 << 22;
  /// Meanwhile there is room for kFallingFrom and, by each line, kFallingLoad.
  static constexpr double kFallingLoad = 2 * kRoomyLoad - kLoad;
  static constexpr double kFallingFrom = (kRoomyLoad - kFallingLoad) * kRoomyLines;
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

  /// For `n` fingerprints.
  static HammingGeometry ForFingerprints(std::uint64_t n) {
    const auto all = static_cast<double>(n);
    const double roomy = std::min((all - kFallingFrom) / kFallingLoad, all / kRoomyLoad);
    return For(static_cast<std::uint64_t>(std::max(all / kLoad, roomy)) + 1);
  }
  /// Fingerprints from which on it should grow.
  std::uint64_t Capacity() const {
    const auto all = static_cast<double>(lines());
    const double roomy = std::max(kFallingFrom + all * kFallingLoad, all * kRoomyLoad);
    return static_cast<std::uint64_t>(std::min(all * kLoad, roomy));
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
  /// Syndrome (bits 0..4), b_23 and b_24 (5, 6), bit 31 (7).
  static std::uint32_t Tag(std::uint32_t mixed, std::uint32_t syndrome) {
    return syndrome | (mixed >> kTagFirst & 3) << 5 | (mixed >> 26) << 7;
  }

  std::uint32_t Group(std::uint32_t mixed) const { return mixed & ((1U << bits) - 1); }
  std::uint32_t Share(std::uint32_t group) const { return share + (group < split ? 1 : 0); }
  std::uint32_t LineOf(std::uint32_t mixed) const { return LineOf(mixed, Share(Group(mixed))); }
  /// As if the word's group had `group_share` lines.
  std::uint32_t LineOf(std::uint32_t mixed, std::uint32_t group_share) const {
    std::uint32_t line = (Fraction(mixed) * group_share) >> (RestBits() + kTopBits);
    return line << bits | Group(mixed);
  }

  /// The geometry in which all groups are as the one of `line`; the same lines have the same
  /// numbers. Then:
  HammingGeometry Around(std::uint32_t line) const {
    std::uint32_t its_share = Share(Group(line));
    if (its_share == 2 * kShareMin && bits < kBitsMax) return {bits + 1, kShareMin, 0, 0};
    return {bits, its_share, 0, 0};
  }
  const HammingLayout& Layout() const {
    return kLayouts[bits < 17 ? 0 : bits < 20 ? 1 : bits < 22 ? 2 : 3];
  }
  /// The smallest fraction y in `line`.
  std::uint32_t FirstOf(std::uint32_t line) const {
    return (((line >> bits) << (RestBits() + kTopBits)) + share - 1) / share;
  }
  /// The mixed word of a fingerprint in `line`, of which FirstOf(line) is `first`; `upper` are the
  /// bits that the layout stores beside the tag.
  std::uint32_t WordOf(std::uint32_t line, std::uint32_t tag, std::uint32_t upper,
                       std::uint32_t first) const {
    std::uint32_t bit31 = tag >> 7;
    std::uint32_t stored = (tag >> 5 & 3) << kTagFirst | upper << Layout().upper_first;
    std::uint32_t group_mask = (1U << bits) - 1;
    std::uint32_t low = (line & group_mask) | (stored & ~group_mask);
    std::uint32_t rest = Rotated(bits == kBitsMax ? bit31 : low >> bits);
    std::uint32_t rest_bits = RestBits();
    std::uint32_t fraction = first + ((rest - first) & ((1U << rest_bits) - 1));
    return low | fraction >> rest_bits << kTopFirst | bit31 << 26;
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

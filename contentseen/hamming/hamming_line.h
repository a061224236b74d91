#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "contentseen/hamming/hamming_geometry.h"

namespace contentseen {

/// What a line's meta says of its home, but for the filter's first field (above kFilterFirst).
struct HammingMeta {
  static constexpr unsigned kFilterFirst = 16;

  std::uint32_t count = 0;
  bool heavy = false;
  std::uint32_t overflow = 0;

  static HammingMeta From(std::uint32_t bits) {
    return {bits & 31, (bits & 32) != 0, bits >> 6 & 1023};
  }
  /// Of its fingerprints those in slots, and those in overflow.
  std::uint32_t InSlots(const HammingLayout& layout) const {
    return std::min(count, layout.slots);
  }
  std::uint32_t InOverflow() const {
    return std::max(count, HammingLayout::kSlotsMax) - HammingLayout::kSlotsMax;
  }
  bool HasSlot(const HammingLayout& layout) const { return count < layout.slots; }
  /// The first field of the Marks of all tags of one codeword with one of these syndromes.
  static std::uint32_t FirstFieldOf(std::uint32_t tag, std::uint32_t syndromes) {
    std::uint32_t bits = (syndromes | syndromes >> 16) & 0xffff;
    std::uint32_t flips = tag >> 5 & 3;
    if ((flips & 1) != 0) bits = (bits & 0x5555) << 1 | (bits & 0xaaaa) >> 1;
    if ((flips & 2) != 0) bits = (bits & 0x3333) << 2 | (bits & 0xcccc) >> 2;
    return bits;
  }
};

/// The same with all of the filter: what who writes the line knows.
struct HammingWholeMeta : HammingMeta {
  /// Marks; of fields that the line's layout has.
  std::uint32_t filter = 0;

  /// Whether one with this Mark may be in overflow or heavy.
  bool MayHaveElsewhere(std::uint32_t mark) const { return (filter & mark) == mark; }
  /// The meta.
  std::uint32_t Bits() const {
    return count | (heavy ? 32U : 0U) | overflow << 6 | filter << kFilterFirst;
  }
};

/// A bucket: one cache line of fingerprints whose cell addresses it. Each is the other half (32
/// bits), a tag (8 bits) and, by the layout, upper bits, which with the line's number tell its
/// cell.
///
///     byte           0..39               40..46       47      48..57       58      59      60..63
///     10, upper 8    other half of 0..9  upper of 0..7        tag of 0..9  upper of 8, 9   meta
///     10, upper 5    other half of 0..9  upper bits   filter  tag of 0..9          filter  meta
///     11, upper 2    other half, to 43   upper bits   filter  tag of 0..10         filter  meta
///     12             other half, to 47                        tag of 0..11                 meta
///
/// So others and tags are in the same places whatever the layout, and who compares all twelve of
/// both meets a few that are none, which the exact comparison afterwards refuses.
///
/// meta: bits 0..4 how many fingerprints have this home if there is room for them; else 12 + how
/// many are in overflow. 5 some cells of this home are heavy, 6..15 the overflow line within the
/// region, 16..31 the filter's first field. Byte 59 is the second, byte 47 the third, where the
/// layout has them. The filter has the Mark of every fingerprint in overflow or in a heavy cell,
/// so that few lookups have to go there.
///
/// Thread safety: written under the region's lock, word by word; a fingerprint is complete before
/// the count that covers it (release), and readers take the count first (acquire). Rewriting a
/// line is announced in the table's state, which readers compare afterwards.
struct alignas(64) HammingLine {
  static constexpr std::uint32_t kSlotsMax = HammingLayout::kSlotsMax;

  /// A fingerprint as it lies in a slot.
  struct Slot {
    std::uint32_t other;
    std::uint32_t tag;
    std::uint32_t upper;
    bool operator==(const Slot&) const = default;
  };

  std::uint64_t words[8];

  // Release and acquire throughout: no costlier than relaxed on x86, and readers that see a
  // rewritten word are then sure to see the state that announced the rewriting.
  std::uint64_t Word(unsigned i) const {
    return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(words[i]))
        .load(std::memory_order_acquire);
  }
  void SetWord(unsigned i, std::uint64_t value) {
    std::atomic_ref<std::uint64_t>(words[i]).store(value, std::memory_order_release);
  }
  /// A copy, the count first.
  HammingLine Snapshot() const {
    HammingLine copy;
    for (unsigned i = 8; i-- > 0;) copy.words[i] = Word(i);
    return copy;
  }

  /// Writes an empty slot and the meta that counts it. REQUIRES: nobody else writes the line.
  void Fill(unsigned number, const Slot& slot, const HammingLayout& layout, std::uint32_t meta) {
    std::uint64_t last = Word(7) & kBelowMeta;
    auto add = [&](Place place, std::uint64_t value) {
      if (place.word == 7) {
        last |= value << place.shift;
      } else {
        SetWord(place.word, Word(place.word) | value << place.shift);
      }
    };
    add(OtherPlace(number), slot.other);
    add(UpperPlace(number, layout), slot.upper);
    add(TagPlace(number), slot.tag);
    SetWord(7, last | std::uint64_t{meta} << 32);
  }

  /// Marks are added to those that the line has. (In two steps: who looks in between may miss the
  /// fingerprint that they are for, whose insertion has not ended. Who looks afterwards does not.)
  void SetMeta(const HammingWholeMeta& meta) {
    if (meta.filter >> 24 != 0) SetWord(5, Word(5) | std::uint64_t{meta.filter >> 24} << 56);
    const std::uint64_t second = std::uint64_t{meta.filter >> 16 & 0xff} << 24;
    SetWord(7, (Word(7) & kBelowMeta) | second | std::uint64_t{meta.Bits()} << 32);
  }
  HammingWholeMeta Meta(const HammingLayout& layout) const {
    const std::uint64_t last = Word(7);
    return {HammingMeta::From(static_cast<std::uint32_t>(last >> 32)),
            FilterOf(last, Word(5)) & layout.fields};
  }
  /// The filter, from the last word and the sixth; of fields that the layout has not, anything.
  static std::uint32_t FilterOf(std::uint64_t last, std::uint64_t sixth) {
    return static_cast<std::uint32_t>(last >> 48) |
           static_cast<std::uint32_t>(last >> 24 & 0xff) << 16 |
           static_cast<std::uint32_t>(sixth >> 56) << 24;
  }

  // Of a line that nobody else writes.
  Slot Get(unsigned number, const HammingLayout& layout) const {
    auto get = [&](Place place) {
      return static_cast<std::uint32_t>(words[place.word] >> place.shift);
    };
    return {get(OtherPlace(number)), get(TagPlace(number)) & 0xff,
            get(UpperPlace(number, layout)) & ((1U << layout.upper_bits) - 1)};
  }
  std::uint32_t meta() const { return static_cast<std::uint32_t>(words[7] >> 32); }

 private:
  static constexpr std::uint64_t kBelowMeta = 0xffffffff;
  struct Place {
    unsigned word;
    unsigned shift;
  };
  static Place OtherPlace(unsigned slot) { return {slot / 2, slot % 2 * 32}; }
  static Place TagPlace(unsigned slot) { return {6 + slot / 8, slot % 8 * 8}; }
  static Place UpperPlace(unsigned slot, const HammingLayout& layout) {
    if (layout.upper_bits == 8 && slot >= 8) return {7, 16 + slot % 8 * 8};
    return {5, (layout.slots > 10 ? 32 : 0) + slot * layout.upper_bits};
  }
};
static_assert(sizeof(HammingLine) == 64);

}  // namespace contentseen

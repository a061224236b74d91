#pragma once

#include <atomic>
#include <cstdint>

namespace contentseen {

/// A bucket: one cache line of up to ten fingerprints whose cell addresses it, each as the other
/// half (32 bits) and a tag (16 bits) that tells the cell among those of the line.
///
///     word    0 1 2 3 4            5 6            7
///     holds   other half of 0..9 | tags of 0..7 | tags of 8, 9; meta
///
/// meta: bits 0..4 how many fingerprints have this home (more than ten: the rest is in overflow),
/// 5 some cells of this home are heavy, 6..15 the overflow line within the region, 16..31 a
/// filter: bit FilterBit(tag) is set for every fingerprint in overflow or in a heavy cell, so that
/// few lookups have to go there.
///
/// Thread safety: written under the region's lock, word by word; a fingerprint is complete before
/// the count that covers it (release), and readers take the count first (acquire). Rewriting a
/// line is announced in the table's state, which readers compare afterwards.
struct alignas(64) HammingLine {
  static constexpr std::uint32_t kSlots = 10;

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
  void Fill(unsigned slot, std::uint32_t tag, std::uint32_t other, std::uint32_t meta) {
    SetWord(slot / 2, Word(slot / 2) | std::uint64_t{other} << (slot % 2 * 32));
    std::uint64_t in_place = std::uint64_t{tag} << (slot % 4 * 16);
    std::uint64_t last = Word(7) & 0xffffffff;
    if (slot < 8) {
      SetWord(5 + slot / 4, Word(5 + slot / 4) | in_place);
    } else {
      last |= in_place;
    }
    SetWord(7, last | std::uint64_t{meta} << 32);
  }

  // Of a line that nobody else writes.
  std::uint32_t Other(unsigned slot) const {
    return static_cast<std::uint32_t>(words[slot / 2] >> (slot % 2 * 32));
  }
  std::uint32_t Tag(unsigned slot) const {
    return static_cast<std::uint32_t>(words[5 + slot / 4] >> (slot % 4 * 16)) & 0xffff;
  }
  std::uint32_t meta() const { return static_cast<std::uint32_t>(words[7] >> 32); }
  void Put(unsigned slot, std::uint32_t tag, std::uint32_t other) {
    Replace(words[slot / 2], slot % 2 * 32, 0xffffffff, other);
    Replace(words[5 + slot / 4], slot % 4 * 16, 0xffff, tag);
  }
  void SetMeta(std::uint32_t meta) { Replace(words[7], 32, 0xffffffff, meta); }

 private:
  static void Replace(std::uint64_t& word, unsigned shift, std::uint64_t mask,
                      std::uint64_t value) {
    word = (word & ~(mask << shift)) | value << shift;
  }
};
static_assert(sizeof(HammingLine) == 64);

/// The fields of a line's meta.
struct HammingMeta {
  std::uint32_t count = 0;
  bool heavy = false;
  std::uint32_t overflow = 0;
  std::uint32_t filter = 0;

  static HammingMeta From(std::uint32_t bits) {
    return {bits & 31, (bits & 32) != 0, bits >> 6 & 1023, bits >> 16};
  }
  std::uint32_t Bits() const { return count | (heavy ? 32U : 0U) | overflow << 6 | filter << 16; }
  static std::uint32_t FilterBit(std::uint32_t tag) { return 1U << ((tag ^ tag >> 5) & 15); }
  /// FilterBit of every tag of one codeword with one of these syndromes.
  static std::uint32_t FilterOf(std::uint32_t tag, std::uint32_t syndromes) {
    std::uint32_t bits = (syndromes | syndromes >> 16) & 0xffff;
    std::uint32_t flips = tag >> 5 & 15;
    if ((flips & 1) != 0) bits = (bits & 0x5555) << 1 | (bits & 0xaaaa) >> 1;
    if ((flips & 2) != 0) bits = (bits & 0x3333) << 2 | (bits & 0xcccc) >> 2;
    if ((flips & 4) != 0) bits = (bits & 0x0f0f) << 4 | (bits & 0xf0f0) >> 4;
    if ((flips & 8) != 0) bits = (bits & 0x00ff) << 8 | (bits & 0xff00) >> 8;
    return bits;
  }
};

}  // namespace contentseen

#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace contentseen {

/// The perfect [31,26] Hamming code, over the low 31 bits of a 32-bit half; bit 31 is carried
/// along. Every 31-bit word is a codeword or one bit away from exactly one, so a half is the same
/// thing as (number of its nearest codeword, syndrome):
///
///     HammingCell cell = HammingCode::Encode(half);
///     half == HammingCode::Decode(cell.codeword, cell.syndrome);
///
/// Why: the 32 words within distance one of a half lie around only 16 codewords (1 if the half is
/// itself one), and this stays so however many codewords share a bucket; addressing buckets by
/// leading bits costs one bucket more for every bit of the address.
///
/// Thread safety: pure functions. Cost: four table reads.
struct HammingCell {
  /// Bits 0..25: information bits of the codeword (positions 5..30); bit 26: bit 31 of the half.
  std::uint32_t codeword = 0;
  /// 0: the half is the codeword; else the label of the one position where they differ.
  std::uint32_t syndrome = 0;
};

/// Cells of one codeword that a ball meets.
struct HammingBallEntry {
  /// XOR with the codeword (bits 0..25) of the ball's centre.
  std::uint32_t codeword_flips = 0;
  /// Bit s: the cell with syndrome s lies in the ball, with bit 31 as in the centre.
  std::uint32_t syndromes = 0;
  /// The same with bit 31 flipped.
  std::uint32_t syndromes_flipped = 0;
};

class HammingCode {
 public:
  static std::uint32_t Syndrome(std::uint32_t half) {
    return kSyndromes[0][half & 255] ^ kSyndromes[1][half >> 8 & 255] ^
           kSyndromes[2][half >> 16 & 255] ^ kSyndromes[3][half >> 24];
  }
  static HammingCell Encode(std::uint32_t half) {
    std::uint32_t syndrome = Syndrome(half);
    return {(half ^ kLeaders[syndrome]) >> 5, syndrome};
  }
  static std::uint32_t Decode(std::uint32_t codeword, std::uint32_t syndrome) {
    std::uint32_t information = codeword << 5;
    return (information | Syndrome(information)) ^ kLeaders[syndrome];
  }

  /// The ball of `radius` (<= 2) around a half with syndrome `syndrome`: the home codeword first.
  static std::vector<HammingBallEntry> Ball(std::uint32_t syndrome, unsigned radius);

 private:
  // Position i has label kLabels[i]; positions 0..4 (parity) have the powers of two, so that the
  // syndrome of the information bits is the parity bits themselves. Bit 31 has none.
  static constexpr std::array<std::uint8_t, 32> kLabels = [] {
    std::array<std::uint8_t, 32> labels{};
    unsigned position = 5;
    for (unsigned label = 1; label < 32; ++label) {
      if ((label & (label - 1)) != 0) labels[position++] = static_cast<std::uint8_t>(label);
    }
    for (unsigned i = 0; i < 5; ++i) labels[i] = static_cast<std::uint8_t>(1U << i);
    labels[31] = 0;
    return labels;
  }();
  static constexpr std::array<std::uint32_t, 32> kLeaders = [] {
    std::array<std::uint32_t, 32> leaders{};
    for (unsigned i = 0; i < 31; ++i) leaders[kLabels[i]] = 1U << i;
    return leaders;
  }();
  static constexpr std::array<std::array<std::uint8_t, 256>, 4> kSyndromes = [] {
    std::array<std::array<std::uint8_t, 256>, 4> tables{};
    for (unsigned byte = 0; byte < 4; ++byte) {
      for (unsigned value = 0; value < 256; ++value) {
        unsigned syndrome = 0;
        for (unsigned bit = 0; bit < 8; ++bit) {
          if ((value >> bit & 1U) != 0) syndrome ^= kLabels[8 * byte + bit];
        }
        tables[byte][value] = static_cast<std::uint8_t>(syndrome);
      }
    }
    return tables;
  }();
};

}  // namespace contentseen

#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>

#include "contentseen/block_index.h"
#include "contentseen/detector.h"

namespace contentseen {

/// Near means: SimHash fingerprints of 64 bits at Hamming distance <= k (Charikar, STOC 2002;
/// Manku, Jain, Das Sarma, WWW 2007). The signature is the fingerprint; the best match is the
/// nearest.
///
///     auto detector = std::make_unique<SimHashDetector>(3);
///
/// Thread safety: all methods, at once.
class SimHashDetector final : public Detector {
 public:
  /// REQUIRES: 0 <= k <= 10, in bits.
  explicit SimHashDetector(int k);

  std::string_view name() const override { return "simhash"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Similar(const Signature& a, const Signature& b) const override;
  std::optional<Match> Find(const Signature& signature) const override;
  void Insert(const Signature& signature, DocumentId document) override;
  std::size_t size() const override { return index_.size(); }
  std::size_t memory_bytes() const override { return index_.memory_bytes(); }

 private:
  const int k_;
  BlockIndex index_;
};

}  // namespace contentseen

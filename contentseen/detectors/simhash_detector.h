#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/detectors/fingerprint_index.h"

namespace contentseen {

/// Near means: SimHash fingerprints of 64 bits at Hamming distance <= k (Charikar, STOC 2002;
/// Manku, Jain, Das Sarma, WWW 2007). The signature is the fingerprint; the best match is the
/// nearest.
///
///     auto detector = SimHashDetector::Create(3);
///     if (!detector) return base::Fail(detector.error().message);
///
/// Thread safety: all methods, at once.
class SimHashDetector final : public Detector {
 public:
  /// `documents_expected` is a hint, 0 where unknown. REQUIRES: 0 <= k <= 10, in bits. Fails when
  /// memory is refused.
  static base::Result<std::unique_ptr<SimHashDetector>> Create(
      int k, std::uint64_t documents_expected = 0);

  std::string_view name() const override { return "simhash"; }
  bool Sign(const AnalyzedText& text, Signature* signature) const override;
  bool Takes(const Signature& signature) const override { return signature.size() == 1; }
  bool Similar(const Signature& a, const Signature& b) const override;
  Evidence Compare(const Signature& a, const Signature& b) const override;
  Evidence Least() const override;
  std::optional<Match> Find(const Signature& signature) const override;
  void Insert(const Signature& signature, DocumentId document) override;
  void InsertBatch(std::span<const SignedDocument> documents) override;
  bool Save(ImageWriter& image) const override {
    index_->Save(image);
    return true;
  }
  base::Status Load(ImageReader& image) override { return index_->Load(image); }
  std::size_t size() const override { return index_->size(); }
  std::size_t memory_bytes() const override { return index_->memory_bytes(); }

 private:
  SimHashDetector(int k, std::unique_ptr<FingerprintIndex> index)
      : k_(k), index_(std::move(index)) {}

  const int k_;
  const std::unique_ptr<FingerprintIndex> index_;
};

}  // namespace contentseen

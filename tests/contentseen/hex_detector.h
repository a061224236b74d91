#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "contentseen/detectors/simhash_detector.h"

namespace tests {

/// Takes its fingerprints from the texts: "0123456789abcdef ..." has that one, and a text that
/// does not begin with sixteen hex digits is too short. So a test places documents where it wants
/// them.
class HexDetector : public contentseen::Detector {
 public:
  explicit HexDetector(int k) : simhash_(contentseen::SimHashDetector::Create(k).value()) {}

  std::string_view name() const override { return "hex"; }
  bool Sign(const contentseen::AnalyzedText& text,
            contentseen::Signature* signature) const override {
    const auto fingerprint = contentseen::ParseFingerprint(text.normalized().substr(0, 16));
    if (!fingerprint) return false;
    signature->assign(1, *fingerprint);
    return true;
  }
  bool Similar(const contentseen::Signature& a, const contentseen::Signature& b) const override {
    return simhash_->Similar(a, b);
  }
  contentseen::Evidence Compare(const contentseen::Signature& a,
                                const contentseen::Signature& b) const override {
    return simhash_->Compare(a, b);
  }
  std::optional<contentseen::Match> Find(const contentseen::Signature& signature) const override {
    return simhash_->Find(signature);
  }
  void Insert(const contentseen::Signature& signature, contentseen::DocumentId document) override {
    simhash_->Insert(signature, document);
  }
  std::size_t size() const override { return simhash_->size(); }
  std::size_t memory_bytes() const override { return simhash_->memory_bytes(); }

 private:
  std::unique_ptr<contentseen::SimHashDetector> simhash_;
};

}  // namespace tests

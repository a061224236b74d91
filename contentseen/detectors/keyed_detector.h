#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "contentseen/detectors/detector.h"
#include "contentseen/detectors/key_index.h"
#include "contentseen/detectors/signature_store.h"
#include "contentseen/fingerprint.h"

namespace contentseen {

/// What the detectors have in common that look candidates up by keys: two signatures that are
/// Similar() share a key. Which keys is theirs to say; what shares a key is compared by Similar()
/// itself, so Find() is exact whatever else shares one.
///
/// The first word of a signature is the text's SimHash, for the log only; the rest is the
/// method's.
///
/// Cost of Find(): a look-up for each key, and a comparison for each document that shares one. A
/// crawl admits no document similar to another: where sharing a key *is* similarity, every key has
/// at most one.
class KeyedDetector : public Detector {
 public:
  std::optional<Match> Find(const Signature& signature) const final;
  void Insert(const Signature& signature, DocumentId document) final;
  bool Save(ImageWriter& image) const override;
  base::Status Load(ImageReader& image) override;
  std::size_t size() const final { return signatures_.size(); }
  std::size_t memory_bytes() const override {
    return signatures_.memory_bytes() + index_.memory_bytes();
  }

  /// Similar() and Compare() on signatures wherever they lie.
  using Words = std::span<const std::uint64_t>;
  bool Similar(const Signature& a, const Signature& b) const final { return IsSimilar(a, b); }
  Evidence Compare(const Signature& a, const Signature& b) const final { return Weigh(a, b); }

 protected:
  /// Under a key the first `documents_max` documents are found; a method that needs all of them
  /// leaves it unbounded.
  explicit KeyedDetector(std::uint64_t seed, std::uint32_t documents_max = KeyIndex::kUnbounded)
      : index_(seed, documents_max) {}

  virtual Evidence Weigh(Words a, Words b) const = 0;
  virtual bool IsSimilar(Words a, Words b) const = 0;
  /// The keys under which a signature is put, and those under which it looks. Of two similar
  /// signatures each looks under a key of the other.
  virtual std::vector<std::uint64_t> Keys(Words signature) const = 0;
  virtual std::vector<std::uint64_t> KeysToAsk(Words signature) const { return Keys(signature); }
  /// Of how many documents Find() would look under a key.
  std::size_t DocumentsUnder(std::uint64_t key) const { return index_.Count(key); }
  /// Whether they are known to be of one host.
  virtual bool KnownOfOneHost(Words /*a*/, Words /*b*/) const { return false; }
  /// A document with this signature was admitted.
  virtual void Learn(Words /*signature*/) {}

 private:
  SignatureStore signatures_;
  // Filled after signatures_; its mutexes order the two for whoever finds a place here.
  KeyIndex index_;
};

/// The number of positions at which two spans of one size are equal.
std::uint32_t EqualWords(KeyedDetector::Words a, KeyedDetector::Words b);

}  // namespace contentseen

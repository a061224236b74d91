#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "contentseen/analyzed_text.h"
#include "contentseen/document_id.h"
#include "contentseen/fingerprint.h"

namespace contentseen {

/// What a detector keeps of a text: words whose meaning only the detector knows (one fingerprint,
/// six supershingles, 112 minima ...). Stored beside the page.
using Signature = std::vector<std::uint64_t>;

/// An admitted document that a signature resembles.
struct Match {
  DocumentId original = kNoDocument;
  /// Hamming distance of the two fingerprints, 0..64.
  int distance = 0;
  Fingerprint original_fingerprint = 0;
};

/// A method that tells near-duplicates, with the index of the documents admitted so far.
///
///     Signature signature;
///     if (detector->Sign(text, &signature)) match = detector->Find(signature);
///
/// Promises that ContentSeen's proof rests on: Similar() is symmetric and depends on nothing but
/// its arguments; Find() returns the best of all inserted documents whose signature is Similar()
/// to the one asked for (the detector says what "best" means; ties go to the smallest id) and
/// nothing only when there is none. What was inserted before a call began is seen by it.
///
/// Thread safety: all methods, at once.
class Detector {
 public:
  virtual ~Detector() = default;

  /// As the configuration spells it, e.g. "simhash".
  virtual std::string_view name() const = 0;
  /// Makes the signature of a text. False when the text carries too little for this method: then
  /// only exact equality of texts counts.
  virtual bool Sign(const AnalyzedText& text, Signature* signature) const = 0;
  /// Two documents with these signatures are near-duplicates.
  virtual bool Similar(const Signature& a, const Signature& b) const = 0;
  /// The best admitted document similar to `signature`.
  virtual std::optional<Match> Find(const Signature& signature) const = 0;
  /// Admits a document. REQUIRES: `document` was not inserted before.
  virtual void Insert(const Signature& signature, DocumentId document) = 0;
  /// Documents inserted.
  virtual std::size_t size() const = 0;
  /// Bytes of memory that the index takes, within a few percent.
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace contentseen

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contentseen/document_id.h"
#include "contentseen/evidence.h"
#include "contentseen/fingerprint.h"
#include "contentseen/image.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// What a detector keeps of a text: words whose meaning only the detector knows (one fingerprint,
/// six supershingles, 112 minima ...). Stored beside the page.
using Signature = std::vector<std::uint64_t>;

/// A document to be admitted. Ownership: of the signature, the caller's.
struct SignedDocument {
  const Signature* signature = nullptr;
  DocumentId document = kNoDocument;
};

/// An admitted document that a signature resembles.
struct Match {
  DocumentId original = kNoDocument;
  /// Hamming distance of the two SimHash fingerprints, 0..64, whatever the method.
  int distance = 0;
  Fingerprint original_fingerprint = 0;
  /// Why.
  Evidence evidence{};
  /// One of the documents that the signature resembles, this or another, is of its own host; of
  /// detectors that know no hosts none is.
  bool on_own_host = false;
};

/// A method that tells near-duplicates, with the index of the documents admitted so far.
///
///     Signature signature;
///     if (detector->Sign(text, &signature)) match = detector->Find(signature);
///
/// Promises that ContentSeen's proof rests on: Similar() is symmetric and depends on nothing but
/// its arguments; Find() returns the best of all inserted documents whose signature is Similar()
/// to the one asked for and nothing only when there is none; the best is the one with the
/// strongest evidence, of equally strong ones that with the smallest id. What was inserted before
/// a call began is seen by it. (Of documents with equal signatures, which ContentSeen never admits
/// both, only the one inserted first need be remembered.) A detector that looks at a bounded
/// number of candidates (VerifiedDetector, SpotSigsDetector) says so: where there are more, which
/// of them it sees depends on the order in which they were inserted.
///
/// Thread safety: all methods, at once.
class Detector {
 public:
  virtual ~Detector() = default;

  /// As the configuration spells it, e.g. "simhash". An image is known by it: of a caller's own it
  /// names all that its signatures and Save() depend on, and is no built-in one's.
  virtual std::string_view name() const = 0;
  /// Makes the signature of a text. False when the text carries too little for this method: then
  /// only exact equality of texts counts.
  virtual bool Sign(const AnalyzedText& text, Signature* signature) const = 0;
  /// Whether Sign() can have made it, by its shape: what it may be given back from a store.
  virtual bool Takes(const Signature& signature) const { return !signature.empty(); }
  /// Two documents with these signatures are near-duplicates.
  virtual bool Similar(const Signature& a, const Signature& b) const = 0;
  /// How far the two agree, similar or not; symmetric, and depends on nothing but its arguments.
  virtual Evidence Compare(const Signature& a, const Signature& b) const = 0;
  /// What Compare() must reach by each measure for Similar() to hold, for any pair (some pairs may
  /// need more); names the measures. For evaluation and explanation, and for the evidence of
  /// repeated verdicts, which has numbers without names where this names no measures.
  virtual Evidence Least() const { return {}; }
  /// What it must reach for these two; measures that do not matter to them are left out.
  virtual Evidence LeastOf(const Signature& /*a*/, const Signature& /*b*/) const {
    return Least();
  }
  /// What the signature was made of.
  virtual Basis BasisOf(const Signature& /*signature*/) const { return Basis::kWholeText; }
  /// The best admitted document similar to `signature`.
  virtual std::optional<Match> Find(const Signature& signature) const = 0;
  /// Admits a document; one for which there is no room any more is forgotten. REQUIRES: `document`
  /// was not inserted before, and Takes() the signature.
  virtual void Insert(const Signature& signature, DocumentId document) = 0;
  /// A document with this signature was judged near one that was inserted, for that is what Find()
  /// answered, and is not inserted. A detector may learn from it what signs the next ones better,
  /// and changes no answer of Find().
  virtual void Reject(const Signature& /*signature*/, const Match& /*match*/) {}
  /// Writes all that was inserted; false for detectors that do not know how. REQUIRES: nobody
  /// inserts meanwhile.
  virtual bool Save(ImageWriter& /*image*/) const { return false; }
  /// Takes it back into a new detector with the same options: sooner than by inserting it again.
  /// Says why where that cannot be, or throws std::bad_alloc; after that a detector is of no use.
  /// REQUIRES: nobody else knows it.
  virtual base::Status Load(ImageReader& /*image*/) {
    return base::Fail("the detector " + std::string(name()) + " keeps no image");
  }
  /// Insert for each; a detector may know how to be quicker about many.
  virtual void InsertBatch(std::span<const SignedDocument> documents) {
    for (const SignedDocument& each : documents) Insert(*each.signature, each.document);
  }
  /// Documents inserted.
  virtual std::size_t size() const = 0;
  /// Bytes of memory that the index takes, within a few percent.
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace contentseen

#pragma once

#include <cstdint>
#include <string_view>

#include "contentseen/digest.h"
#include "contentseen/document_id.h"
#include "contentseen/evidence.h"
#include "contentseen/fingerprint.h"

namespace contentseen {

/// How a page's content relates to the documents admitted before it.
enum class Kind : std::uint8_t {
  kNew,         // nothing like it: admitted
  kExactBytes,  // the body is byte for byte that of the original
  kExactText,   // other bytes, the same normalised text
  kNear,        // another text within the detector's threshold
};

/// As the logs spell it: "new", "exact-bytes", "exact-text", "near".
std::string_view Name(Kind kind);

/// What ContentSeen found about one page.
struct Verdict {
  Kind kind = Kind::kNew;
  /// No visible text. Such a page is new, is remembered nowhere, and makes no other a duplicate.
  bool empty = false;
  /// Fewer features than the minimum, or too little for the detector (Detector::Sign()): only
  /// exact equality was asked, near was not.
  bool too_short = false;
  /// The admitted document that this page duplicates; kNoDocument when new.
  DocumentId original = kNoDocument;
  /// Hamming distance to the original's fingerprint, 0..64; 0 when new.
  int distance = 0;
  /// Why the detector calls it near, as far as is known; also where that verdict is repeated.
  Evidence evidence{};
  /// What of the text was compared.
  Basis basis = Basis::kWholeText;
  /// 0 for an empty page.
  Fingerprint fingerprint = 0;
  /// 0 when new.
  Fingerprint original_fingerprint = 0;
  /// SHA-256 of the normalised text; none when the verdict was repeated from the bytes alone.
  Digest text_digest{};
  /// Where the verdict was repeated because the same bytes were judged before: the first document
  /// judged with them, admitted or not (after ContentSeen::Restore(), of those rejected the one
  /// with the smallest id). Else kNoDocument.
  DocumentId same_bytes_as = kNoDocument;
  /// Different features of the text.
  std::uint32_t features = 0;
  /// The call's place in the order that all verdicts agree with, from 1; 0 from FindExact().
  std::uint64_t sequence = 0;

  bool IsNew() const { return kind == Kind::kNew; }

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace contentseen

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "contentseen/detectors/detector.h"
#include "contentseen/digest.h"
#include "contentseen/document_id.h"
#include "contentseen/evidence.h"
#include "contentseen/fingerprint.h"
#include "contentseen/verdict.h"

namespace contentseen {

/// What must be kept of a judged page so that a later process judges on as if it had judged it
/// itself: ContentSeen::CheckAndInsert() makes it, ContentSeen::Restore() takes it back.
///
///     DocumentRecord record;
///     Verdict verdict = seen.CheckAndInsert(submission, &record);
///     if (record.id != kNoDocument) store(record.id, Encode(record));
///
/// Thread safety: a value. Cost: as bytes, about 75 for an admitted page under SimHash.
struct DocumentRecord {
  /// kNoDocument: nothing is remembered of the page. It has no text, or the bytes of an earlier
  /// one.
  DocumentId id = kNoDocument;
  Digest body{};
  /// None where the page was not admitted.
  Digest text{};
  Fingerprint fingerprint = 0;
  std::uint32_t features = 0;
  bool too_short = false;
  // The verdict; of a page that is not new also its original.
  Kind kind = Kind::kNew;
  DocumentId original = kNoDocument;
  int distance = 0;
  Fingerprint original_fingerprint = 0;
  /// What Verdict::evidence counted, equal and total by each measure; what the things are, the
  /// detector knows.
  std::array<std::uint32_t, 4> evidence{};
  Basis basis = Basis::kWholeText;
  /// The detector's; empty where the page was not admitted or is too short.
  Signature signature{};

  friend bool operator==(const DocumentRecord&, const DocumentRecord&) = default;
};

/// The record as bytes, its id left out (the key it is stored under). docs/formats.md has them.
std::string Encode(const DocumentRecord& record);

/// The record again; nothing for bytes that Encode() cannot have written.
std::optional<DocumentRecord> DecodeDocument(DocumentId id, std::string_view bytes);
/// The same into `record`, whose memory is used again; false, and its id kNoDocument, for other
/// bytes.
bool DecodeDocument(DocumentId id, std::string_view bytes, DocumentRecord* record);

}  // namespace contentseen

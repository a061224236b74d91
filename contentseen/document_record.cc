#include "contentseen/document_record.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace contentseen {
namespace {

// The first byte: two bits of the kind, then these.
constexpr std::uint64_t kKindMask = 3;
constexpr std::uint64_t kTooShort = 4;
constexpr std::uint64_t kHasSignature = 8;
// The signature is the fingerprint alone, as SimHash's is.
constexpr std::uint64_t kIsFingerprint = 16;
// Two bits of the basis stand above.
constexpr unsigned kBasisShift = 5;
constexpr std::uint64_t kBasisMask = 3;
constexpr std::uint64_t kFlagsMask = 127;

// How the signature is written.
std::uint64_t SignatureFlag(const DocumentRecord& record) {
  if (record.signature.empty()) return 0;
  const bool is_fingerprint =
      record.signature.size() == 1 && record.signature[0] == record.fingerprint;
  return is_fingerprint ? kIsFingerprint : kHasSignature;
}

void AppendDigest(const Digest& digest, std::string& out) {
  out.append(digest.bytes.begin(), digest.bytes.end());
}

Digest TakeDigest(base::ByteReader& reader) {
  Digest digest;
  const std::string_view bytes = reader.Bytes(digest.bytes.size());
  std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
  return digest;
}

// Not `sound` where a number is written in more bytes than it needs.
std::uint64_t TakeNumber(base::ByteReader& reader, bool* sound) {
  const std::string_view rest = reader.rest();
  const std::uint64_t number = reader.Varint();
  std::string again;  // too short for the heap
  base::AppendVarint(number, again);
  *sound = *sound && rest.starts_with(again);
  return number;
}

// Nor where it has more than 32 bits.
std::uint32_t TakeCount(base::ByteReader& reader, bool* sound) {
  const std::uint64_t number = TakeNumber(reader, sound);
  const auto count = static_cast<std::uint32_t>(number);
  *sound = *sound && count == number;
  return count;
}

}  // namespace

std::string Encode(const DocumentRecord& record) {
  std::uint64_t flags = static_cast<std::uint64_t>(record.kind) | SignatureFlag(record);
  flags |= static_cast<std::uint64_t>(record.basis) << kBasisShift;
  if (record.too_short) flags |= kTooShort;

  std::string out;
  base::AppendBigEndian(flags, out, 1);
  AppendDigest(record.body, out);
  base::AppendBigEndian(record.fingerprint, out);
  base::AppendVarint(record.features, out);
  if (record.kind == Kind::kNew) {
    AppendDigest(record.text, out);
  } else {
    base::AppendVarint(record.original, out);
    base::AppendBigEndian(static_cast<std::uint64_t>(record.distance), out, 1);
    base::AppendBigEndian(record.original_fingerprint, out);
    for (const std::uint32_t count : record.evidence) base::AppendVarint(count, out);
  }
  if ((flags & kHasSignature) != 0) {
    base::AppendVarint(record.signature.size(), out);
    for (const std::uint64_t word : record.signature) base::AppendBigEndian(word, out);
  }
  return out;
}

bool DecodeDocument(DocumentId id, std::string_view bytes, DocumentRecord* record) {
  Signature signature = std::move(record->signature);
  signature.clear();
  *record = {.signature = std::move(signature)};
  base::ByteReader reader(bytes);
  const std::uint64_t flags = reader.BigEndian(1);
  record->kind = static_cast<Kind>(flags & kKindMask);
  record->too_short = (flags & kTooShort) != 0;
  const std::uint64_t basis = flags >> kBasisShift & kBasisMask;
  record->basis = static_cast<Basis>(basis);
  record->body = TakeDigest(reader);
  record->fingerprint = reader.BigEndian();
  bool sound = true;
  record->features = TakeCount(reader, &sound);
  if (record->kind == Kind::kNew) {
    record->text = TakeDigest(reader);
  } else {
    record->original = TakeNumber(reader, &sound);
    record->distance = static_cast<int>(reader.BigEndian(1));
    record->original_fingerprint = reader.BigEndian();
    for (std::uint32_t& count : record->evidence) count = TakeCount(reader, &sound);
  }
  if ((flags & kIsFingerprint) != 0) record->signature.push_back(record->fingerprint);
  if ((flags & kHasSignature) != 0) {
    const std::uint64_t words = TakeNumber(reader, &sound);
    for (std::uint64_t i = 0; i < words && reader.ok(); ++i) {
      record->signature.push_back(reader.BigEndian());
    }
  }
  const bool whole = reader.AtEnd() && sound && (flags & ~kFlagsMask) == 0 &&
                     (flags & (kHasSignature | kIsFingerprint)) == SignatureFlag(*record) &&
                     id != kNoDocument && basis <= static_cast<std::uint64_t>(Basis::kOwnText) &&
                     record->distance <= kFingerprintBits;
  if (whole) record->id = id;
  return whole;
}

std::optional<DocumentRecord> DecodeDocument(DocumentId id, std::string_view bytes) {
  DocumentRecord record;
  if (!DecodeDocument(id, bytes, &record)) return std::nullopt;
  return record;
}

}  // namespace contentseen

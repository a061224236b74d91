#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace crawler {

/// The named fields of a WARC record in their order; one may stand more than once.
using WarcFields = std::vector<std::pair<std::string, std::string>>;

/// How digests are computed and written: `sha1:` in upper-case Base32 as everybody does it, or
/// `sha256:` in lower-case hex (whose Base32 would need padding, which the grammar forbids).
enum class WarcDigest : std::uint8_t { kSha1, kSha256 };

/// Of a response record, the field that says why ContentSeen did not judge the page; a judged one
/// has none (docs/warc.md).
inline constexpr char kDispositionField[] = "ContentSeen-Disposition";
/// What it says of a robots.txt, which has no Disposition.
inline constexpr std::string_view kRobotsDisposition = "robots.txt";

/// A random name for a record, "<urn:uuid:...>" (RFC 4122, version 4).
std::string WarcRecordId();

/// A record to be written (WARC 1.1, section 4): fields and block.
///
///     WarcRecord record("response", date);
///     record.Add("WARC-Target-URI", url);
///     record.SetBlock("application/http; msgtype=response", block, WarcDigest::kSha1);
///     file.Append(GzipMember(record.text(), 3));
///
/// Thread safety: a value.
class WarcRecord {
 public:
  /// `date`: when what it holds was captured, kept to the second.
  WarcRecord(std::string_view type, base::WallTime date, std::string id = WarcRecordId());

  /// Line breaks in `value` would end the field: they become spaces.
  void Add(std::string_view name, std::string_view value);
  /// Adds Content-Type, WARC-Block-Digest, Content-Length and the block; once, and last.
  void SetBlock(std::string_view content_type, std::string_view block, WarcDigest digest);

  /// "<urn:uuid:...>".
  const std::string& id() const { return id_; }
  /// The record as it stands in a file. REQUIRES: a block.
  const std::string& text() const { return text_; }

 private:
  std::string id_;
  std::string text_ = "WARC/1.1\r\n";
};

/// "2026-01-01T00:00:00Z".
std::string WarcDate(base::WallTime time);
/// What labelled digests of that kind begin with, "sha1:" or "sha256:".
std::string_view DigestLabel(WarcDigest kind);
/// "sha1:..." or "sha256:...".
std::string LabelledDigest(WarcDigest kind, std::string_view bytes);
/// RFC 4648 section 6, upper case, with padding.
std::string Base32(std::string_view bytes);

/// Whether `label` names the bytes: SHA-1, SHA-256 or MD5, in Base32 or hex, in either case.
/// Nothing when it cannot be told (another algorithm, or no digest at all).
std::optional<bool> DigestMatches(std::string_view label, std::string_view bytes);

}  // namespace crawler

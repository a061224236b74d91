#pragma once

#include <cstdint>
#include <string>

#include "crawler/data/log_fields.h"

namespace crawler {

/// Why one page was skipped: a line of DATA/skipped.jsonl.
struct SkipRecord {
  base::WallTime time{};
  /// The URL first asked for, and where redirects led.
  std::string url;
  std::string final_url;
  contentseen::Kind kind = contentseen::Kind::kNew;
  /// Hamming distance of the two fingerprints, and the threshold it was held against.
  int distance = 0;
  int k = 0;
  contentseen::Fingerprint fingerprint = 0;
  contentseen::Fingerprint original_fingerprint = 0;
  /// What the detector counted ("71 of 100 shingles, 60 of 64 bits"), and what of the text that
  /// was made of ("main-text"); empty for what is exactly equal.
  std::string evidence;
  std::string basis;
  /// SHA-256 of the decoded body.
  contentseen::Digest digest;
  /// The stored page that this one duplicates, and when that was stored.
  std::string original_url;
  base::WallTime original_time{};
  std::string referrer;
  std::uint32_t depth = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t links_not_followed = 0;
  std::string title;
  /// Keys in the text store; 0 when no text was kept. Of a text that was judged before, as the
  /// original's was, it depends on the run that judged it whether it is there.
  std::uint64_t text_id = 0;
  std::uint64_t original_text_id = 0;
  /// Where a verdict was repeated because the same bytes were judged before: the URL they first
  /// had.
  std::string same_bytes_as;

  /// When the page last changed, in the words of the sitemap that named it; empty where none did.
  std::string sitemap_lastmod;
  /// Its <link rel=canonical>, as written; empty where there is none.
  std::string canonical;

  friend bool operator==(const SkipRecord&, const SkipRecord&) = default;
};

/// The fields in their order on the line. `Record` is SkipRecord, const for writing.
template <class Visitor, class Record>
requires std::same_as<std::remove_const_t<Record>, SkipRecord>
void VisitFields(Visitor& visitor, Record& record) {
  visitor.Time("time", record.time);
  visitor.Text("url", record.url);
  visitor.Text("final_url", record.final_url);
  visitor.Verdict("kind", record.kind);
  visitor.Number("distance", record.distance);
  visitor.Number("k", record.k);
  visitor.Hex("fingerprint", record.fingerprint);
  visitor.Hex("original_fingerprint", record.original_fingerprint);
  visitor.Hex("digest", record.digest);
  visitor.Text("original_url", record.original_url);
  visitor.Time("original_time", record.original_time);
  visitor.Text("referrer", record.referrer);
  visitor.Number("depth", record.depth);
  visitor.Number("body_bytes", record.body_bytes);
  visitor.Number("links_not_followed", record.links_not_followed);
  visitor.Text("title", record.title);
  visitor.Number("text_id", record.text_id);
  visitor.Number("original_text_id", record.original_text_id);
  visitor.Text("evidence", record.evidence);
  visitor.Text("basis", record.basis);
  visitor.Text("same_bytes_as", record.same_bytes_as);
  visitor.Text("sitemap_lastmod", record.sitemap_lastmod);
  visitor.Text("canonical", record.canonical);
}

/// Name of the log in a data directory.
inline constexpr char kSkipLogName[] = "skipped.jsonl";

}  // namespace crawler

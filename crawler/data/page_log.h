#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "crawler/data/log_fields.h"

namespace crawler {

/// One stored page: a line of DATA/pages.jsonl.
struct PageRecord {
  base::WallTime time{};
  /// The URL first asked for, and where redirects led.
  std::string url;
  std::string final_url;
  int status = 0;
  std::string title;
  /// SHA-256 of the decoded body.
  contentseen::Digest digest;
  contentseen::Fingerprint fingerprint = 0;
  std::string referrer;
  std::uint32_t depth = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t links_found = 0;
  /// Of these, the links that were new and in scope.
  std::uint64_t links_queued = 0;
  std::chrono::microseconds fetch_time{0};
  std::chrono::microseconds parse_time{0};
  std::chrono::microseconds check_time{0};
  /// Key in the text store; 0 when no text was kept.
  std::uint64_t text_id = 0;

  /// When the page last changed, in the words of the sitemap that named it; empty where none did.
  std::string sitemap_lastmod;
  /// Its <link rel=canonical>, as written; empty where there is none.
  std::string canonical;

  friend bool operator==(const PageRecord&, const PageRecord&) = default;
};

/// The fields in their order on the line. `Record` is PageRecord, const for writing.
template <class Visitor, class Record>
requires std::same_as<std::remove_const_t<Record>, PageRecord>
void VisitFields(Visitor& visitor, Record& record) {
  visitor.Time("time", record.time);
  visitor.Text("url", record.url);
  visitor.Text("final_url", record.final_url);
  visitor.Number("status", record.status);
  visitor.Text("title", record.title);
  visitor.Hex("digest", record.digest);
  visitor.Hex("fingerprint", record.fingerprint);
  visitor.Text("referrer", record.referrer);
  visitor.Number("depth", record.depth);
  visitor.Number("body_bytes", record.body_bytes);
  visitor.Number("links_found", record.links_found);
  visitor.Number("links_queued", record.links_queued);
  visitor.Microseconds("fetch_us", record.fetch_time);
  visitor.Microseconds("parse_us", record.parse_time);
  visitor.Microseconds("check_us", record.check_time);
  visitor.Number("text_id", record.text_id);
  visitor.Text("sitemap_lastmod", record.sitemap_lastmod);
  visitor.Text("canonical", record.canonical);
}

/// Name of the log in a data directory.
inline constexpr char kPageLogName[] = "pages.jsonl";

}  // namespace crawler

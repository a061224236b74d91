#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "contentseen/digest.h"
#include "contentseen/verdict.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/page/disposition.h"
#include "frontier/frontier.h"
#include "parser/document.h"
#include "parser/mime_sniff.h"

namespace crawler {

/// What is remembered of a judged page, for the duplicates that name it.
struct KnownPage {
  /// The URL that was asked for, and the host where it was found.
  std::string url;
  std::string host;
  base::WallTime time{};
  std::uint64_t links = 0;
  /// It asked for its links not to be followed, be it by header or by itself.
  bool nofollow = false;
};

/// A page on its way down the pipeline. Each stage fills its own group of fields and reads only
/// those above it.
///
/// Thread safety: a value that one thread has at a time; moved, never shared.
struct Page {
  explicit Page(frontier::Lease given) : lease(std::move(given)) {}

  /// The URL that was taken from the frontier, and what led there.
  const frontier::Candidate& candidate() const { return lease.candidate(); }
  const frontier::Url& url() const { return lease.url(); }
  /// The URL that was first asked for: that of a redirect chain's beginning, or url().
  const frontier::Url& asked() const { return candidate().asked ? *candidate().asked : url(); }

  // The frontier.
  frontier::Lease lease;

  // The fetcher.
  FetchResponse response;

  // Looking at the response.
  parser::ContentKind content_kind = parser::ContentKind::kOther;
  // By header, then also by the page's own directives.
  bool nofollow = false;
  bool noindex = false;
  contentseen::Digest body_digest;

  // The parser. `parsed` is false for bytes that were recognised without parsing.
  bool parsed = false;
  parser::Document document;
  std::chrono::microseconds parse_time{0};

  // ContentSeen.
  contentseen::DocumentId id = contentseen::kNoDocument;
  contentseen::Verdict verdict;
  KnownPage original;  // of a duplicate
  std::chrono::microseconds check_time{0};
  /// Of a page that is not kept: its host has said the same lately.
  bool said_lately = false;

  // Link extraction. `links_followed`: of all those in `document`, whatever came of them.
  std::uint64_t links_followed = 0;
  frontier::ScheduleCounts scheduled;

  /// One line on why it ended as it did, where that is not plain from the disposition.
  std::string detail;
};

}  // namespace crawler

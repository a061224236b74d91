#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawler {

/// How a page taken from the frontier ended. Every lease of a page ends in exactly one, and the
/// counts add up to the leases given.
enum class Disposition : std::uint8_t {
  // Judged by ContentSeen.
  kStored,      // new content: logged, its text kept, its links followed
  kExactBytes,  // same decoded bytes as a page judged before: skipped, links not followed
  kExactText,   // same normalised text as a stored page: skipped
  kNear,        // near-duplicate of a stored page: skipped
  kEmpty,       // no visible text: never a duplicate and never makes one; links followed
  // Received but not judged.
  kSoft404,      // says in words that nothing is there
  kProbe,        // asked for to learn how its host says that
  kRedirected,   // its target went the way of every new URL
  kSitemap,      // so did the URLs it lists
  kNoIndex,      // robots directive in the page or its header
  kNotText,      // neither HTML nor plain text
  kTooLarge,     // body over the limit
  kClientError,  // 4xx
  kServerError,  // 5xx, after its retries
  kOtherStatus,  // no status that a page can have, e.g. 206, 304 or 999
  // Not asked for.
  kRobotsDenied,
  kRobotsUnreachable,
  kOutOfScope,  // of earlier versions: without parameters found idle since it was queued
  kTrapped,     // one of many URLs that brought nothing new
  kDeadly,      // the process died with it again and again
  // Failed, after its retries where a retry can help.
  kDns,
  kConnect,
  kAddressDenied,
  kTls,
  kTimeout,
  kReset,
  kProtocol,
  kHeadersTooLarge,
  kBadEncoding,
  kBomb,
  kProxy,
  // Went back to the frontier; the same page ends once more later.
  kRetry,
  kStopped,
};

inline constexpr std::size_t kDispositions = static_cast<std::size_t>(Disposition::kStopped) + 1;

/// What the summary's table groups by.
enum class DispositionGroup : std::uint8_t { kStored, kSkipped, kNotJudged, kFailed, kPutBack };

/// The name as logs, statistics and metrics spell it, e.g. "exact-bytes".
std::string_view Name(Disposition disposition);
std::string_view Name(DispositionGroup group);
DispositionGroup GroupOf(Disposition disposition);
/// One line for people, e.g. "skipped: same bytes as an earlier page".
std::string_view Describe(Disposition disposition);

/// Pages by disposition.
using DispositionCounts = std::array<std::uint64_t, kDispositions>;

}  // namespace crawler

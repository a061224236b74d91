#include "crawler/page/disposition.h"

#include "base/check.h"

namespace crawler {
namespace {

struct Row {
  Disposition disposition;
  DispositionGroup group;
  std::string_view name;
  std::string_view description;
};

using enum Disposition;
using Group = DispositionGroup;

constexpr std::array<Row, kDispositions> kRows = {{
    {kStored, Group::kStored, "stored", "new content, stored"},
    {kExactBytes, Group::kSkipped, "exact-bytes", "same bytes as an earlier page"},
    {kExactText, Group::kSkipped, "exact-text", "same text as a stored page"},
    {kNear, Group::kSkipped, "near", "near-duplicate of a stored page"},
    {kEmpty, Group::kNotJudged, "empty", "no visible text"},
    {kSoft404, Group::kNotJudged, "soft-404", "says in words that nothing is there"},
    {kProbe, Group::kNotJudged, "probe", "asked for to learn how its host says that"},
    {kRedirected, Group::kNotJudged, "redirected", "redirect, its target queued like a link"},
    {kSitemap, Group::kNotJudged, "sitemap", "sitemap, its URLs queued like links"},
    {kNoIndex, Group::kNotJudged, "noindex", "asks not to be indexed"},
    {kNotText, Group::kNotJudged, "not-text", "neither HTML nor plain text"},
    {kTooLarge, Group::kNotJudged, "too-large", "body over the limit"},
    {kClientError, Group::kNotJudged, "client-error", "HTTP 4xx"},
    {kServerError, Group::kFailed, "server-error", "HTTP 5xx or 429, after retries"},
    {kOtherStatus, Group::kNotJudged, "other-status", "no status that a page can have"},
    {kRobotsDenied, Group::kNotJudged, "robots-denied", "disallowed by robots.txt"},
    {kRobotsUnreachable, Group::kNotJudged, "robots-unreachable",
     "robots.txt found no room, or the crawler died with it: nothing is asked for"},
    {kOutOfScope, Group::kNotJudged, "out-of-scope",
     "out of scope without its idle parameters (of earlier versions)"},
    {kTrapped, Group::kNotJudged, "trap", "one of many URLs alike that brought nothing new"},
    {kDeadly, Group::kFailed, "deadly", "the crawler died each time that it worked on it"},
    {kDns, Group::kFailed, "dns", "host name not resolved"},
    {kConnect, Group::kFailed, "connect", "no connection"},
    {kAddressDenied, Group::kFailed, "address-denied",
     "private network or other protocol's port (--allow-network, fetch.allow_ports open them)"},
    {kTls, Group::kFailed, "tls", "certificate or handshake"},
    {kTimeout, Group::kFailed, "timeout", "too slow"},
    {kReset, Group::kFailed, "reset", "connection lost or body incomplete"},
    {kProtocol, Group::kFailed, "protocol", "not HTTP as it should be"},
    {kHeadersTooLarge, Group::kFailed, "headers-too-large", "headers over the limit"},
    {kBadEncoding, Group::kFailed, "bad-encoding", "content encoding corrupt or unknown"},
    {kBomb, Group::kFailed, "bomb", "decodes to far more than it is"},
    {kProxy, Group::kFailed, "proxy", "the proxy was not reached, or refuses us"},
    {kRetry, Group::kPutBack, "retry", "failed, tried again later"},
    {kStopped, Group::kPutBack, "stopped", "put back when the crawl was stopped"},
}};

const Row& RowOf(Disposition disposition) {
  const Row& row = kRows[static_cast<std::size_t>(disposition)];
  CHECK(row.disposition == disposition);
  return row;
}

}  // namespace

std::string_view Name(Disposition disposition) { return RowOf(disposition).name; }
std::string_view Describe(Disposition disposition) { return RowOf(disposition).description; }
DispositionGroup GroupOf(Disposition disposition) { return RowOf(disposition).group; }

std::string_view Name(DispositionGroup group) {
  switch (group) {
    case DispositionGroup::kStored:
      return "stored";
    case DispositionGroup::kSkipped:
      return "skipped duplicates";
    case DispositionGroup::kNotJudged:
      return "not judged";
    case DispositionGroup::kFailed:
      return "failed";
    case DispositionGroup::kPutBack:
      return "put back";
  }
  CHECK(false);
}

}  // namespace crawler

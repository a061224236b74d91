#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "contentseen/verdict.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/page/disposition.h"
#include "crawler/page/page.h"
#include "frontier/frontier.h"
#include "frontier/url.h"

namespace crawler {

/// What an answer, a failure or a verdict means: for its page, its host, and the URLs around it.
///
/// Thread safety: pure functions.

/// A status that names another URL.
bool IsRedirect(int status);
/// A status that says "later".
bool IsPassing(int status);
/// A failure that may have passed by the next attempt, or by the next start: a certificate too is
/// renewed, or what it is checked against is set right.
bool IsPassing(FetchError error);

/// Nothing was heard of the host, which may be the crawl's own network's fault.
bool IsSilence(const FetchResponse& response);

/// The one Location of a redirect. Two that differ are an error, not a choice.
std::optional<std::string_view> Location(const FetchResponse& response);

/// Where it leads from `page`. A server may insist on what `rules` leave out, a session id or %7E
/// for ~, and redirect to the page with that: then the target is what it wrote. So it is once in a
/// chain: by `rules`, what leads back from there leads to another URL.
base::Result<frontier::Url> TargetOf(const frontier::Url& page, std::string_view location,
                                     const frontier::UrlRules& rules);

/// What an answer to the request for a robots.txt says (RFC 9309 section 2.3.1).
enum class RobotsAnswer {
  kFile,       // the file
  kNone,       // there is none: everything is allowed
  kElsewhere,  // it is where Location() says; where that leads nowhere, there is none
  kLater,      // it cannot be had now: nothing is allowed
};
/// REQUIRES: no error.
RobotsAnswer RobotsAnswerOf(const FetchResponse& response);
/// RFC 9309 section 2.3.1.2: at least five redirects, across hosts.
inline constexpr std::uint32_t kRobotsHopsMax = 5;

/// REQUIRES: not kNone.
Disposition DispositionOf(FetchError error);
Disposition DispositionOf(const contentseen::Verdict& verdict);

/// How the host bore the request. What is wrong with a page alone says nothing about its host;
/// what would fail for its other pages as well, be it for the proxy's sake, is a failure of the
/// host, or all that waits there would use up its attempts on it.
frontier::HostState HostStateOf(const FetchResponse& response);
/// What the frontier may learn of URLs like the page's.
frontier::PageContent ContentOf(const Page& page, Disposition disposition);

}  // namespace crawler

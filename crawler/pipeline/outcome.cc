#include "crawler/pipeline/outcome.h"

#include <utility>

#include "base/check.h"

namespace crawler {

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool IsPassing(int status) { return status == 408 || status == 429 || status >= 500; }

std::optional<std::string_view> Location(const FetchResponse& response) {
  std::optional<std::string_view> location;
  for (const auto& [name, value] : response.headers) {
    if (name != "location") continue;
    if (location && *location != value) return std::nullopt;
    location = value;
  }
  return location;
}

base::Result<frontier::Url> TargetOf(const frontier::Url& page, std::string_view location,
                                     const frontier::UrlRules& rules) {
  base::Result<frontier::Url> target = frontier::Url::Resolve(page, location, rules);
  if (!target || *target != page) return target;
  frontier::UrlRules as_written = rules;
  as_written.drop_parameters.clear();
  as_written.drop_session_ids = false;
  as_written.normalize_escapes = false;
  base::Result<frontier::Url> written = frontier::Url::Resolve(page, location, as_written);
  return written ? std::move(written) : std::move(target);
}

RobotsAnswer RobotsAnswerOf(const FetchResponse& response) {
  if (IsRedirect(response.status)) return RobotsAnswer::kElsewhere;
  const bool part = response.status == 206;
  if (response.status == 429 || response.status >= 500 || part) return RobotsAnswer::kLater;
  return IsOfAPage(response.status) ? RobotsAnswer::kFile : RobotsAnswer::kNone;
}

Disposition DispositionOf(FetchError error) {
  switch (error) {
    case FetchError::kNone:
      break;
    case FetchError::kDns:
      return Disposition::kDns;
    case FetchError::kConnect:
      return Disposition::kConnect;
    case FetchError::kAddressDenied:
      return Disposition::kAddressDenied;
    case FetchError::kTls:
      return Disposition::kTls;
    case FetchError::kTimeout:
      return Disposition::kTimeout;
    case FetchError::kReset:
      return Disposition::kReset;
    case FetchError::kProtocol:
      return Disposition::kProtocol;
    case FetchError::kHeadersTooLarge:
      return Disposition::kHeadersTooLarge;
    case FetchError::kBadEncoding:
      return Disposition::kBadEncoding;
    case FetchError::kBomb:
      return Disposition::kBomb;
    case FetchError::kProxy:
      return Disposition::kProxy;
    case FetchError::kStopped:
      return Disposition::kStopped;
  }
  CHECK(false);
}

bool IsPassing(FetchError error) {
  return error == FetchError::kDns || error == FetchError::kConnect || error == FetchError::kTls ||
         error == FetchError::kTimeout || error == FetchError::kReset ||
         error == FetchError::kProxy;
}

bool IsSilence(const FetchResponse& response) {
  return response.error == FetchError::kDns || response.error == FetchError::kConnect ||
         (response.error == FetchError::kTimeout && response.status == 0);
}

Disposition DispositionOf(const contentseen::Verdict& verdict) {
  switch (verdict.kind) {
    case contentseen::Kind::kNew:
      return verdict.empty ? Disposition::kEmpty : Disposition::kStored;
    case contentseen::Kind::kExactBytes:
      return Disposition::kExactBytes;
    case contentseen::Kind::kExactText:
      return Disposition::kExactText;
    case contentseen::Kind::kNear:
      return Disposition::kNear;
  }
  CHECK(false);
}

frontier::HostState HostStateOf(const FetchResponse& response) {
  using frontier::HostState;
  if (IsSilence(response)) return HostState::kSilent;
  if (response.error != FetchError::kNone) {
    return IsPassing(response.error) ? HostState::kFailing : HostState::kWell;
  }
  if (response.status == 429 || response.status == 503) return HostState::kOverloaded;
  return response.status >= 500 && response.status < 600 ? HostState::kFailing : HostState::kWell;
}

frontier::PageContent ContentOf(const Page& page, Disposition disposition) {
  using Kind = frontier::PageContent::Kind;
  switch (disposition) {
    case Disposition::kStored:
      return {.kind = Kind::kNew, .identity = page.id};
    case Disposition::kExactBytes:
    case Disposition::kExactText:
      return {.kind = Kind::kDuplicate, .identity = page.verdict.original};
    case Disposition::kNear:
    case Disposition::kSoft404:
      return {.kind = Kind::kDuplicate};
    case Disposition::kNoIndex:
      // Its links may be all that it is for: with a text of its own it is not held against the
      // row.
      return {.kind = page.said_lately ? Kind::kDuplicate : Kind::kUnknown};
    default:
      return {};
  }
}

}  // namespace crawler

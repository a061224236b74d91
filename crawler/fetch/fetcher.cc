#include "crawler/fetch/fetcher.h"

#include <algorithm>

#include "base/check.h"

namespace crawler {

std::string_view Name(FetchError error) {
  switch (error) {
    case FetchError::kNone:
      return "none";
    case FetchError::kDns:
      return "dns";
    case FetchError::kConnect:
      return "connect";
    case FetchError::kAddressDenied:
      return "address-denied";
    case FetchError::kTls:
      return "tls";
    case FetchError::kTimeout:
      return "timeout";
    case FetchError::kReset:
      return "reset";
    case FetchError::kProtocol:
      return "protocol";
    case FetchError::kHeadersTooLarge:
      return "headers-too-large";
    case FetchError::kBadEncoding:
      return "bad-encoding";
    case FetchError::kBomb:
      return "bomb";
    case FetchError::kProxy:
      return "proxy";
    case FetchError::kStopped:
      return "stopped";
  }
  CHECK(!"a FetchError without a name");
  return {};
}

std::optional<std::string_view> FetchResponse::Header(std::string_view name) const {
  auto found = std::find_if(headers.begin(), headers.end(),
                            [name](const auto& header) { return header.first == name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

}  // namespace crawler

#include "frontier/host.h"

#include <algorithm>

#include "base/check.h"

namespace frontier {

std::optional<std::uint32_t> Host::FindOrigin(bool https, std::uint16_t port) const {
  for (std::uint32_t i = 0; i < origins.size(); ++i) {
    if (origins[i].https == https && origins[i].port == port) return i;
  }
  return std::nullopt;
}

std::string Host::OriginText(const Origin& origin) const {
  std::string text = origin.https ? "https://" : "http://";
  text += *name;
  if (origin.port != (origin.https ? 443 : 80)) {
    text.append(":").append(std::to_string(origin.port));
  }
  return text;
}

std::optional<base::Time> Host::Opens(const FrontierOptions& options) const {
  if (leased >= options.connections_per_host || waiting == 0) return std::nullopt;
  std::optional<base::Time> first;
  for (const Origin& origin : origins) {
    std::optional<base::Time> opens = origin.Opens();
    if (opens && (!first || *opens < *first)) first = opens;
  }
  if (!first) return std::nullopt;
  return std::max(*first, rest_until);
}

std::uint32_t Host::TakeTurn(base::Time now) {
  for (std::uint32_t i = 0; i < origins.size(); ++i) {
    auto index = static_cast<std::uint32_t>((turn + i) % origins.size());
    std::optional<base::Time> opens = origins[index].Opens();
    if (!opens || *opens > now) continue;
    turn = index + 1;
    return index;
  }
  CHECK(false && "a host was due that has nothing to lease");
  return 0;
}

base::Duration Host::Delay(const FrontierOptions& options) const {
  base::Duration asked{0};
  for (const Origin& origin : origins) asked = std::max(asked, origin.crawl_delay);
  return std::max(options.delay, std::min(asked, options.delay_max));
}

}  // namespace frontier

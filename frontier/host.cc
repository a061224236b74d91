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
  if (Dead(options) || leased >= Connections(options)) return std::nullopt;
  std::optional<base::Time> first;
  if (hops > 0) first = base::Time::min();
  for (const Origin& origin : origins) {
    std::optional<base::Time> opens = origin.Opens();
    if (opens && (!first || *opens < *first)) first = opens;
  }
  if (!first) return std::nullopt;
  return std::max(*first, rest_until);
}

base::Duration Host::CrawlDelay() const {
  base::Duration longest{0};
  for (const Origin& origin : origins) longest = std::max(longest, origin.crawl_delay);
  return longest;
}

std::uint64_t Host::QueuedGivenUp(const FrontierOptions& options) const {
  std::uint64_t sum = 0;
  for (const Origin& origin : origins) sum += GaveUp(origin, options) ? origin.queued : 0;
  return sum;
}

std::uint32_t Host::TakeTurn(base::Time now) {
  for (std::uint32_t i = 0; i <= origins.size(); ++i) {
    auto index = static_cast<std::uint32_t>((turn + i) % (origins.size() + 1));
    std::optional<base::Time> opens;
    if (index < origins.size()) {
      opens = origins[index].Opens();
    } else if (hops > 0) {
      opens = base::Time::min();
    }
    if (!opens || *opens > now) continue;
    turn = index + 1;
    return index;
  }
  CHECK(false && "a host was due that has nothing to lease");
  return 0;
}

base::Duration Host::Delay(const FrontierOptions& options, base::Duration response_time) const {
  base::Duration delay = std::max(options.delay, std::min(CrawlDelay(), options.delay_max));
  if (options.delay == base::Duration(0) || options.response_time_factor == 0) return delay;
  // Not multiplied before it is cut: a response time is what a clock said.
  const base::Duration slow = options.slow_delay_max / options.response_time_factor;
  return std::max(delay, std::min(response_time, slow) * options.response_time_factor);
}

base::Duration Host::BackOff(const FrontierOptions& options, HostState state) const {
  // A single failure among answers says nothing about the host.
  const std::uint32_t free = state == HostState::kOverloaded ? 0 : 1;
  if (state == HostState::kWell || failures <= free) return base::Duration(0);
  return Doubled(options.retry_delay, failures - free - 1, options.failing_delay_max);
}

base::Duration Doubled(base::Duration first, std::uint32_t times, base::Duration longest) {
  base::Duration delay = first;
  for (std::uint32_t i = 0; i < times && delay < longest; ++i) delay *= 2;
  return std::min(delay, longest);
}

}  // namespace frontier

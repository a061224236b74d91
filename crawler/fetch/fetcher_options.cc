#include "crawler/fetch/fetcher_options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "crawler/fetch/address_rules.h"

namespace crawler {
namespace {

template <class T>
base::Status InRange(std::string_view name, T value, T least, T most, std::string_view unit) {
  if (value >= least && value <= most) return {};
  return base::Fail(std::string(name) + " = " + std::to_string(value) + " is out of its range " +
                    std::to_string(least) + " to " + std::to_string(most) + std::string(unit));
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

base::Status Validate(const FetcherOptions& options) {
  const std::size_t gibibyte = std::size_t{1} << 30;
  for (const base::Status& status :
       {InRange("transfers_max", options.transfers_max, 1, 10'000, ""),
        InRange("connecting_per_address_max", options.connecting_per_address_max, 1, 10'000, ""),
        InRange("connections_max", options.connections_max, 1, 20'000, ""),
        InRange<std::int64_t>("connect_timeout", options.connect_timeout.count(), 10, 600'000,
                              " ms"),
        InRange<std::int64_t>("total_timeout", options.total_timeout.count(), 10, 3'600'000,
                              " ms"),
        InRange<std::size_t>("low_speed_bytes", options.low_speed_bytes, 0, gibibyte, " bytes/s"),
        InRange<std::int64_t>("low_speed_time", options.low_speed_time.count(), 1, 600, " s"),
        InRange<std::int64_t>("dns_cache_time", options.dns_cache_time.count(), 0, 3'600, " s"),
        InRange<std::size_t>("header_bytes_max", options.header_bytes_max, 1024, 262'144,
                             " bytes"),
        InRange<std::size_t>("body_bytes_max", options.body_bytes_max, 1024, gibibyte,
                             " bytes")}) {
    if (!status) return status;
  }
  if (options.user_agent.empty() || options.user_agent.size() > 200 ||
      !IsPrintable(options.user_agent)) {
    return base::Fail("user_agent must be 1 to 200 printable ASCII characters");
  }
  if (options.contact_url.size() > 2048 || !IsPrintable(options.contact_url)) {
    return base::Fail("contact_url must be at most 2048 printable ASCII characters");
  }
  if (!options.bind_address.empty() && !IpAddress::Parse(options.bind_address)) {
    return base::Fail("bind_address = \"" + options.bind_address +
                      "\" is not a numeric IPv4 or IPv6 address");
  }
  if (!options.ca_file.empty() && access(options.ca_file.c_str(), R_OK) != 0) {
    return base::Fail("ca_file = \"" + options.ca_file + "\" cannot be read");
  }
  if (const std::string fault = ProxyFault(options.proxy); !fault.empty()) {
    return base::Fail("proxy " + fault);
  }
  return {};
}

std::string ProxyFault(const std::string& url) {
  if (url.empty()) return {};
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos)
    return "does not begin with http://, https://, socks5:// or socks5h://";
  const std::string name = url.substr(0, scheme);
  if (name != "http" && name != "https" && name != "socks5" && name != "socks5h") {
    return "is of no scheme that is known: http, https, socks5 or socks5h";
  }
  if (url.size() == scheme + 3 || !IsPrintable(url) || url.find(' ') != std::string::npos) {
    return "is no URL";
  }
  return {};
}

}  // namespace crawler

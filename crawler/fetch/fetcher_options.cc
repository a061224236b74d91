#include "crawler/fetch/fetcher_options.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/descriptor.h"
#include "base/whole_number.h"
#include "crawler/fetch/address_rules.h"
#include "crawler/fetch/tls_fault.h"
#include "frontier/url.h"

namespace crawler {
namespace {

std::string Number(int value) { return std::to_string(value); }
std::string Number(std::size_t value) { return std::to_string(value); }
template <class Rep, class Period>
std::string Number(std::chrono::duration<Rep, Period> value) {
  return std::to_string(value.count());
}

template <class T>
base::Status InRange(std::string_view name, T value, T least, T most, std::string_view unit) {
  if (value >= least && value <= most) return {};
  return base::Fail(std::string(name) + " = " + Number(value) + " is out of its range " +
                    Number(least) + " to " + Number(most) + std::string(unit));
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Whether it is an address of this machine.
base::Status MayBind(const std::string& address) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  const bool is_six = inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1;
  if (!is_six && inet_pton(AF_INET, address.c_str(), &four.sin_addr) != 1) {
    return base::Fail("fetch.bind_address = \"" + address +
                      "\" is not a numeric IPv4 or IPv6 address");
  }
  const base::Descriptor probe(socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe.ok()) return {};  // connecting will tell
  const auto* name =
      is_six ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (bind(probe.get(), name, is_six ? sizeof six : sizeof four) == 0) return {};
  return base::Fail("fetch.bind_address = \"" + address + "\": " + std::strerror(errno));
}

base::Status MayTrust(const std::string& file) {
  if (access(file.c_str(), R_OK) != 0) {
    return base::Fail("fetch.ca_file = \"" + file + "\" cannot be read");
  }
  if (HoldsCertificates(file)) return {};
  return base::Fail("fetch.ca_file = \"" + file + "\" holds no certificates in PEM");
}

// The form in which URLs have the host that is meant; empty where that is `host` itself, or where
// it is for libcurl to say what is meant ("*", "+host").
std::string OtherwiseInUrls(std::string_view host) {
  const auto url =
      frontier::Url::Parse(fmt::format("http://{}/", host), frontier::UrlRules::Longest());
  if (!url || url->path() != "/" || base::ToLower(host) == url->host()) return {};
  return std::string(url->host());
}

}  // namespace

base::Status Validate(const FetcherOptions& options) {
  using Limits = FetcherLimits;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  for (const base::Status& status :
       {InRange("transfers_max", options.transfers_max, 1, Limits::kTransfers, ""),
        InRange("connecting_per_address_max", options.connecting_per_address_max, 1,
                Limits::kTransfers, ""),
        InRange("connections_max", options.connections_max, 1, Limits::kConnections, ""),
        InRange<milliseconds>("connect_timeout", options.connect_timeout, Limits::kTimeoutMin,
                              Limits::kConnectTimeout, " ms"),
        InRange<milliseconds>("total_timeout", options.total_timeout, Limits::kTimeoutMin,
                              Limits::kTotalTimeout, " ms"),
        InRange<std::size_t>("low_speed_bytes", options.low_speed_bytes, 0, Limits::kLowSpeedBytes,
                             " bytes/s"),
        InRange<seconds>("low_speed_time", options.low_speed_time, seconds(1),
                         Limits::kLowSpeedTime, " s"),
        InRange<seconds>("dns_cache_time", options.dns_cache_time, seconds(0),
                         Limits::kDnsCacheTime, " s"),
        InRange<std::size_t>("header_bytes_max", options.header_bytes_max, Limits::kBytesMin,
                             Limits::kHeaderBytes, " bytes"),
        InRange<std::size_t>("body_bytes_max", options.body_bytes_max, Limits::kBytesMin,
                             Limits::kBodyBytes, " bytes")}) {
    if (!status) return status;
  }
  if (options.user_agent.empty() || options.user_agent.size() > Limits::kUserAgentBytes ||
      !IsPrintable(options.user_agent)) {
    return base::Fail("user_agent must be 1 to " + std::to_string(Limits::kUserAgentBytes) +
                      " printable ASCII characters");
  }
  if (options.contact_url.size() > Limits::kContactUrlBytes || !IsPrintable(options.contact_url)) {
    return base::Fail("contact_url must be at most " + std::to_string(Limits::kContactUrlBytes) +
                      " printable ASCII characters");
  }
  if (!options.bind_address.empty()) {
    if (auto may = MayBind(options.bind_address); !may) return may;
  }
  if (!options.ca_file.empty()) {
    if (auto may = MayTrust(options.ca_file); !may) return may;
  }
  for (const std::string& entry : options.resolve) {
    const std::string fault = ResolveFault(entry);
    if (!fault.empty()) return base::Fail("resolve: \"" + entry + "\" " + fault);
  }
  if (const std::string fault = ProxyFault(options.proxy); !fault.empty()) {
    return base::Fail("proxy " + fault);
  }
  return {};
}

std::string ResolveFault(const std::string& entry) {
  const std::size_t first = entry.find(':');
  const std::size_t second = first == entry.npos ? first : entry.find(':', first + 1);
  if (first == 0 || second == entry.npos) return "is no host:port:address";
  if (const std::string host = OtherwiseInUrls(entry.substr(0, first)); !host.empty()) {
    return "names a host that no URL has in this form: write " + host;
  }
  const auto port = base::WholeNumber<std::uint16_t>(
      std::string_view(entry).substr(first + 1, second - first - 1));
  if (port.value_or(0) == 0) return "names no port";
  for (std::string_view rest = std::string_view(entry).substr(second + 1);;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view address = rest.substr(0, comma);
    if (address.starts_with('[') && address.ends_with(']')) {
      address = address.substr(1, address.size() - 2);
    }
    if (!IpAddress::Parse(address)) return "holds an address that is not numeric";
    if (comma == rest.size()) return {};
    rest.remove_prefix(comma + 1);
  }
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

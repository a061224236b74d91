#include "crawler/io/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/ascii.h"
#include "base/whole_number.h"

namespace crawler {
namespace {

bool IsAddress(int family, const std::string& text) {
  in6_addr address{};  // room for either
  return inet_pton(family, text.c_str(), &address) == 1;
}

}  // namespace

std::string ListenAddress::Text() const {
  const bool v6 = host.find(':') != host.npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

base::Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == text.npos ? std::nullopt : base::WholeNumber<std::uint16_t>(text.substr(colon + 1));
  if (!port) return base::Fail("has no port from 0 to 65535, as in 127.0.0.1:9464");
  ListenAddress address{.host = std::string(text.substr(0, colon)), .port = *port};
  if (address.host == "localhost") address.host = "127.0.0.1";
  if (IsAddress(AF_INET, address.host)) return address;
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
    if (IsAddress(AF_INET6, address.host)) return address;
  }
  return base::Fail("is no numeric address and port, as 127.0.0.1:9464 or [::1]:9464");
}

bool IsOwnHost(std::string_view host_header, const std::vector<std::string>& names) {
  std::string host = base::ToLower(host_header);
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == host.npos) return false;
    const std::string_view rest = std::string_view(host).substr(close + 1);
    if (!rest.empty() && (rest[0] != ':' || !base::WholeNumber<std::uint16_t>(rest.substr(1)))) {
      return false;
    }
    return IsAddress(AF_INET6, host.substr(1, close - 1));
  }
  if (const std::size_t colon = host.find(':'); colon != host.npos) {
    if (!base::WholeNumber<std::uint16_t>(std::string_view(host).substr(colon + 1))) return false;
    host.resize(colon);
  }
  if (IsAddress(AF_INET, host)) return true;
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return base::EqualsIgnoreCase(name, host); });
}

}  // namespace crawler

#include "crawler/fetch/address_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/whole_number.h"

namespace crawler {
namespace {

struct Special {
  IpNetwork network;
  std::string_view name;
};

constexpr Special V4(std::uint32_t base, int bits, std::string_view name) {
  return {{IpAddress::V4(base), 96 + bits}, name};
}
constexpr Special V6(std::uint64_t high, std::uint64_t low, int bits, std::string_view name) {
  return {{{high, low}, bits}, name};
}

// IANA IPv4 Special-Purpose Address Registry (RFC 6890 and updates) without the globally reachable
// entries, and multicast. Cloud metadata services live in link-local space (169.254.169.254) and
// in shared space (100.100.100.200).
constexpr std::array kSpecialV4 = {
    V4(0x00000000, 8, "this network (0.0.0.0/8)"),
    V4(0x0a000000, 8, "private network (10.0.0.0/8)"),
    V4(0x64400000, 10, "shared address space (100.64.0.0/10)"),
    V4(0x7f000000, 8, "loopback (127.0.0.0/8)"),
    V4(0xa9fe0000, 16, "link-local (169.254.0.0/16)"),
    V4(0xac100000, 12, "private network (172.16.0.0/12)"),
    V4(0xc0000000, 24, "IETF protocol assignments (192.0.0.0/24)"),
    V4(0xc0000200, 24, "documentation (192.0.2.0/24)"),
    V4(0xc0586300, 24, "6to4 relay anycast (192.88.99.0/24)"),
    V4(0xc0a80000, 16, "private network (192.168.0.0/16)"),
    V4(0xc6120000, 15, "benchmarking (198.18.0.0/15)"),
    V4(0xc6336400, 24, "documentation (198.51.100.0/24)"),
    V4(0xcb007100, 24, "documentation (203.0.113.0/24)"),
    V4(0xe0000000, 4, "multicast (224.0.0.0/4)"),
    V4(0xf0000000, 4, "reserved (240.0.0.0/4)"),
};

constexpr IpNetwork kNat64{{0x0064ff9b'00000000, 0}, 96};
constexpr IpNetwork kTeredo{{0x20010000'00000000, 0}, 32};
constexpr IpNetwork k6to4{{0x20020000'00000000, 0}, 16};
constexpr IpNetwork kCompatible{{0, 0}, 96};
constexpr IpNetwork kGlobalUnicast{{0x20000000'00000000, 0}, 3};

// IANA IPv6 Special-Purpose Address Registry, likewise. The first ones only give a name to what
// kGlobalUnicast refuses anyway.
constexpr std::array kSpecialV6 = {
    V6(0, 1, 128, "loopback (::1)"),
    V6(0, 0, 128, "unspecified address (::)"),
    V6(0xfc00000000000000, 0, 7, "unique local (fc00::/7)"),
    V6(0xfe80000000000000, 0, 10, "link-local (fe80::/10)"),
    V6(0xff00000000000000, 0, 8, "multicast (ff00::/8)"),
    V6(0x0064ff9b00010000, 0, 48, "local NAT64 (64:ff9b:1::/48)"),
    V6(0x0100000000000000, 0, 64, "discard-only (100::/64)"),
    V6(0x20010db800000000, 0, 32, "documentation (2001:db8::/32)"),
    V6(0x3fff000000000000, 0, 20, "documentation (3fff::/20)"),
};
constexpr IpNetwork kProtocolAssignments{{0x20010000'00000000, 0}, 23};

std::optional<std::string_view> Find(std::span<const Special> list, const IpAddress& address) {
  for (const Special& special : list) {
    if (special.network.Contains(address)) return special.name;
  }
  return std::nullopt;
}

/// IPv4 addresses that a packet to `address` may end up at.
struct Embedded {
  std::array<IpAddress, 2> addresses;
  std::size_t count = 0;
  void Add(std::uint64_t bits) {
    addresses[count++] = IpAddress::V4(static_cast<std::uint32_t>(bits));
  }
};

Embedded EmbeddedIn(const IpAddress& address) {
  Embedded found;
  if (kNat64.Contains(address) || kCompatible.Contains(address)) found.Add(address.low);
  if (k6to4.Contains(address)) found.Add(address.high >> 16);
  if (kTeredo.Contains(address)) {
    found.Add(address.high);  // the server
    found.Add(~address.low);  // the client, sent inverted
  }
  return found;
}

// The Fetch standard's bad ports, sorted; then 6379 (Redis), 11211 (memcached), 9200 and 9300
// (Elasticsearch), 27017 (MongoDB), 2375 and 2376 (Docker), 5432 (PostgreSQL), 3306 (MySQL).
constexpr std::array<std::uint16_t, 92> kBadPorts = {
    0,    1,    7,    9,    11,   13,    15,    17,   19,   20,   21,   22,   23,   25,
    37,   42,   43,   53,   69,   77,    79,    87,   95,   101,  102,  103,  104,  109,
    110,  111,  113,  115,  117,  119,   123,   135,  137,  139,  143,  161,  179,  389,
    427,  465,  512,  513,  514,  515,   526,   530,  531,  532,  540,  548,  554,  556,
    563,  587,  601,  636,  989,  990,   993,   995,  1719, 1720, 1723, 2049, 2375, 2376,
    3306, 3659, 4045, 4190, 5060, 5061,  5432,  6000, 6379, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 9200, 9300, 10080, 11211, 27017};
static_assert(std::is_sorted(kBadPorts.begin(), kBadPorts.end()));

// Domains that no public resolver serves (RFC 6761, 6762, 7686, 8375; ICANN's .internal).
constexpr std::array<std::string_view, 6> kLocalDomains = {"localhost", "local",     "localdomain",
                                                           "internal",  "home.arpa", "onion"};

std::uint64_t ReadBigEndian(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  const std::string terminated(text);
  if (terminated.size() != std::strlen(terminated.c_str())) return std::nullopt;
  in_addr v4;
  if (inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return V4(ntohl(v4.s_addr));
  in6_addr v6;
  if (inet_pton(AF_INET6, terminated.c_str(), &v6) == 1) {
    return IpAddress{ReadBigEndian(v6.s6_addr), ReadBigEndian(v6.s6_addr + 8)};
  }
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::OfHost(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Parse(host);
}

std::optional<IpAddress> IpAddress::Of(const sockaddr& address) {
  // Copied out, for a sockaddr need not be aligned as the family's own struct is.
  if (address.sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    return V4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    return IpAddress{ReadBigEndian(v6.sin6_addr.s6_addr), ReadBigEndian(v6.sin6_addr.s6_addr + 8)};
  }
  return std::nullopt;
}

std::string IpAddress::ToString() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (IsV4()) {
    in_addr v4{htonl(static_cast<std::uint32_t>(low))};
    inet_ntop(AF_INET, &v4, text, sizeof text);
    return text;
  }
  in6_addr v6;
  for (int i = 0; i < 8; ++i) {
    v6.s6_addr[i] = static_cast<unsigned char>(high >> (56 - 8 * i));
    v6.s6_addr[8 + i] = static_cast<unsigned char>(low >> (56 - 8 * i));
  }
  inet_ntop(AF_INET6, &v6, text, sizeof text);
  return text;
}

base::Result<IpNetwork> IpNetwork::Parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::Parse(text.substr(0, slash));
  const std::string quoted = "\"" + std::string(text) + "\"";
  if (!address) {
    return base::Fail(quoted + " is not a network: write one as 10.0.0.0/8 or fd00::/8");
  }
  // The mapped spelling counts its prefix over 128 bits, the dotted one over 32.
  const bool dotted = address->IsV4() && text.find(':') == std::string_view::npos;
  const int width = dotted ? 32 : 128;
  int bits = width;
  if (slash != std::string_view::npos) {
    bits = base::WholeNumber<int>(text.substr(slash + 1)).value_or(-1);
    if (bits < 0 || bits > width) {
      return base::Fail(quoted + " has no prefix length from 0 to " + std::to_string(width));
    }
  }
  const IpNetwork network{*address, bits + (128 - width)};
  const IpAddress first{address->high & Mask(network.prefix_bits),
                        address->low & Mask(network.prefix_bits - 64)};
  if (first != *address) {
    return base::Fail(quoted + " has bits set beyond its prefix: did you mean " +
                      first.ToString() + "/" + std::to_string(bits) + "?");
  }
  return network;
}

base::Result<AddressRules> AddressRules::Create(const std::vector<std::string>& allow_networks,
                                                const std::vector<std::string>& allow_ports) {
  std::vector<IpNetwork> allowed;
  for (const std::string& text : allow_networks) {
    auto network = IpNetwork::Parse(text);
    if (!network) return base::Fail("allow_networks: " + network.error().message);
    allowed.push_back(*network);
  }
  std::vector<std::uint16_t> ports;
  for (const std::string& text : allow_ports) {
    const auto port = base::WholeNumber<std::uint16_t>(text);
    if (!port) {
      return base::Fail("allow_ports: \"" + text + "\" is not a port from 0 to 65535");
    }
    ports.push_back(*port);
  }
  return AddressRules(std::move(allowed), std::move(ports));
}

std::optional<std::string_view> AddressRules::PortDenial(std::uint16_t port) const {
  if (!std::binary_search(kBadPorts.begin(), kBadPorts.end(), port)) return std::nullopt;
  if (std::count(allowed_ports_.begin(), allowed_ports_.end(), port) > 0) return std::nullopt;
  return "a port of another protocol than HTTP (see fetch.allow_ports)";
}

std::optional<std::string_view> AddressRules::NameDenial(std::string_view host) const {
  // Who opens a network of his own has names of his own in it.
  if (!allowed_.empty() || IpAddress::OfHost(host)) return std::nullopt;
  for (const std::string_view domain : kLocalDomains) {
    if (!host.ends_with(domain)) continue;
    const std::string_view before = host.substr(0, host.size() - domain.size());
    if (before.empty() || before.ends_with('.'))
      return "a name of this machine or network (see fetch.allow_networks)";
  }
  if (host.find('.') == std::string_view::npos)
    return "a name without a domain (see fetch.allow_networks)";
  return std::nullopt;
}

bool AddressRules::IsAllowed(const IpAddress& address) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const IpNetwork& network) { return network.Contains(address); });
}

std::optional<std::string_view> AddressRules::Denial(const IpAddress& address) const {
  if (IsAllowed(address)) return std::nullopt;
  if (address.IsV4()) return Find(kSpecialV4, address);
  if (auto name = Find(kSpecialV6, address)) return name;

  const Embedded embedded = EmbeddedIn(address);
  for (std::size_t i = 0; i < embedded.count; ++i) {
    if (IsAllowed(embedded.addresses[i])) continue;
    if (auto name = Find(kSpecialV4, embedded.addresses[i])) return name;
  }
  if (kNat64.Contains(address) || kTeredo.Contains(address)) return std::nullopt;
  if (kProtocolAssignments.Contains(address)) return "IETF protocol assignments (2001::/23)";
  if (!kGlobalUnicast.Contains(address)) return "not global unicast (outside 2000::/3)";
  return std::nullopt;
}

}  // namespace crawler

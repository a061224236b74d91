#include "crawler/address_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

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
    const char* begin = text.data() + slash + 1;
    const char* end = text.data() + text.size();
    auto [stop, error] = std::from_chars(begin, end, bits);
    if (error != std::errc() || stop != end || bits < 0 || bits > width) {
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

base::Result<AddressRules> AddressRules::Create(const std::vector<std::string>& allow_networks) {
  std::vector<IpNetwork> allowed;
  for (const std::string& text : allow_networks) {
    auto network = IpNetwork::Parse(text);
    if (!network) return base::Fail("allow_networks: " + network.error().message);
    allowed.push_back(*network);
  }
  return AddressRules(std::move(allowed));
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

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct sockaddr;

namespace crawler {

/// An IPv4 or IPv6 address as one 128-bit number: an IPv4 address *is* its mapped form
/// ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2), so the two spellings cannot be told apart by
/// mistake.
///
/// Thread safety: a value.
struct IpAddress {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// Of a numeric address ("10.0.0.1", "fe80::1"); nothing for a name or anything else.
  static std::optional<IpAddress> Parse(std::string_view text);
  /// Of the host of a canonical URL, IPv6 in brackets; nothing for a name.
  static std::optional<IpAddress> OfHost(std::string_view host);
  /// Of AF_INET and AF_INET6; nothing for other families.
  static std::optional<IpAddress> Of(const sockaddr& address);
  static constexpr IpAddress V4(std::uint32_t bits) { return {0, 0x0000'ffff'0000'0000u | bits}; }

  constexpr bool IsV4() const { return high == 0 && (low >> 32) == 0xffff; }
  std::string ToString() const;
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// A network in CIDR form.
struct IpNetwork {
  IpAddress base;
  /// Leading bits that count, of 128: an IPv4 network a.b.c.d/n has 96 + n.
  int prefix_bits = 128;

  /// "10.0.0.0/8", "fd00::/8", or one address. Bits beyond the prefix must be zero.
  static base::Result<IpNetwork> Parse(std::string_view text);
  constexpr bool Contains(const IpAddress& address) const {
    return ((address.high ^ base.high) & Mask(prefix_bits)) == 0 &&
           ((address.low ^ base.low) & Mask(prefix_bits - 64)) == 0;
  }

 private:
  static constexpr std::uint64_t Mask(int bits) {
    if (bits <= 0) return 0;
    return bits >= 64 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} >> bits);
  }
};

/// Which addresses a crawler connects to: by default only the public ones, so that no page can
/// send it into the network it runs in (SSRF). Asked with the address of the socket about to be
/// connected, never with a host name: names resolve to anything, and `2130706433`, `0x7f.1` or
/// `①②⑦.⓪.⓪.①` are all 127.0.0.1.
///
///     auto rules = AddressRules::Create({"127.0.0.0/8"});
///     if (auto why = rules->Denial(address)) ...   // "private network"
///
/// Denied: what IANA's special-purpose registries (RFC 6890, as of 2024) do not call globally
/// reachable, multicast and reserved space. IPv4 addresses inside IPv6 ones (mapped, compatible,
/// NAT64 RFC 6052, 6to4 RFC 3056, Teredo RFC 4380 server and client) are judged too.
///
/// Before any look-up, a URL's own words are judged by NameDenial() and PortDenial(): names that
/// mean this machine or this network, whatever a resolver makes of them, and ports on which a
/// request could be taken for another protocol's.
///
/// Thread safety: const methods. Cost: some thirty masked compares.
class AddressRules {
 public:
  /// `allow_networks` are open whatever else is said; where there are any, names are not judged.
  /// `allow_ports` are open although the Fetch standard calls them bad. Fails on what is no
  /// network or port.
  static base::Result<AddressRules> Create(const std::vector<std::string>& allow_networks,
                                           const std::vector<std::string>& allow_ports = {});

  /// Why `address` must not be connected to, in words; nothing when it may.
  std::optional<std::string_view> Denial(const IpAddress& address) const;

  /// Why `host` (as a canonical URL has it) must not be looked up: single labels, localhost
  /// (RFC 6761 section 6.3), .local (RFC 6762), .internal, .home.arpa (RFC 8375) and .onion
  /// (RFC 7686). Nothing for addresses: they are judged when connected to.
  std::optional<std::string_view> NameDenial(std::string_view host) const;

  /// Why no request goes to `port`: the bad ports of the Fetch standard, section 2.9 (as of
  /// 2024), and those of databases that act on what looks like a request.
  std::optional<std::string_view> PortDenial(std::uint16_t port) const;

 private:
  AddressRules(std::vector<IpNetwork> allowed, std::vector<std::uint16_t> allowed_ports)
      : allowed_(std::move(allowed)), allowed_ports_(std::move(allowed_ports)) {}
  bool IsAllowed(const IpAddress& address) const;

  std::vector<IpNetwork> allowed_;
  std::vector<std::uint16_t> allowed_ports_;
};

}  // namespace crawler

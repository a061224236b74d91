#include "frontier/url_host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unicode/uidna.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/ascii.h"
#include "base/check.h"
#include "base/hex.h"
#include "frontier/url_escape.h"

namespace frontier {
namespace {

constexpr std::size_t kNameBytesMax = 253;  // RFC 1035 section 2.3.4, in presentation form
constexpr std::size_t kLabelBytesMax = 63;

std::string PercentDecoded(std::string_view raw) {
  std::string decoded;
  decoded.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (std::optional<unsigned char> byte = EscapeAt(raw, i)) {
      decoded.push_back(static_cast<char>(*byte));
      i += 2;
    } else {
      decoded.push_back(raw[i]);
    }
  }
  return decoded;
}

/// WHATWG "forbidden domain code point", without what is not ASCII.
bool IsForbiddenInName(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte >= 0x7F || std::strchr("#%/:<>?@[\\]^|", c) != nullptr;
}

/// UTS #46 with the parameters of WHATWG "domain to ASCII", beStrict false.
base::Result<std::string> DomainToAscii(const std::string& name) {
  static const UIDNA* const idna = [] {
    UErrorCode status = U_ZERO_ERROR;
    UIDNA* opened =
        uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
                            UIDNA_NONTRANSITIONAL_TO_UNICODE,
                        &status);
    CHECK(U_SUCCESS(status));
    return opened;
  }();
  // CheckHyphens and VerifyDnsLength are off in the standard; ICU always reports both.
  constexpr std::uint32_t kIgnored =
      UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
      UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
  std::array<char, 1024> ascii;
  UIDNAInfo outcome = UIDNA_INFO_INITIALIZER;
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t length = uidna_nameToASCII_UTF8(
      idna, name.data(), static_cast<std::int32_t>(name.size()), ascii.data(),
      static_cast<std::int32_t>(ascii.size()), &outcome, &status);
  if (U_FAILURE(status) || (outcome.errors & ~kIgnored) != 0) {
    return base::Fail("the host is not a valid internationalised name (UTS #46)");
  }
  return std::string(ascii.data(), static_cast<std::size_t>(length));
}

/// One number of an IPv4 address as WHATWG reads it: decimal, 0 octal, 0x hexadecimal. Nothing
/// when it is none; too large ones come back as 2^32.
std::optional<std::uint64_t> Ipv4Number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  unsigned radix = 10;
  if (text.size() >= 2 && text[0] == '0') {
    radix = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
    text.remove_prefix(radix == 16 ? 2 : 1);
  }
  constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 32;
  std::uint64_t value = 0;
  for (char c : text) {
    int digit = base::HexValue(c);
    if (digit < 0 || static_cast<unsigned>(digit) >= radix) return std::nullopt;
    value = std::min(value * radix + static_cast<unsigned>(digit), kTooLarge);
  }
  return value;
}

/// WHATWG "ends in a number": such a host is an IPv4 address or nothing.
bool EndsInNumber(std::string_view host) {
  std::size_t dot = host.rfind('.');
  std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  if (!last.empty() && std::all_of(last.begin(), last.end(), base::IsDigit)) return true;
  return Ipv4Number(last).has_value();
}

base::Result<std::string> CanonicalIpv4(std::string_view host) {
  constexpr char kBad[] = "the host ends in a number but is no IPv4 address";
  std::array<std::uint64_t, 4> parts{};
  std::size_t count = 0;
  while (true) {
    std::size_t dot = host.find('.');
    std::optional<std::uint64_t> number = Ipv4Number(host.substr(0, dot));
    if (!number || count == parts.size()) return base::Fail(kBad);
    parts[count++] = *number;
    if (dot == std::string_view::npos) break;
    host.remove_prefix(dot + 1);
  }
  // The last number fills the bytes that the others leave.
  std::uint64_t address = parts[count - 1];
  if (address >= std::uint64_t{1} << (8 * (5 - count))) return base::Fail(kBad);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (parts[i] > 255) return base::Fail(kBad);
    address |= parts[i] << (8 * (3 - i));
  }
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (shift != 24) text += '.';
    text += std::to_string((address >> shift) & 0xFF);
  }
  return text;
}

/// RFC 5952: lower-case, no leading zeros, the longest run of two or more zero groups (the first
/// of equals) as `::`. Unlike inet_ntop, never with a dotted quad at its end (as WHATWG).
std::string WriteIpv6(const in6_addr& address) {
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) {
    groups[i] = (unsigned{address.s6_addr[2 * i]} << 8) | address.s6_addr[2 * i + 1];
  }
  std::size_t run_begin = 8;
  std::size_t run_length = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > run_length) {
      run_begin = i;
      run_length = end - i;
    }
    i = std::max(end, i + 1);
  }
  std::string text = "[";
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == run_begin) {
      text += "::";
      i += run_length - 1;
      continue;
    }
    if (text.back() != ':' && text.back() != '[') text += ':';
    bool begun = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      unsigned digit = (groups[i] >> shift) & 0xF;
      begun = begun || digit != 0 || shift == 0;
      if (begun) text += "0123456789abcdef"[digit];
    }
  }
  return text + "]";
}

base::Result<std::string> CanonicalIpv6(std::string_view raw) {
  in6_addr address{};
  const bool closed = raw.size() >= 2 && raw.back() == ']';
  const std::string text(closed ? raw.substr(1, raw.size() - 2) : "");
  // inet_pton takes neither zone identifiers nor a leading zero in the dotted quad, as WHATWG; but
  // it reads no further than a NUL.
  if (text.find('\0') != std::string::npos || inet_pton(AF_INET6, text.c_str(), &address) != 1) {
    return base::Fail("the host in brackets is no IPv6 address");
  }
  return WriteIpv6(address);
}

base::Status CheckName(std::string_view name) {
  if (name.size() > kNameBytesMax) return base::Fail("the host is longer than a DNS name can be");
  while (true) {
    std::string_view label = name.substr(0, name.find('.'));
    if (label.empty()) return base::Fail("the host has an empty label");
    if (label.size() > kLabelBytesMax) return base::Fail("the host has a label over 63 bytes");
    if (label.size() == name.size()) return {};
    name.remove_prefix(label.size() + 1);
  }
}

}  // namespace

base::Result<std::string> CanonicalHost(std::string_view raw, bool strict) {
  if (!raw.empty() && raw.front() == '[') return CanonicalIpv6(raw);
  std::string name = PercentDecoded(raw);
  for (char& c : name) c = base::ToLower(c);
  bool ascii = std::all_of(name.begin(), name.end(),
                           [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii || (strict && name.find("xn--") != std::string::npos)) {
    base::Result<std::string> mapped = DomainToAscii(name);
    if (!mapped) return mapped;
    name = std::move(*mapped);
  }
  if (name.empty()) return base::Fail("the host is empty");
  if (std::any_of(name.begin(), name.end(), IsForbiddenInName)) {
    return base::Fail("the host contains a character that no host may have");
  }
  std::string_view undotted = name;
  if (undotted.back() == '.') undotted.remove_suffix(1);
  if (EndsInNumber(undotted)) return CanonicalIpv4(undotted);
  if (!strict) return name;
  if (base::Status checked = CheckName(undotted); !checked) {
    return base::Fail(std::move(checked.error().message));
  }
  return std::string(undotted);
}

bool IsAddress(std::string_view host) {
  if (host.empty() || host.front() == '[') return !host.empty();
  return EndsInNumber(host);
}

}  // namespace frontier

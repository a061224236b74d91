#include "crawler/fetch/request_fields.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "frontier/url.h"

namespace crawler {
namespace {

/// Fields that say how the message is framed, or have an option of their own.
constexpr std::array<std::string_view, 10> kReserved = {"host",
                                                        "content-length",
                                                        "transfer-encoding",
                                                        "connection",
                                                        "accept-encoding",
                                                        "upgrade",
                                                        "user-agent",
                                                        "te",
                                                        "trailer",
                                                        "expect"};

/// RFC 9110 section 5.6.2.
bool IsTokenCharacter(char c) {
  return base::IsAlphanumeric(c) || (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

constexpr std::string_view kHttps = "https://";

std::string_view WithoutHttps(std::string_view host) {
  if (host.starts_with(kHttps)) host.remove_prefix(kHttps.size());
  return host;
}

/// HOST, with the port where it names one, as URLs have it; empty when there is no such host.
std::string CanonicalHost(std::string_view bare) {
  const bool other = std::any_of(bare.begin(), bare.end(), [](unsigned char c) {
    return c <= 0x20 || std::string_view("/\\@*?#\"\x7f").find(c) != std::string_view::npos;
  });
  const auto url =
      frontier::Url::Parse(fmt::format("http://{}/", bare), frontier::UrlRules::Longest());
  if (other || !url || bare.ends_with(':')) return {};
  const std::size_t colon = bare.rfind(':');
  // Of an IPv6 address the last colon stands before its bracket.
  const bool has_port = colon != bare.npos && bare.find(']', colon) == bare.npos;
  std::string host(url->host());
  if (has_port) host += fmt::format(":{}", url->port());
  return host;
}

/// "HOST rest" to its two parts, the host as URLs have it; empty when there is no such host.
std::pair<std::string, std::string> SplitHost(std::string_view entry) {
  const std::size_t space = entry.find(' ');
  if (space == std::string_view::npos) return {};
  std::string_view host = entry.substr(0, space);
  const bool only_https = base::StartsWithIgnoreCase(host, kHttps);
  if (only_https) host.remove_prefix(kHttps.size());
  std::string canonical = CanonicalHost(host);
  if (canonical.empty()) return {};
  if (only_https) canonical.insert(0, kHttps);
  return {std::move(canonical), std::string(entry.substr(space + 1))};
}

/// The origins that the HOST of an entry names, as FieldOrigin() spells them.
std::vector<std::string> OriginsOf(std::string_view host) {
  const bool only_https = host.starts_with(kHttps);
  host = WithoutHttps(host);
  const std::size_t colon = host.rfind(':');
  // Of an IPv6 address the last colon stands before its bracket.
  const bool has_port =
      colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  std::vector<std::string> origins = {fmt::format("{}{}{}", kHttps, host, has_port ? "" : ":443")};
  if (!only_https) origins.push_back(fmt::format("http://{}{}", host, has_port ? "" : ":80"));
  return origins;
}

}  // namespace

std::string HeaderFault(const std::string& entry) {
  const std::size_t colon = entry.find(':');
  const std::string_view name = std::string_view(entry).substr(0, colon);
  if (colon == std::string::npos || name.empty() ||
      !std::all_of(name.begin(), name.end(), IsTokenCharacter)) {
    return "is not of the form \"Name: value\"";
  }
  if (!IsVisible(entry)) return "holds a character that is not visible ASCII";
  const std::string lower = base::ToLower(name);
  if (std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end()) {
    return "sets a field that is not to be set by hand: " + lower;
  }
  return {};
}

std::string HostHeaderFault(const std::string& entry) {
  const auto [host, field] = SplitHost(entry);
  if (host.empty()) return "does not begin with a host and a space";
  return HeaderFault(field);
}

std::string BasicAuthFault(const std::string& entry) {
  const auto [host, secret] = SplitHost(entry);
  if (host.empty()) return "does not begin with a host and a space";
  const std::size_t colon = secret.find(':');
  if (colon == std::string::npos || colon == 0) return "has no USER:PASSWORD behind the host";
  return {};
}

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

base::Result<RequestFields> RequestFields::Create(const std::vector<std::string>& headers,
                                                  const std::vector<std::string>& host_headers,
                                                  const std::vector<std::string>& basic_auth) {
  using Fault = std::string (*)(const std::string&);
  const auto check = [](std::string_view name, const std::vector<std::string>& entries,
                        Fault fault_of) -> base::Status {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string fault = fault_of(entries[i]);
      if (fault.empty()) continue;
      return base::Fail(std::string(name) + ": entry " + std::to_string(i + 1) + " " + fault);
    }
    return {};
  };
  for (const base::Status& status : {check("headers", headers, HeaderFault),
                                     check("host_headers", host_headers, HostHeaderFault),
                                     check("basic_auth", basic_auth, BasicAuthFault)}) {
    if (!status) return base::Fail(status.error().message);
  }
  RequestFields fields;
  fields.common_ = headers;
  for (const std::string& entry : host_headers) {
    const auto [host, field] = SplitHost(entry);
    for (const std::string& origin : OriginsOf(host)) fields.by_origin_[origin].push_back(field);
  }
  for (const std::string& entry : basic_auth) {
    const auto [host, secret] = SplitHost(entry);
    for (const std::string& origin : OriginsOf(host)) {
      fields.by_origin_[origin].push_back("Authorization: Basic " + Base64(secret));
    }
  }
  return fields;
}

std::string FieldOrigin(std::string_view scheme, std::string_view host, std::uint16_t port) {
  return fmt::format("{}://{}:{}", scheme, host, port);
}

}  // namespace crawler

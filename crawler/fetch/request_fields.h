#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace crawler {

/// Header fields that the user wants sent besides our own: to every host, or to one only.
///
///     auto fields = RequestFields::Create({"Accept-Language: de"}, {"a.example X-Key: 1"},
///                                         {"a.example user:password"});
///     // X-Key and "Authorization: Basic ..."
///     fields->by_origin().find(FieldOrigin("https", "a.example", 443));
///
/// What is meant for one host is never sent to another: there is no "and its subdomains", and
/// since the fetcher follows no redirects, none can carry it away. HOST, spelled as in any URL, is
/// that host at the ports of http (80) and https (443), HOST:PORT at that port, and
/// https://HOST[:PORT] is never sent in clear text. Errors name the entry by its position, never
/// by its text: it may be a secret.
///
/// Thread safety: const methods. Cost: one look-up by host.
class RequestFields {
 public:
  /// `headers` are "Name: value"; `host_headers` are "HOST Name: value" and `basic_auth` "HOST
  /// USER:PASSWORD", where HOST may have https:// before and :PORT behind it.
  static base::Result<RequestFields> Create(const std::vector<std::string>& headers,
                                            const std::vector<std::string>& host_headers,
                                            const std::vector<std::string>& basic_auth);

  /// "Name: value" of every host.
  const std::vector<std::string>& common() const { return common_; }
  /// "Name: value" of single origins, by FieldOrigin(), without the common ones.
  const std::map<std::string, std::vector<std::string>, std::less<>>& by_origin() const {
    return by_origin_;
  }

 private:
  std::vector<std::string> common_;
  std::map<std::string, std::vector<std::string>, std::less<>> by_origin_;
};

/// "https://a.example:443": how RequestFields names an origin, whose host is in lower case.
std::string FieldOrigin(std::string_view scheme, std::string_view host, std::uint16_t port);

/// What is wrong with one entry, as "is ..."; empty when nothing. Never shows the entry.
std::string HeaderFault(const std::string& entry);
std::string HostHeaderFault(const std::string& entry);
std::string BasicAuthFault(const std::string& entry);

/// RFC 4648 section 4.
std::string Base64(std::string_view bytes);

}  // namespace crawler

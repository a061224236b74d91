#pragma once

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
///     fields->by_host().find("a.example");   // X-Key and "Authorization: Basic ..."
///
/// What is meant for one host is never sent to another: there is no "and its subdomains", and
/// since the fetcher follows no redirects, none can carry it away. Errors name the entry by its
/// position, never by its text: it may be a secret.
///
/// Thread safety: const methods. Cost: one look-up by host.
class RequestFields {
 public:
  /// `headers` are "Name: value"; `host_headers` are "HOST Name: value" and `basic_auth` "HOST
  /// USER:PASSWORD", where HOST is a host name or HOST:PORT.
  static base::Result<RequestFields> Create(const std::vector<std::string>& headers,
                                            const std::vector<std::string>& host_headers,
                                            const std::vector<std::string>& basic_auth);

  /// "Name: value" of every host.
  const std::vector<std::string>& common() const { return common_; }
  /// "Name: value" of hosts, by "host" or "host:port" in lower case, without the common ones.
  const std::map<std::string, std::vector<std::string>, std::less<>>& by_host() const {
    return by_host_;
  }

 private:
  std::vector<std::string> common_;
  std::map<std::string, std::vector<std::string>, std::less<>> by_host_;
};

/// What is wrong with one entry, as "is ..."; empty when nothing. Never shows the entry.
std::string HeaderFault(const std::string& entry);
std::string HostHeaderFault(const std::string& entry);
std::string BasicAuthFault(const std::string& entry);

/// RFC 4648 section 4.
std::string Base64(std::string_view bytes);

}  // namespace crawler

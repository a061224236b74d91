#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "crawler/fetch/address_rules.h"
#include "crawler/fetch/cookie_jar.h"
#include "crawler/fetch/curl_handles.h"
#include "crawler/fetch/fetcher_options.h"
#include "crawler/fetch/request_fields.h"

namespace crawler::curl {

/// What all transfers of a loop share; constant while it runs.
struct Settings {
  FetcherOptions options;
  AddressRules address_rules;
  std::string user_agent;
  StringList headers;
  /// Of origins that get fields of their own, by FieldOrigin().
  std::map<std::string, StringList, std::less<>> headers_by_origin;
  StringList resolve;
  std::shared_ptr<CookieJar> cookies;  // null: none

  Settings(FetcherOptions given, AddressRules rules, const RequestFields& fields,
           std::shared_ptr<CookieJar> jar);
  bool proxied() const { return !options.proxy.empty(); }
  /// Whether what is sent depends on the host.
  bool by_host() const { return !headers_by_origin.empty() || cookies != nullptr; }
};

}  // namespace crawler::curl

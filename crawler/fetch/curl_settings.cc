#include "crawler/fetch/curl_settings.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"

namespace crawler::curl {
namespace {

constexpr char kAccept[] =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";

void Append(StringList& list, const std::string& text) {
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  CHECK(longer != nullptr);
  static_cast<void>(list.release());
  list.reset(longer);
}

void AppendCommon(const RequestFields& fields, StringList& list) {
  const auto& common = fields.common();
  const bool has_accept = std::any_of(common.begin(), common.end(), [](const std::string& field) {
    return base::StartsWithIgnoreCase(field, "accept:");
  });
  if (!has_accept) Append(list, kAccept);
  for (const std::string& field : common) Append(list, field);
}

}  // namespace

Settings::Settings(FetcherOptions given, AddressRules rules, const RequestFields& fields,
                   std::shared_ptr<CookieJar> jar)
    : options(std::move(given)), address_rules(std::move(rules)), cookies(std::move(jar)) {
  user_agent = options.user_agent;
  if (!options.contact_url.empty()) user_agent += " (+" + options.contact_url + ")";
  AppendCommon(fields, headers);
  for (const auto& [origin, own] : fields.by_origin()) {
    StringList& list = headers_by_origin[origin];
    AppendCommon(fields, list);
    for (const std::string& field : own) Append(list, field);
  }
  for (const std::string& entry : options.resolve) Append(resolve, entry);
}

}  // namespace crawler::curl

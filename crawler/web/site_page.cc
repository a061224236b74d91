#include "crawler/web/site_page.h"

#include <algorithm>

#include "base/ascii.h"

namespace crawler {

UrlParts SplitUrl(std::string_view url) {
  UrlParts parts;
  const std::size_t colon = url.find("://");
  const std::string_view scheme = url.substr(0, colon == url.npos ? 0 : colon);
  std::string_view rest = colon == url.npos ? url : url.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  rest.remove_prefix(end);
  const std::size_t query = std::min(rest.find('?'), rest.size());
  parts.path = query == 0 ? std::string_view("/") : rest.substr(0, query);
  if (query < rest.size()) parts.query = rest.substr(query + 1);
  parts.target = query == 0 ? parts.path : rest;

  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    authority.remove_prefix(at + 1);
  }
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  parts.site = base::ToLower(authority);
  if (parts.site.starts_with("www.")) parts.site.erase(0, 4);
  if (parts.site.ends_with('.')) parts.site.pop_back();
  return parts;
}

}  // namespace crawler

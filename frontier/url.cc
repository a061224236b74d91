#include "frontier/url.h"

#include <curl/urlapi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "frontier/session_ids.h"
#include "frontier/url_escape.h"
#include "frontier/url_host.h"

namespace frontier {
namespace {

constexpr std::string_view kOverTheLimit = " bytes, over the limit of ";

bool IsSlash(char c) { return c == '/' || c == '\\'; }

std::uint16_t DefaultPort(bool https) { return https ? 443 : 80; }

/// The text without what browsers overlook: C0 controls and spaces at its ends, tabs and line
/// breaks anywhere; and without the fragment.
std::string Cleaned(std::string_view text) {
  auto at_end = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && at_end(text.front())) text.remove_prefix(1);
  while (!text.empty() && at_end(text.back())) text.remove_suffix(1);
  std::string cleaned(text.substr(0, text.find('#')));
  std::erase_if(cleaned, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
  return cleaned;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

/// "name" of "name:rest" in lower case, or nothing; takes it and the colon from `text`.
std::optional<std::string> TakeScheme(std::string_view& text) {
  if (text.empty() || !base::IsAlpha(text.front())) return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && (base::IsAlphanumeric(text[end]) || text[end] == '+' ||
                               text[end] == '-' || text[end] == '.')) {
    ++end;
  }
  if (end == text.size() || text[end] != ':') return std::nullopt;
  std::string scheme = base::ToLower(text.substr(0, end));
  text.remove_prefix(end + 1);
  return scheme;
}

/// The views of a URL's raw pieces; `base` pieces are canonical already.
struct Pieces {
  bool https = false;
  /// What stands between the slashes and the path; nothing when the base's holds.
  std::optional<std::string_view> authority;
  std::string path;
  std::optional<std::string_view> query;
};

/// Takes "path?query" apart; the fragment is gone already.
void SplitPathAndQuery(std::string_view rest, Pieces& pieces) {
  std::size_t mark = rest.find('?');
  if (mark != std::string_view::npos) pieces.query = rest.substr(mark + 1);
  pieces.path = rest.substr(0, mark);
}

/// WHATWG "special authority ignore slashes" and on.
void SplitAtAuthority(std::string_view rest, Pieces& pieces) {
  while (!rest.empty() && IsSlash(rest.front())) rest.remove_prefix(1);
  std::size_t end = rest.find_first_of("/\\?");
  pieces.authority = rest.substr(0, end);
  SplitPathAndQuery(end == std::string_view::npos ? std::string_view() : rest.substr(end), pieces);
}

/// WHATWG "relative state" and on.
void SplitRelative(std::string_view rest, const Url& base, Pieces& pieces) {
  if (rest.size() >= 2 && IsSlash(rest[0]) && IsSlash(rest[1])) {
    SplitAtAuthority(rest, pieces);
    return;
  }
  SplitPathAndQuery(rest, pieces);
  if (pieces.path.empty()) {
    pieces.path = base.path();
    bool base_has_query = base.path_and_query().size() > base.path().size();
    if (!pieces.query && base_has_query) pieces.query = base.query();
  } else if (!IsSlash(pieces.path.front())) {
    pieces.path.insert(0, base.path().substr(0, base.path().rfind('/') + 1));
  }
}

base::Result<Pieces> Split(std::string_view text, const Url* base) {
  Pieces pieces;
  std::optional<std::string> scheme = TakeScheme(text);
  if (!scheme) {
    if (base == nullptr)
      return base::Fail("it has no scheme, as https://, and there is no base to complete it by");
    pieces.https = base->scheme() == "https";
    SplitRelative(text, *base, pieces);
    return pieces;
  }
  if (*scheme != "http" && *scheme != "https") {
    return base::Fail("the scheme is neither http nor https");
  }
  pieces.https = *scheme == "https";
  // "http:page" in a document at http is relative; so browsers have always read it.
  if (base != nullptr && *scheme == base->scheme() && text.substr(0, 2) != "//") {
    SplitRelative(text, *base, pieces);
  } else {
    SplitAtAuthority(text, pieces);
  }
  return pieces;
}

/// Appends host and port of "user:password@host:port".
base::Status AppendAuthority(std::string_view authority, bool https, bool strict,
                             std::string& out) {
  std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) authority.remove_prefix(at + 1);
  std::size_t bracket = authority.empty() || authority[0] != '[' ? 0 : authority.find(']');
  std::size_t colon = authority.find(':', bracket);
  base::Result<std::string> host = CanonicalHost(authority.substr(0, colon), strict);
  if (!host) return base::Fail(std::move(host.error().message));
  out += *host;
  if (colon == std::string_view::npos) return {};
  std::uint32_t port = DefaultPort(https);
  std::string_view digits = authority.substr(colon + 1);
  if (!digits.empty()) port = 0;
  for (char c : digits) {
    if (!base::IsDigit(c)) return base::Fail("the port is not a number");
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
    if (port > 0xFFFF) return base::Fail("the port is above 65535");
  }
  if (port != DefaultPort(https)) out.append(":").append(std::to_string(port));
  return {};
}

struct CurlFree {
  void operator()(char* text) const { curl_free(text); }
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};

/// What libcurl reads as a part of the URL in `handle`; empty where it sees none.
std::string CurlPart(CURLU* handle, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, part, &text, flags) != CURLUE_OK) return std::string();
  std::unique_ptr<char, CurlFree> owned(text);
  return std::string(text);
}

/// libcurl opens the connection and writes the request: it must see in the text what we see.
base::Status CheckWithCurl(const Url& url) {
  std::unique_ptr<CURLU, CurlFree> handle(curl_url());
  CHECK(handle != nullptr);
  CURLUcode code =
      curl_url_set(handle.get(), CURLUPART_URL, url.text().c_str(), CURLU_DISALLOW_USER);
  if (code != CURLUE_OK) {
    return base::Fail(std::string("libcurl cannot read the URL: ") + curl_url_strerror(code));
  }
  bool same =
      CurlPart(handle.get(), CURLUPART_SCHEME) == url.scheme() &&
      CurlPart(handle.get(), CURLUPART_HOST) == url.host() &&
      CurlPart(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT) == std::to_string(url.port()) &&
      CurlPart(handle.get(), CURLUPART_PATH) == url.path() &&
      CurlPart(handle.get(), CURLUPART_QUERY) == url.query();
  if (!same) return base::Fail("libcurl reads the URL otherwise than we do");
  return {};
}

/// Nothing in the URL that anybody could read otherwise: libcurl need not be asked.
bool IsPlain(const Url& url) {
  const std::string_view host = url.host();
  const auto is_host = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_rest = [](char c) {
    return base::IsAlphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~' || c == '/' ||
           c == '=' || c == '&';
  };
  // A host whose last label is a number would be an address.
  return std::all_of(host.begin(), host.end(), is_host) && is_letter(host.back()) &&
         host.front() != '.' && host.find("..") == std::string_view::npos &&
         url.path().find("/.") == std::string_view::npos &&
         std::all_of(url.path().begin(), url.path().end(), is_rest) &&
         std::all_of(url.query().begin(), url.query().end(), is_rest);
}

base::Result<Url> Canonical(std::string_view text, const Url* base, const UrlRules& rules) {
  CHECK(rules.url_bytes_max <= kUrlBytesLimit);
  auto too_long = [&rules](std::size_t size) {
    return base::Fail("the URL has " + std::to_string(size) + std::string(kOverTheLimit) +
                      std::to_string(rules.url_bytes_max));
  };
  if (text.size() > rules.url_bytes_max) return too_long(text.size());
  const std::string cleaned = Cleaned(text);
  base::Result<Pieces> pieces = Split(cleaned, base);
  if (!pieces) return base::Fail(std::move(pieces.error().message));
  if (rules.strict && (HasControl(pieces->path) || HasControl(pieces->query.value_or("")))) {
    return base::Fail("the URL contains a control byte");
  }

  std::string canonical = pieces->https ? "https://" : "http://";
  canonical.reserve(text.size() + (base == nullptr ? 0 : base->text().size()) + 16);
  if (!pieces->authority) {
    canonical += base->authority();
  } else if (base::Status host =
                 AppendAuthority(*pieces->authority, pieces->https, rules.strict, canonical);
             !host) {
    return base::Fail(std::move(host.error().message));
  }
  AppendPath(pieces->path, rules, canonical);
  if (pieces->query) {
    std::size_t mark = canonical.size();
    canonical.push_back('?');
    AppendEscaped(*pieces->query, UrlPart::kQuery, rules.normalize_escapes, canonical);
    if (!rules.drop_parameters.empty() && canonical.size() > mark + 1) {
      DropParameters(rules.drop_parameters, mark + 1, canonical);
      if (canonical.size() == mark + 1) canonical.pop_back();
    }
    if (rules.drop_session_ids && canonical.size() > mark) DropSessionIdsOfQuery(mark, canonical);
  }
  if (canonical.size() > rules.url_bytes_max) return too_long(canonical.size());
  Url url = Url::FromCanonical(std::move(canonical));
  if (IsPlain(url)) return url;
  if (base::Status read = CheckWithCurl(url); !read) {
    return base::Fail(std::move(read.error().message));
  }
  return url;
}

}  // namespace

Url::Url(std::string text) : text_(std::move(text)) {
  CHECK(text_.size() > 7 && text_.size() <= kUrlBytesLimit && text_.compare(0, 4, "http") == 0);
  https_ = text_[4] == 's';
  std::size_t path = text_.find('/', host_begin());
  CHECK(path != std::string::npos && path > host_begin());
  path_begin_ = static_cast<std::uint16_t>(path);
  path_end_ = static_cast<std::uint16_t>(std::min(text_.find('?', path), text_.size()));
  // An IPv6 address has colons of its own, within brackets.
  std::string_view named = authority();
  std::size_t colon = named.back() == ']' ? std::string_view::npos : named.rfind(':');
  port_ = DefaultPort(https_);
  host_end_ = path_begin_;
  if (colon != std::string_view::npos) {
    host_end_ = static_cast<std::uint16_t>(host_begin() + colon);
    port_ = 0;
    for (char c : named.substr(colon + 1)) {
      port_ = static_cast<std::uint16_t>(port_ * 10 + (c - '0'));
    }
  }
}

base::Result<Url> Url::Parse(std::string_view text, const UrlRules& rules) {
  return Canonical(text, nullptr, rules);
}

base::Result<Url> Url::Resolve(const Url& base, std::string_view href, const UrlRules& rules) {
  return Canonical(href, &base, rules);
}

Url Url::FromCanonical(std::string text) { return Url(std::move(text)); }

std::optional<Url> Url::FromStored(std::string text) {
  const std::size_t host = text.starts_with("https://") ? 8 : 7;
  if (host == 7 && !text.starts_with("http://")) return std::nullopt;
  const std::size_t path = text.find('/', host);
  if (path == std::string::npos || path == host || text[host] == ':') return std::nullopt;
  if (text.size() > kUrlBytesLimit) return std::nullopt;
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!visible) return std::nullopt;
  return Url(std::move(text));
}

bool IsUrlTooLong(const base::Error& error) {
  return error.message.find(kOverTheLimit) != std::string::npos;
}

}  // namespace frontier

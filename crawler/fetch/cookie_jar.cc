#include "crawler/fetch/cookie_jar.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/system_failure.h"
#include "base/whole_number.h"
#include "crawler/fetch/cookie_date.h"
#include "crawler/io/bounded_file.h"
#include "crawler/io/whole_file.h"
#include "frontier/registered_domain.h"

namespace crawler {
namespace {

constexpr std::string_view kHttpOnly = "#HttpOnly_";
constexpr std::size_t kFileFields = 7;
// A cookie file is read whole. No line that Save() writes comes near it: CookieLimits sees to it.
constexpr std::size_t kFileLineBytesMax = 16'384;
constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;

// What stands before `mark`, which goes too; all of it where there is none.
std::string_view TakeUntil(std::string_view& text, char mark) {
  const std::size_t end = text.find(mark);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// RFC 6265 section 5.1.3.
bool DomainMatches(std::string_view host, std::string_view domain) {
  if (host == domain) return true;
  // An address has no subdomains.
  return host.size() > domain.size() && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.' && frontier::RegisteredDomain(host) != host;
}

// Section 5.1.4.
bool PathMatches(std::string_view path, std::string_view cookie_path) {
  if (!path.starts_with(cookie_path)) return false;
  return path.size() == cookie_path.size() || cookie_path.ends_with('/') ||
         path[cookie_path.size()] == '/';
}

std::string_view DefaultPath(std::string_view path) {
  const std::size_t last = path.rfind('/');
  return last == 0 || last == std::string_view::npos ? "/" : path.substr(0, last);
}

// Max-Age (section 5.2.2): the time it names; nothing for what is no number.
std::optional<base::WallTime> ParseMaxAge(std::string_view value, base::WallTime now) {
  const bool negative = value.starts_with('-');
  if (negative) value.remove_prefix(1);
  const bool digits = !value.empty() && std::all_of(value.begin(), value.end(), base::IsDigit);
  if (!digits) return std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{60} * 60 * 24 * 400;  // 400 days, as RFC 6265bis has
  const std::int64_t seconds = base::WholeNumber<std::int64_t>(value).value_or(kMost);
  if (negative || seconds == 0) return base::WallTime{};
  return now + std::chrono::seconds(std::min(seconds, kMost));
}

}  // namespace

std::size_t CookieJar::Cookie::bytes() const {
  return sizeof(Cookie) + name.size() + value.size() + domain.size() + path.size();
}

bool CookieJar::Cookie::GoesTo(const frontier::Url& url) const {
  if (secure && url.scheme() != "https") return false;
  const bool right_host = subdomains ? DomainMatches(url.host(), domain) : url.host() == domain;
  return right_host && PathMatches(url.path(), path);
}

// Section 5.2, and 5.3 as far as it concerns one cookie.
std::optional<CookieJar::Cookie> CookieJar::Parse(const frontier::Url& url,
                                                  std::string_view set_cookie,
                                                  base::WallTime now) const {
  std::string_view pair = TakeUntil(set_cookie, ';');
  if (pair.find('=') == std::string_view::npos) return std::nullopt;
  Cookie cookie;
  cookie.name = base::Trim(TakeUntil(pair, '='), base::kHttpBlanks);
  cookie.value = base::Trim(pair, base::kHttpBlanks);
  if (cookie.name.empty() || HasControl(cookie.name) || HasControl(cookie.value)) {
    return std::nullopt;
  }
  std::string domain;
  std::string_view path;
  std::optional<base::WallTime> max_age;
  while (!set_cookie.empty()) {
    std::string_view attribute = TakeUntil(set_cookie, ';');
    const std::string_view name = base::Trim(TakeUntil(attribute, '='), base::kHttpBlanks);
    const std::string_view value = base::Trim(attribute, base::kHttpBlanks);
    if (value.size() > limits_.attribute_bytes_max) continue;
    if (base::EqualsIgnoreCase(name, "expires")) {
      if (auto date = ParseCookieDate(value)) cookie.expires = date;
    } else if (base::EqualsIgnoreCase(name, "max-age")) {
      if (auto age = ParseMaxAge(value, now)) max_age = age;
    } else if (base::EqualsIgnoreCase(name, "domain") && !value.empty()) {
      domain = base::ToLower(value.substr(value.starts_with('.') ? 1 : 0));
    } else if (base::EqualsIgnoreCase(name, "path")) {
      path = value;
    } else if (base::EqualsIgnoreCase(name, "secure")) {
      cookie.secure = true;
    } else if (base::EqualsIgnoreCase(name, "httponly")) {
      cookie.http_only = true;
    }
  }
  if (max_age) cookie.expires = max_age;
  // A public suffix would name everybody below it.
  const bool is_suffix = frontier::RegisteredDomain(url.host()).size() > domain.size();
  const bool wider = !domain.empty() && domain != url.host();
  if (wider && (is_suffix || !DomainMatches(url.host(), domain))) return std::nullopt;
  cookie.subdomains = !domain.empty();
  cookie.domain = domain.empty() ? std::string(url.host()) : std::move(domain);
  cookie.path = path.starts_with('/') && !HasControl(path) ? path : DefaultPath(url.path());
  // What the beginning of a name promises (RFC 6265bis section 4.1.3).
  const bool of_host = base::StartsWithIgnoreCase(cookie.name, "__Host-");
  const bool of_tls = of_host || base::StartsWithIgnoreCase(cookie.name, "__Secure-");
  if (of_tls && !cookie.secure) return std::nullopt;
  if (of_host && (cookie.subdomains || path != "/")) return std::nullopt;
  return cookie;
}

void CookieJar::Set(const frontier::Url& url, std::string_view set_cookie, base::WallTime now) {
  std::optional<Cookie> cookie = Parse(url, set_cookie, now);
  if (!cookie) return;
  const bool tls = url.scheme() == "https";
  base::MutexLock lock(mutex_);
  // Nobody on the way may set what only goes over TLS.
  if (!tls && (cookie->secure || HidesSecureOne(*cookie, now))) return;
  Put(std::move(*cookie), now);
}

CookieJar::Site* CookieJar::Find(std::string_view host) {
  const auto found = by_domain_.find(frontier::RegisteredDomain(host));
  if (found == by_domain_.end()) return nullptr;
  sites_.splice(sites_.begin(), sites_, found->second);
  return &sites_.front();
}

// RFC 6265bis section 5.7: would a server that asks for `cookie` by name see it in the place of
// one that only goes over TLS?
bool CookieJar::HidesSecureOne(const Cookie& cookie, base::WallTime now) {
  const Site* const site = Find(cookie.domain);
  return site != nullptr &&
         std::any_of(site->cookies.begin(), site->cookies.end(), [&](const Cookie& other) {
           return other.secure && !other.IsDue(now) && other.name == cookie.name &&
                  (DomainMatches(other.domain, cookie.domain) ||
                   DomainMatches(cookie.domain, other.domain)) &&
                  PathMatches(cookie.path, other.path);
         });
}

bool CookieJar::Put(Cookie cookie, base::WallTime now) {
  if (cookie.name.size() + cookie.value.size() > limits_.cookie_bytes_max) return false;
  if (cookie.path.size() > limits_.attribute_bytes_max) return false;
  Site* site = Find(cookie.domain);
  if (site == nullptr) {
    if (cookie.IsDue(now)) return true;
    sites_.push_front(
        {.domain = std::string(frontier::RegisteredDomain(cookie.domain)), .cookies = {}});
    site = &sites_.front();
    by_domain_.emplace(site->domain, sites_.begin());
  }
  auto same = std::find_if(site->cookies.begin(), site->cookies.end(), [&](const Cookie& other) {
    return other.name == cookie.name && other.domain == cookie.domain &&
           other.path == cookie.path && other.subdomains == cookie.subdomains;
  });
  if (cookie.IsDue(now)) {
    if (same != site->cookies.end()) {
      Remove(*site, static_cast<std::size_t>(same - site->cookies.begin()));
    }
    if (site->cookies.empty()) Forget(sites_.begin());
    return true;
  }
  Room room = Room::kFree;
  const std::size_t added = cookie.bytes();
  if (same != site->cookies.end()) {
    bytes_ -= same->bytes();
    site->bytes -= same->bytes();
    *same = std::move(cookie);
  } else {
    room = MakeRoom(*site, cookie, now);
    if (room == Room::kNone) return false;
    site->cookies.push_back(std::move(cookie));
  }
  bytes_ += added;
  site->bytes += added;
  while (bytes_ > limits_.bytes_max && sites_.size() > 1) {
    Forget(std::prev(sites_.end()));
    room = Room::kTaken;
  }
  return room == Room::kFree;
}

// In a full jar those make room that are due, then the oldest; but one that only goes over TLS for
// none that does not, or any page over plain http could drive it out.
CookieJar::Room CookieJar::MakeRoom(Site& site, const Cookie& cookie, base::WallTime now) {
  if (site.cookies.size() < limits_.cookies_per_domain_max) return Room::kFree;
  auto old = std::ranges::find_if(site.cookies, [now](const Cookie& it) { return it.IsDue(now); });
  const Room room = old == site.cookies.end() ? Room::kTaken : Room::kFree;
  if (old == site.cookies.end()) {
    old = std::ranges::find_if(site.cookies, [](const Cookie& it) { return !it.secure; });
  }
  if (old == site.cookies.end()) {
    if (!cookie.secure) return Room::kNone;
    old = site.cookies.begin();
  }
  Remove(site, static_cast<std::size_t>(old - site.cookies.begin()));
  return room;
}

void CookieJar::Remove(Site& site, std::size_t at) {
  const auto cookie = site.cookies.begin() + static_cast<std::ptrdiff_t>(at);
  bytes_ -= cookie->bytes();
  site.bytes -= cookie->bytes();
  site.cookies.erase(cookie);
}

void CookieJar::Forget(std::list<Site>::iterator site) {
  bytes_ -= site->bytes;
  by_domain_.erase(site->domain);
  sites_.erase(site);
}

std::string CookieJar::FieldFor(const frontier::Url& url, base::WallTime now) {
  std::string field;
  base::MutexLock lock(mutex_);
  Site* site = Find(url.host());
  if (site == nullptr) return field;
  std::vector<const Cookie*> going;
  for (const Cookie& cookie : site->cookies) {
    if (!cookie.IsDue(now) && cookie.GoesTo(url)) going.push_back(&cookie);
  }
  // The longer path first, then the older cookie (section 5.4).
  std::stable_sort(going.begin(), going.end(), [](const Cookie* a, const Cookie* b) {
    return a->path.size() > b->path.size();
  });
  for (const Cookie* cookie : going) {
    if (field.size() + cookie->name.size() + cookie->value.size() + 3 > limits_.field_bytes_max) {
      continue;
    }
    if (!field.empty()) field += "; ";
    field.append(cookie->name).append("=").append(cookie->value);
  }
  return field;
}

std::size_t CookieJar::size() const {
  base::MutexLock lock(mutex_);
  std::size_t count = 0;
  for (const Site& site : sites_) count += site.cookies.size();
  return count;
}

std::size_t CookieJar::memory_bytes() const {
  base::MutexLock lock(mutex_);
  return bytes_;
}

// ---- The file: domain, subdomains too?, path, secure?, expiry (0: none), name, value

std::string CookieJar::NoRoom() const {
  return "this cookie is over a bound, or finds no room beside those before it (bytes of name and "
         "value: " +
         std::to_string(limits_.cookie_bytes_max) +
         ", of the path: " + std::to_string(limits_.attribute_bytes_max) +
         ", cookies of one registered domain: " + std::to_string(limits_.cookies_per_domain_max) +
         ", bytes in all: " + std::to_string(limits_.bytes_max) +
         "). It would be lost when the file is written anew, so the file was left alone: give a "
         "copy that holds only what the crawl needs";
}

std::optional<CookieJar::Cookie> CookieJar::ParseLine(std::string_view line) {
  const bool http_only = line.starts_with(kHttpOnly);
  if (http_only) line.remove_prefix(kHttpOnly.size());
  std::array<std::string_view, kFileFields> fields;
  for (std::size_t i = 0; i + 1 < kFileFields; ++i) {
    if (line.find('\t') == std::string_view::npos) return std::nullopt;
    fields[i] = TakeUntil(line, '\t');
  }
  fields.back() = line;
  const auto [domain, subdomains, path, secure, expires, name, value] = fields;
  const auto seconds = base::WholeNumber<std::int64_t>(expires);
  const auto is_flag = [](std::string_view text) { return text == "TRUE" || text == "FALSE"; };
  constexpr std::int64_t kLatest = 9'214'646'400;  // 2262: a clock of nanoseconds ends there
  if (!seconds || !is_flag(subdomains) || !is_flag(secure) || name.empty() ||
      !path.starts_with('/') || HasControl(name) || HasControl(value) || HasControl(path)) {
    return std::nullopt;
  }
  const auto host = frontier::Url::Parse(
      "http://" + std::string(domain.substr(domain.starts_with('.') ? 1 : 0)) + "/");
  if (!host) return std::nullopt;
  Cookie cookie{.name = std::string(name),
                .value = std::string(value),
                .domain = std::string(host->host()),
                .path = std::string(path),
                .subdomains = subdomains == "TRUE",
                .secure = secure == "TRUE",
                .http_only = http_only,
                .expires = std::nullopt};
  if (*seconds > 0) {
    cookie.expires = base::WallTime(std::chrono::seconds(std::min(*seconds, kLatest)));
  }
  return cookie;
}

base::Result<std::unique_ptr<CookieJar>> CookieJar::Open(std::string path, base::WallTime now,
                                                         const CookieLimits& limits) {
  auto jar = std::make_unique<CookieJar>(limits);
  std::error_code ignored;  // shows below
  if (std::filesystem::is_directory(path, ignored)) {
    return base::Fail(path + ": cannot hold cookies: it is a directory");
  }
  BoundedFile file;
  if (access(path.c_str(), F_OK) == 0) {
    auto read = ReadBoundedFile(path, kFileBytesMax);
    if (!read) return base::Fail(path + ": " + read.error().message);
    if (read->cut) return base::Fail(path + ": is larger than 64 MiB");
    file = std::move(*read);
  }
  // It is written at the end of a crawl: better to know now that it cannot be.
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    return base::SystemFailure(path, "cannot be written");
  }
  base::MutexLock lock(jar->mutex_);
  std::string_view rest = file.bytes;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line.front() == '#' && !line.starts_with(kHttpOnly))) continue;
    std::optional<Cookie> cookie;
    if (line.size() <= kFileLineBytesMax) cookie = ParseLine(line);
    const std::string place = path + ":" + std::to_string(number) + ": ";
    if (!cookie) return base::Fail(place + "is no line of a cookie file in Netscape's format");
    const bool is_due = cookie->IsDue(now);
    if (!jar->Put(std::move(*cookie), now) && !is_due) return base::Fail(place + jar->NoRoom());
  }
  jar->path_ = std::move(path);
  return jar;
}

base::Status CookieJar::Save(base::WallTime now) const {
  if (path_.empty()) return {};
  std::string text = "# Netscape HTTP Cookie File\n";
  {
    base::MutexLock lock(mutex_);
    for (const Site& site : sites_) {
      for (const Cookie& cookie : site.cookies) {
        if (cookie.IsDue(now)) continue;
        const auto expires = std::chrono::duration_cast<std::chrono::seconds>(
            cookie.expires.value_or(base::WallTime{}).time_since_epoch());
        text.append(cookie.http_only ? kHttpOnly : std::string_view());
        text.append(cookie.subdomains ? "." : "").append(cookie.domain);
        text.append(cookie.subdomains ? "\tTRUE\t" : "\tFALSE\t").append(cookie.path);
        text.append(cookie.secure ? "\tTRUE\t" : "\tFALSE\t");
        text.append(std::to_string(expires.count())).append("\t");
        text.append(cookie.name).append("\t").append(cookie.value).append("\n");
      }
    }
  }
  // (To those alone who may read the crawl's credentials.)
  auto written = WriteWholeFile(path_, text, 0600);
  return written ? written : base::Fail(written.error().message + " (the cookies)");
}

}  // namespace crawler

#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "frontier/url.h"

namespace crawler {

/// Bounds of a jar. What finds no room takes the place of the oldest.
struct CookieLimits {
  /// Name and value of one cookie, in bytes; a longer one is refused (RFC 6265 section 6.1).
  std::size_t cookie_bytes_max = 4'096;
  /// Its path, in bytes, or another attribute: a longer one of a Set-Cookie field is ignored (RFC
  /// 6265bis section 5.6), and a page in a longer folder sets cookies for wider paths only.
  std::size_t attribute_bytes_max = 1'024;
  /// Cookies of one registered domain.
  std::size_t cookies_per_domain_max = 50;
  /// Memory for all of them; the registered domain not used for longest goes first.
  std::size_t bytes_max = std::size_t{16} << 20;
  /// Bytes of one Cookie field sent.
  std::size_t field_bytes_max = 8'192;
};

/// The cookies that servers have set (RFC 6265), kept apart by registered domain.
///
///     CookieJar jar;
///     jar.Set(url, "id=17; Path=/; Secure", clock.WallNow());
///     std::string field = jar.FieldFor(url, clock.WallNow());   // "id=17", or empty
///
/// A cookie goes back to the host that set it and, where its Domain attribute says so, to other
/// hosts of the same registered domain (libpsl): never to another site, and to no host that could
/// not have set it. Over plain http nobody replaces or hides a cookie that only goes over TLS, and
/// a name with __Secure- or __Host- keeps what that promises (RFC 6265bis). Values are secrets:
/// nothing here logs or shows them.
///
/// Thread safety: all methods. Cost: O(cookies of the domain) under a short lock.
class CookieJar {
 public:
  explicit CookieJar(const CookieLimits& limits = {}) : limits_(limits) {}

  /// A jar that begins with the cookies of a file in Netscape's format (the cookies.txt that
  /// browsers and curl export) and that Save() writes there; the file may be missing. Fails,
  /// naming the line but not its text, when it cannot be read, and where a cookie of it that is
  /// not over yet finds no room within the limits: Save() would lose it.
  static base::Result<std::unique_ptr<CookieJar>> Open(std::string path, base::WallTime now,
                                                       const CookieLimits& limits = {});

  /// Takes the value of one Set-Cookie field of the response from `url`.
  void Set(const frontier::Url& url, std::string_view set_cookie, base::WallTime now)
      EXCLUDES(mutex_);
  /// The value of the Cookie field to be sent to `url`; empty: none.
  std::string FieldFor(const frontier::Url& url, base::WallTime now) EXCLUDES(mutex_);

  /// Writes the file anew, readable by its owner only, or leaves it as it was. Does nothing for a
  /// jar without one.
  base::Status Save(base::WallTime now) const EXCLUDES(mutex_);

  std::size_t size() const EXCLUDES(mutex_);
  std::size_t memory_bytes() const EXCLUDES(mutex_);

 private:
  struct Cookie {
    std::string name;
    std::string value;
    std::string domain;  // a host, or with `subdomains` also what ends in it
    std::string path;
    bool subdomains = false;
    bool secure = false;
    bool http_only = false;  // nothing to us, but to whoever shares the file
    /// Nothing: until the jar is given away.
    std::optional<base::WallTime> expires;

    std::size_t bytes() const;
    bool IsDue(base::WallTime now) const { return expires && *expires <= now; }
    bool GoesTo(const frontier::Url& url) const;
  };
  // A registered domain's cookies, oldest first.
  struct Site {
    std::string domain;
    std::vector<Cookie> cookies;
    std::size_t bytes = 0;
  };

  std::optional<Cookie> Parse(const frontier::Url& url, std::string_view set_cookie,
                              base::WallTime now) const;
  static std::optional<Cookie> ParseLine(std::string_view line);
  /// The site of `host`, now the one used last.
  Site* Find(std::string_view host) REQUIRES(mutex_);
  bool HidesSecureOne(const Cookie& cookie, base::WallTime now) REQUIRES(mutex_);
  /// Of a site for one cookie more: was there, or was of one that is over; was another one's; not.
  enum class Room : unsigned char { kFree, kTaken, kNone };
  Room MakeRoom(Site& site, const Cookie& cookie, base::WallTime now) REQUIRES(mutex_);
  /// False where a cookie is lost: this one, over a limit, or another that had to make room.
  bool Put(Cookie cookie, base::WallTime now) REQUIRES(mutex_);
  std::string NoRoom() const;
  void Remove(Site& site, std::size_t at) REQUIRES(mutex_);
  void Forget(std::list<Site>::iterator site) REQUIRES(mutex_);

  const CookieLimits limits_;
  std::string path_;  // constant once opened
  mutable base::Mutex mutex_;
  std::list<Site> sites_ GUARDED_BY(mutex_);  // used last first
  std::unordered_map<std::string_view, std::list<Site>::iterator> by_domain_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace crawler

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace frontier {

/// No URL is longer, whatever is chosen (so offsets in it fit 16 bits).
inline constexpr std::size_t kUrlBytesLimit = 32'768;

/// What may be chosen about the canonical form of a URL.
struct UrlRules {
  /// Longest URL accepted, in bytes: checked before parsing, and again on the canonical form.
  /// Range 16 to kUrlBytesLimit.
  std::size_t url_bytes_max = 2048;
  /// Query parameters to drop, by exact name (case matters) or by prefix with a trailing `*`:
  /// {"PHPSESSID", "utm_*"}. The others keep their order. When none is left, the `?` goes too.
  std::vector<std::string> drop_parameters = {};
  /// Drops the session ids that servers are known to write into URLs (frontier/session_ids.h).
  bool drop_session_ids = true;
  /// Writes percent escapes in one way: %7e becomes ~ (unreserved characters are never escaped,
  /// RFC 3986 section 6.2.2.2) and %c3 becomes %C3 (section 6.2.2.1). The WHATWG standard leaves
  /// both as they stand; without this rule we do too.
  bool normalize_escapes = true;
  /// Refuses what the WHATWG standard lets pass and no server can want: control bytes, host names
  /// that DNS cannot carry (empty or over-long labels), labels xn-- that are no punycode; and
  /// drops the dot at the end of a host.
  bool strict = true;

  /// For URLs that were accepted before, by whatever limit.
  static UrlRules Longest() { return {.url_bytes_max = kUrlBytesLimit}; }
  /// The standard's own canonical form (less user info and fragment), for comparing with others.
  static UrlRules Whatwg() {
    return {.drop_session_ids = false, .normalize_escapes = false, .strict = false};
  }
};

/// A canonical absolute http or https URL: two Urls name the same resource by the rules below if,
/// and only if, their texts are equal.
///
///     base::Result<Url> page = Url::Parse("HTTP://Example.com:80/a/../b?x=1#top");
///     page->text();                                        // "http://example.com/b?x=1"
///     base::Result<Url> link = Url::Resolve(*page, "/c", rules);
///     link->host();                                        // "example.com"
///
/// Read as browsers read (the WHATWG URL Standard, url.spec.whatwg.org, for special schemes),
/// then:
///  * white space and control bytes at both ends and every tab, CR and LF go; another control byte
///    is refused;
///  * the user info and the fragment go; a backslash is a slash; `.` and `..` (also as %2e) are
///    resolved; an empty path is `/`; a default port, leading zeros of a port and an empty one go;
///  * the host is lower-case ASCII: percent-decoded, IDN by UTS #46 to punycode, without trailing
///    dot; IPv4 in any spelling (0x7f.1, 017700000001) dotted decimal; IPv6 by RFC 5952;
///  * what may not stand unescaped is escaped; escapes are written in one way (UrlRules).
/// The canonical text is then read by libcurl, which will connect: a URL in which libcurl sees
/// another host, port, path or query than we do is refused, so that what is checked is what is
/// fetched.
///
/// Promises: text() is ASCII from 0x21 to 0x7E; parsing text() again gives the same Url;
/// resolving text() against any base gives the same Url.
/// Thread safety: const methods, Parse and Resolve from any thread.
/// Cost: Parse about a microsecond; a Url is one string and 10 bytes of offsets, accessors are
/// views into it. A moved-from Url may only be assigned or destroyed.
class Url {
 public:
  /// Reads an absolute URL. Fails with one sentence that says what is wrong with it.
  static base::Result<Url> Parse(std::string_view text, const UrlRules& rules = {});

  /// Reads `href`, absolute or relative, as it stands in a document at `base`.
  static base::Result<Url> Resolve(const Url& base, std::string_view href,
                                   const UrlRules& rules = {});

  /// Takes back what text() once returned, without parsing again (for queues and stores).
  /// REQUIRES: `text` is the text() of a Url.
  static Url FromCanonical(std::string text);

  /// The same for bytes that may have been damaged: nothing where they cannot be such a text by
  /// their shape. Whether they are in canonical form is not looked at.
  static std::optional<Url> FromStored(std::string text);

  const std::string& text() const { return text_; }
  /// "http" or "https".
  std::string_view scheme() const { return view().substr(0, https_ ? 5 : 4); }
  /// Lower-case name in ASCII, dotted decimal, or IPv6 in brackets.
  std::string_view host() const { return view().substr(host_begin(), host_end_ - host_begin()); }
  /// The port connected to, named or not.
  std::uint16_t port() const { return port_; }
  /// "host" or "host:port", the port only where it is not the scheme's own.
  std::string_view authority() const {
    return view().substr(host_begin(), path_begin_ - host_begin());
  }
  /// "scheme://host" or "scheme://host:port": whose robots.txt rules apply.
  std::string_view origin() const { return view().substr(0, path_begin_); }
  /// Begins with `/`.
  std::string_view path() const { return view().substr(path_begin_, path_end_ - path_begin_); }
  /// Without the `?`; empty also when there is none.
  std::string_view query() const {
    return path_end_ == text_.size() ? std::string_view() : view().substr(path_end_ + 1U);
  }
  /// Path with `?` and query, as it stands in a request line and is matched by robots.txt.
  std::string_view path_and_query() const { return view().substr(path_begin_); }

  friend bool operator==(const Url& a, const Url& b) { return a.text_ == b.text_; }
  friend auto operator<=>(const Url& a, const Url& b) { return a.text_ <=> b.text_; }

 private:
  explicit Url(std::string text);

  std::string_view view() const { return text_; }
  std::size_t host_begin() const { return https_ ? 8 : 7; }

  std::string text_;
  std::uint16_t host_end_ = 0;
  std::uint16_t path_begin_ = 0;
  std::uint16_t path_end_ = 0;
  std::uint16_t port_ = 0;
  bool https_ = false;
};

/// Whether Parse() or Resolve() failed by UrlRules::url_bytes_max.
bool IsUrlTooLong(const base::Error& error);

}  // namespace frontier

template <>
struct std::hash<frontier::Url> {
  std::size_t operator()(const frontier::Url& url) const noexcept {
    return std::hash<std::string>()(url.text());
  }
};

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace frontier {

/// The canonical form of the host in a URL's authority: an IPv4 address in dotted decimal, an IPv6
/// address in brackets (RFC 5952), or a name in lower-case ASCII without trailing dot.
///
///     CanonicalHost("Bücher.example", true);   // "xn--bcher-kva.example"
///     CanonicalHost("0x7f.1", true);           // "127.0.0.1"
///
/// Follows the WHATWG URL Standard, sections 3.5 (host parsing) and 3.3 (IDNA). When `strict`, the
/// dot at the end goes too, and names that DNS cannot carry and labels xn-- that are no punycode
/// are refused. Idempotent. Fails with one sentence. Thread safety: yes.
base::Result<std::string> CanonicalHost(std::string_view raw, bool strict);

/// True for what CanonicalHost makes of an IPv4 or IPv6 address.
/// REQUIRES: `host` is canonical.
bool IsAddress(std::string_view host);

}  // namespace frontier

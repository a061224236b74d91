#pragma once

#include <string_view>

namespace frontier {

/// The registrable domain of a canonical host: the public suffix (publicsuffix.org, as libpsl
/// knows it) and one label more. It is what one owner holds, so scope rules and budgets go by it.
/// An IP address, a single label and a public suffix itself are their own domain.
///
///     RegisteredDomain("www.example.co.uk");   // "example.co.uk"
///     RegisteredDomain("127.0.0.1");           // "127.0.0.1"
///
/// The view points into `host`. REQUIRES: `host` is canonical (Url::host()).
/// Thread safety: yes. Cost: below a microsecond, no allocation.
std::string_view RegisteredDomain(std::string_view host);

}  // namespace frontier

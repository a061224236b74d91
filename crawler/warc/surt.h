#pragma once

#include <string>

#include "frontier/url.h"

namespace crawler {

/// The key under which web archives index a URL: the host's labels in reverse, then port, path and
/// query in one canonical form, all in lower case (Sort-friendly URI Reordering Transform, as the
/// Internet Archive's canonicaliser and the tools after it write it, without the scheme).
///
///     Surt(*frontier::Url::Parse("https://www.Example.com/A/?b=2&a=1"))  //
///     "com,example)/a?a=1&b=2"
///
/// An IPv6 address stands as it is, without its brackets. What goes beyond our own canonical form:
/// `www`, `www1` ... before the host, a `/` at the end, doubled `/`, session ids in path and query
/// go; percent escapes are undone as often as it takes, then what must be is escaped; parameters
/// are sorted.
///
/// Thread safety: pure. Cost: linear but for the sorting.
std::string Surt(const frontier::Url& url);

}  // namespace crawler

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontier/candidate.h"

namespace frontier {

/// A candidate as its origin's queue keeps it: the path, a few small numbers, and of referrer and
/// first URL only what differs from the URL itself. A link within a site costs its path and some
/// ten bytes beside the referrer's path.
///
///     byte       flags: 1 seed, 2 has referrer, 4 has asked, role in two bits, 32 has modified
///     varint     depth, redirects, attempt
///     varint n   n bytes: path and query
///     varint p, varint n   for each of referrer and asked: the first p bytes of the URL's text,
///                          then n bytes
///     varint n   n bytes: modified
///
/// (varint: seven bits a byte, low first: base/bytes.h.)
/// Thread safety: yes. Cost: a copy of the bytes.
void AppendRecord(const Candidate& candidate, std::string& out);

/// The candidate again; nothing for bytes that AppendRecord cannot have written for a URL of
/// `origin`.
std::optional<Candidate> ReadRecord(std::string_view origin, std::string_view record);

}  // namespace frontier

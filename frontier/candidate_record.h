#pragma once

#include <string>
#include <string_view>

#include "frontier/candidate.h"

namespace frontier {

/// A candidate as its origin's queue keeps it: the path, a few small numbers, and of referrer and
/// first URL only what differs from the URL itself. A link within a site costs its path and some
/// ten bytes beside the referrer's path.
///
///     byte       flags: 1 seed, 2 has referrer, 4 has asked
///     varint     depth, redirects, attempt
///     varint n   n bytes: path and query
///     varint p, varint n   for each of referrer and asked: the first p bytes of the URL's text,
///                          then n bytes
///
/// (varint: seven bits a byte, low first, as in protocol buffers.)
/// Thread safety: yes. Cost: a copy of the bytes.
void AppendRecord(const Candidate& candidate, std::string& out);

/// The candidate again. REQUIRES: `record` was written by AppendRecord for a URL of `origin`.
Candidate ReadRecord(std::string_view origin, std::string_view record);

/// Varints, which the queue uses too. REQUIRES for reading: one stands at the front of `bytes`.
void AppendVarint(std::uint64_t value, std::string& out);
std::uint64_t TakeVarint(std::string_view& bytes);

}  // namespace frontier

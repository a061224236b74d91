#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// XXH3 of each token, in order, seeded with the crawl's key. (Features go by another hash, that
/// of token_hash.h: it is faster, and depends on no library.)
std::vector<std::uint64_t> TokenHashes(const AnalyzedText& text, std::uint64_t key);

/// The hashes of all shingles of `words` consecutive tokens, in order and as often as they stand;
/// none when the text has fewer tokens.
std::vector<std::uint64_t> ShingleHashes(const AnalyzedText& text, std::size_t words,
                                         std::uint64_t key);

}  // namespace contentseen

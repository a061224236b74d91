#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "contentseen/options.h"
#include "contentseen/text/tokens.h"

namespace contentseen {

/// What TextProfileSignature of Nutch and Solr digests: the frequent words with their rounded
/// counts, the most frequent first.
///
/// Words of more than `token_length_min` characters are counted; a count is rounded down to a
/// multiple of QUANT, and dropped when below it, where QUANT = round(quant_percent / 100 * highest
/// count), and where that is under 2: 2, or 1 when no word is repeated. A line is "word count";
/// lines are joined by line feeds. Equal counts stand in the order of their bytes (there: in the
/// order of Java's hash table). Bigrams and trigrams of scripts without spaces count whatever
/// their length. Empty when nothing remains.
///
///     TextProfile(text, tokens, {});   // "cat 2\nthe 2"
std::string TextProfile(std::string_view text, std::span<const Token> tokens,
                        const TextProfileOptions& options);

}  // namespace contentseen

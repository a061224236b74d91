#include "contentseen/text/token_hashes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "contentseen/text/shingle_hash.h"

namespace contentseen {

std::vector<std::uint64_t> TokenHashes(const AnalyzedText& text, std::uint64_t key) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(text.tokens().size());
  for (const Token& token : text.tokens()) {
    hashes.push_back(
        XXH3_64bits_withSeed(text.normalized().data() + token.begin, token.size, key));
  }
  return hashes;
}

std::vector<std::uint64_t> ShingleHashes(const AnalyzedText& text, std::size_t words,
                                         std::uint64_t key) {
  const std::vector<std::uint64_t> tokens = TokenHashes(text, key);
  if (tokens.size() < words) return {};
  std::vector<std::uint64_t> shingles(tokens.size() - words + 1);
  HashShingles(tokens, words, shingles.data());
  return shingles;
}

}  // namespace contentseen

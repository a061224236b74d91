#include "contentseen/analyzed_text.h"

#include "contentseen/text.h"

namespace contentseen {

void AnalyzedText::Assign(std::string_view text) {
  NormalizeText(text, &normalized_);
  Tokenize(normalized_, &tokens_);
  extractor_.Extract(normalized_, tokens_, &features_);
}

void AnalyzedText::Release() {
  extractor_.ReleaseAbove(kKeptBytesMax / 2);
  std::size_t bytes = normalized_.capacity() + tokens_.capacity() * sizeof(Token);
  for (const Features::Block& block : features_.blocks) {
    bytes += block.hashes.capacity() * sizeof(std::uint64_t);
  }
  if (bytes <= kKeptBytesMax / 2) return;
  std::string().swap(normalized_);
  tokens_ = {};
  features_ = {};
}

}  // namespace contentseen

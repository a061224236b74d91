#include "contentseen/text/analyzed_text.h"

#include "base/check.h"
#include "contentseen/text/simhash.h"
#include "contentseen/text/text.h"

namespace contentseen {

void AnalyzedText::Assign(std::string_view text, std::span<const Passage> passages,
                          std::uint64_t host) {
  host_ = host;
  Normalize(text.substr(0, kTextBytesMax), passages);
  Tokenize(normalized_, &tokens_);
  FindMainText();
  extractor_.Extract(normalized_, tokens_, &features_);
  fingerprint_ = SimHashOf(features_);
}

// Where passages differ in kind their stretches are normalised one by one: white space stands
// between them, across which nothing combines, so the outcome is that of the whole text.
void AnalyzedText::Normalize(std::string_view text, std::span<const Passage> passages) {
  stretches_.clear();
  normalized_.clear();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < passages.size() && passages[i].begin < text.size();) {
    const bool boilerplate = passages[i].boilerplate >= kBoilerplate;
    while (i < passages.size() && (passages[i].boilerplate >= kBoilerplate) == boilerplate) ++i;
    const std::size_t end =
        i < passages.size() && passages[i].begin < text.size() ? passages[i].begin : text.size();
    CHECK(begin <= end);
    NormalizeText(text.substr(begin, end - begin), &piece_);
    begin = end;
    if (piece_.empty()) continue;
    if (!normalized_.empty()) normalized_ += ' ';
    normalized_ += piece_;
    stretches_.push_back({normalized_.size(), boilerplate});
  }
  if (begin == text.size()) return;
  NormalizeText(text, &normalized_);
  stretches_.assign(1, {normalized_.size(), false});
}

void AnalyzedText::FindMainText() {
  main_text_.clear();
  std::size_t token = 0;
  std::size_t kept = 0;
  for (const Stretch& stretch : stretches_) {
    const std::size_t begin = token;
    while (token < tokens_.size() && tokens_[token].begin < stretch.end) ++token;
    if (stretch.boilerplate || token == begin) continue;
    if (!main_text_.empty() && main_text_.back().end == begin) {
      main_text_.back().end = token;  // nothing but marks stood between them
    } else {
      main_text_.push_back({begin, token});
    }
    kept += token - begin;
  }
  has_boilerplate_ = kept < tokens_.size();
  if (kept >= kMainTokensMin && kept * kMainShareMin >= tokens_.size()) return;
  has_boilerplate_ = false;
  main_text_.clear();
  if (!tokens_.empty()) main_text_.push_back({0, tokens_.size()});
}

void AnalyzedText::Release() {
  extractor_.ReleaseAbove(kKeptBytesMax / 2);
  std::size_t bytes =
      normalized_.capacity() + piece_.capacity() + stretches_.capacity() * sizeof(Stretch) +
      main_text_.capacity() * sizeof(TokenRange) + tokens_.capacity() * sizeof(Token);
  for (const Features::Block& block : features_.blocks) {
    bytes += block.hashes.capacity() * sizeof(std::uint64_t);
  }
  if (bytes <= kKeptBytesMax / 2) return;
  std::string().swap(normalized_);
  std::string().swap(piece_);
  stretches_ = {};
  main_text_ = {};
  tokens_ = {};
  features_ = {};
}

}  // namespace contentseen

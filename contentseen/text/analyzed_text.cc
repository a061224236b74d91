#include "contentseen/text/analyzed_text.h"

#include <algorithm>

#include "base/check.h"
#include "contentseen/text/simhash.h"
#include "contentseen/text/text.h"

namespace contentseen {
namespace {

constexpr std::uint8_t kDoubtfulFrom = 128;
constexpr std::uint8_t kUnlikely = 254;
constexpr std::uint8_t kSurely = 255;

TextKind KindOf(const Passage& passage) {
  if (passage.boilerplate == kSurely) return TextKind::kBoilerplate;
  if (passage.boilerplate == kUnlikely) return TextKind::kUnlikely;
  return passage.boilerplate >= kDoubtfulFrom ? TextKind::kDoubtful : TextKind::kContent;
}

}  // namespace

void AnalyzedText::Assign(std::string_view text, std::span<const Passage> passages,
                          std::uint64_t host, std::string_view title) {
  host_ = host;
  NormalizeText(title.substr(0, kTitleBytesMax), &title_);
  Tokenize(title_, &title_tokens_);
  Normalize(text.substr(0, kTextBytesMax), passages);
  Tokenize(normalized_, &tokens_);
  FindStretches();
  extractor_.Extract(normalized_, tokens_, &features_);
  fingerprint_ = SimHashOf(features_);
}

// Where passages differ in kind their pieces are normalised one by one: white space stands between
// them, across which nothing combines, so the outcome is that of the whole text.
void AnalyzedText::Normalize(std::string_view text, std::span<const Passage> passages) {
  pieces_.clear();
  normalized_.clear();
  const auto add = [&](std::size_t begin, std::size_t end, TextKind kind) {
    NormalizeText(text.substr(begin, end - begin), &piece_);
    if (piece_.empty()) return;
    if (!normalized_.empty()) normalized_ += ' ';
    normalized_ += piece_;
    pieces_.push_back({normalized_.size(), kind});
  };
  CHECK(std::ranges::is_sorted(passages, {}, &Passage::begin));
  std::size_t begin = 0;
  TextKind kind = TextKind::kContent;
  for (const Passage& passage : passages) {
    if (passage.begin >= text.size()) break;
    if (KindOf(passage) == kind) continue;
    add(begin, passage.begin, kind);
    begin = passage.begin;
    kind = KindOf(passage);
  }
  add(begin, text.size(), kind);
}

void AnalyzedText::FindStretches() {
  stretches_.clear();
  std::size_t token = 0;
  for (const Piece& piece : pieces_) {
    const std::size_t begin = token;
    while (token < tokens_.size() && tokens_[token].begin < piece.end) ++token;
    if (token == begin) continue;  // nothing but marks
    if (!stretches_.empty() && stretches_.back().kind == piece.kind) {
      stretches_.back().end = token;
    } else {
      stretches_.push_back({token, piece.kind});
    }
  }
}

std::size_t AnalyzedText::OwnBytes() const {
  std::size_t bytes =
      normalized_.capacity() + piece_.capacity() + pieces_.capacity() * sizeof(Piece) +
      stretches_.capacity() * sizeof(TextStretch) + tokens_.capacity() * sizeof(Token);
  for (const Features::Block& block : features_.blocks) {
    bytes += block.hashes.capacity() * sizeof(std::uint64_t);
  }
  return bytes;
}

// (Assigning {} to a vector or a string empties it and keeps its memory.)
void AnalyzedText::Release() {
  extractor_.ReleaseAbove(kKeptBytesMax / 2);
  if (OwnBytes() <= kKeptBytesMax / 2) return;
  std::string().swap(normalized_);
  std::string().swap(piece_);
  std::vector<Piece>().swap(pieces_);
  std::vector<TextStretch>().swap(stretches_);
  std::vector<Token>().swap(tokens_);
  features_ = Features();
}

}  // namespace contentseen

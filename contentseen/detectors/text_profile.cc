#include "contentseen/detectors/text_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "contentseen/text/code_points.h"
#include "contentseen/text/utf8.h"

namespace contentseen {
namespace {

bool IsCounted(std::string_view word, std::uint32_t length_min) {
  const auto* p = reinterpret_cast<const unsigned char*>(word.data());
  const auto* const end = p + word.size();
  std::uint32_t length = 0;
  while (p < end && length <= length_min) {
    const CharClass char_class = CodePoints::Of(DecodeUtf8(p, end)).char_class();
    if (char_class == CharClass::kBigram || char_class == CharClass::kTrigram) return true;
    ++length;
  }
  return length > length_min;
}

// Half a unit and more is rounded up, as Java's Math.round does.
std::uint64_t Quant(std::uint64_t count_max, std::uint32_t percent) {
  const std::uint64_t quant = (count_max * percent + 50) / 100;
  if (quant >= 2) return quant;
  return count_max > 1 ? 2 : 1;
}

}  // namespace

std::string TextProfile(std::string_view text, std::span<const Token> tokens,
                        const TextProfileOptions& options) {
  // In order, so that equal ones are neighbours: words chosen to collide in a table cost no more.
  std::vector<std::string_view> words;
  for (const Token& token : tokens) {
    const std::string_view word = token.In(text);
    if (IsCounted(word, options.token_length_min)) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;
  std::uint64_t count_max = 0;
  for (const std::string_view word : words) {
    if (counts.empty() || counts.back().first != word) counts.emplace_back(word, 0);
    count_max = std::max(count_max, ++counts.back().second);
  }
  const std::uint64_t quant = Quant(count_max, options.quant_percent);
  std::vector<std::pair<std::uint64_t, std::string_view>> lines;
  for (const auto& [word, count] : counts) {
    if (count >= quant) lines.emplace_back(count / quant * quant, word);
  }
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string profile;
  for (const auto& [count, word] : lines) {
    if (!profile.empty()) profile += '\n';
    profile += std::string(word) + ' ' + std::to_string(count);
  }
  return profile;
}

}  // namespace contentseen

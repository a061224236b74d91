#include "contentseen/text/seed_tokenizers.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/check.h"

namespace contentseen {
namespace {

// Shingles themselves and not their hashes: exact.
struct ByWords {
  using Shingle = std::span<const std::string_view>;
  bool operator()(Shingle a, Shingle b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};
using Shingles = std::set<std::span<const std::string_view>, ByWords>;

Shingles ShinglesOf(std::span<const std::string_view> tokens, std::size_t w) {
  CHECK(w >= 1);
  Shingles shingles;
  for (std::size_t i = 0; i + w <= tokens.size(); ++i) shingles.insert(tokens.subspan(i, w));
  return shingles;
}

std::size_t CountShared(const Shingles& a, const Shingles& b) {
  return static_cast<std::size_t>(
      std::count_if(a.begin(), a.end(), [&](const auto& shingle) { return b.contains(shingle); }));
}

double Ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<std::u16string_view> OverlappingTokens(std::u16string_view text, std::size_t chunk,
                                                   std::size_t overlap) {
  CHECK(overlap < chunk);
  std::vector<std::u16string_view> tokens;
  for (std::size_t i = 0; i + chunk < text.size(); i += chunk - overlap) {
    tokens.push_back(text.substr(i, chunk));
  }
  return tokens;
}

std::vector<std::u16string_view> FixedSizeTokens(std::u16string_view text, std::size_t size) {
  CHECK(size >= 2 && size <= 127);
  std::vector<std::u16string_view> tokens;
  for (std::size_t i = 0; i < text.size(); i += size) tokens.push_back(text.substr(i, size));
  return tokens;
}

std::uint32_t DotNetHash(std::u16string_view text) {
  std::uint32_t even = 5381;
  std::uint32_t odd = 5381;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t& hash = i % 2 == 0 ? even : odd;
    hash = hash * 33 ^ text[i];
  }
  return even + odd * 1566083941u;
}

std::uint32_t DotNetSimHash(std::span<const std::u16string_view> tokens) {
  constexpr std::size_t kBits = 32;
  std::array<std::int64_t, kBits> sums{};
  for (const std::u16string_view token : tokens) {
    const std::uint32_t hash = DotNetHash(token);
    for (std::size_t bit = 0; bit < kBits; ++bit) sums[bit] += (hash >> bit & 1) != 0 ? 1 : -1;
  }
  std::uint32_t fingerprint = 0;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    if (sums[bit] > 0) fingerprint |= std::uint32_t{1} << bit;
  }
  return fingerprint;
}

double Likeness(int distance, int bits) {
  CHECK(bits > 0 && distance >= 0 && distance <= bits);
  return static_cast<double>(bits - distance) / bits;
}

double ShingleResemblance(std::span<const std::string_view> a, std::span<const std::string_view> b,
                          std::size_t w) {
  const Shingles of_a = ShinglesOf(a, w);
  const Shingles of_b = ShinglesOf(b, w);
  const std::size_t shared = CountShared(of_a, of_b);
  return Ratio(shared, of_a.size() + of_b.size() - shared);
}

double ShingleContainment(std::span<const std::string_view> a, std::span<const std::string_view> b,
                          std::size_t w) {
  const Shingles of_a = ShinglesOf(a, w);
  return Ratio(CountShared(of_a, ShinglesOf(b, w)), of_a.size());
}

}  // namespace contentseen

#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

// Made texts. Words follow Zipf's law over an invented vocabulary, as a rough stand-in for prose.
namespace tests {

inline std::string Word(std::mt19937_64& random) {
  const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
  return "w" + std::to_string(static_cast<int>(std::exp(u * std::log(20'000.0))));
}

inline std::vector<std::string> Words(std::mt19937_64& random, std::size_t n) {
  std::vector<std::string> words(n);
  for (std::string& word : words) word = Word(random);
  return words;
}

inline std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

inline std::string Article(std::mt19937_64& random, std::size_t words) {
  return Joined(Words(random, words));
}

}  // namespace tests

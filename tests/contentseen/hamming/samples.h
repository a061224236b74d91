#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "contentseen/fingerprint.h"
#include "contentseen/hamming/hamming_index.h"

namespace contentseen::samples {

/// As kernel_name() says it.
inline std::string NameOf(HammingKernel kernel) {
  const char* const names[] = {"best", "scalar", "avx2", "avx512"};
  return names[static_cast<int>(kernel)];
}

/// `flips` distinct random bits.
inline Fingerprint Flips(std::mt19937_64& random, unsigned flips) {
  Fingerprint mask = 0;
  while (static_cast<unsigned>(std::popcount(mask)) < flips)
    mask |= Fingerprint{1} << random() % 64;
  return mask;
}

inline std::vector<Fingerprint> Uniform(std::mt19937_64& random, std::size_t n) {
  std::vector<Fingerprint> all(n);
  for (Fingerprint& x : all) x = random();
  return all;
}

/// Families: `n` fingerprints, each up to `spread` bits from one of `centres`.
inline std::vector<Fingerprint> Clustered(std::mt19937_64& random, std::size_t n,
                                          std::size_t centres, unsigned spread) {
  std::vector<Fingerprint> middle = Uniform(random, centres);
  std::vector<Fingerprint> all(n);
  for (Fingerprint& x : all) {
    x = middle[random() % centres] ^ Flips(random, static_cast<unsigned>(random() % (spread + 1)));
  }
  return all;
}

/// What an index over halves likes least: counting numbers (one high half), one low half, few
/// values of both halves, words of few ones, and zero.
inline std::vector<Fingerprint> Adversarial(std::mt19937_64& random, std::size_t n) {
  std::vector<Fingerprint> all;
  for (std::size_t i = 0; i < n / 4; ++i) all.push_back(i);
  for (std::size_t i = 0; i < n / 4; ++i) all.push_back(random() << 32 | 0x12345678);
  for (std::size_t i = 0; i < n / 4; ++i) all.push_back((random() % 40) << 32 | random() % 40);
  while (all.size() < n) all.push_back(Flips(random, static_cast<unsigned>(random() % 4)));
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

/// Queries: a stored one with up to `flips_max` bits flipped, or now and then a random one.
inline std::vector<Fingerprint> Queries(std::mt19937_64& random,
                                        const std::vector<Fingerprint>& stored, std::size_t n,
                                        unsigned flips_max) {
  std::vector<Fingerprint> all(n);
  for (Fingerprint& q : all) {
    unsigned flips = static_cast<unsigned>(random() % (flips_max + 1));
    q = random() % 8 == 0 || stored.empty()
            ? random()
            : stored[random() % stored.size()] ^ Flips(random, flips);
  }
  return all;
}

/// All distinct ones within k, ascending: the linear scan that everything is compared with.
inline std::vector<Fingerprint> Within(const std::vector<Fingerprint>& stored, Fingerprint query,
                                       unsigned k) {
  std::vector<Fingerprint> near;
  for (Fingerprint x : stored) {
    if (static_cast<unsigned>(Distance(x, query)) <= k) near.push_back(x);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

inline std::optional<Fingerprint> Nearest(const std::vector<Fingerprint>& near,
                                          Fingerprint query) {
  std::optional<Fingerprint> best;
  for (Fingerprint x : near) {
    if (!best || Distance(x, query) < Distance(*best, query)) best = x;
  }
  return best;
}

}  // namespace contentseen::samples

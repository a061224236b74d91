#include "contentseen/detectors/key_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "contentseen/detectors/signature_store.h"

namespace contentseen {
namespace {

std::vector<std::uint32_t> Sorted(std::vector<std::uint32_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(KeyIndex, EqualsAMapOfLists) {
  for (const std::uint64_t keys : {1, 3, 50, 100'000}) {
    std::mt19937_64 random(keys);
    KeyIndex index(/*seed=*/keys);
    std::map<std::uint64_t, std::vector<std::uint32_t>> reference;
    for (std::uint32_t value = 0; value < 5'000; ++value) {
      const std::uint64_t key = random() % keys;
      index.Insert(key, value);
      reference[key].push_back(value);
    }
    for (std::uint64_t key = 0; key < std::min<std::uint64_t>(keys + 2, 2'000); ++key) {
      std::vector<std::uint32_t> values = {7};
      index.Find(key, &values);
      ASSERT_EQ(values.front(), 7u) << "appended";
      values.erase(values.begin());
      ASSERT_EQ(Sorted(values), reference[key]);
      ASSERT_EQ(index.Count(key), reference[key].size());
    }
    EXPECT_GT(index.memory_bytes(), 5'000u * 4);
  }
}

TEST(KeyIndex, KeepsTheFirstOfAFullList) {
  KeyIndex index(/*seed=*/3, /*values_max=*/2);
  for (std::uint32_t value = 0; value < 100; ++value) {
    index.Insert(/*key=*/1, value);
    index.Insert(/*key=*/100 + value, value);
  }
  std::vector<std::uint32_t> values;
  index.Find(1, &values);
  EXPECT_EQ(Sorted(values), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(index.Count(1), 2u);
  for (std::uint32_t value = 0; value < 100; ++value) EXPECT_EQ(index.Count(100 + value), 1u);
}

TEST(SignatureStore, GivesBackWhatWasAdded) {
  SignatureStore store;
  std::mt19937_64 random(2);
  std::vector<std::pair<SignatureStore::Place, Signature>> added;
  const std::size_t sizes[] = {0, 1, 7, 1'000, SignatureStore::kWordsMax};
  for (DocumentId id = 1; id <= 200; ++id) {
    Signature signature(sizes[random() % std::size(sizes)]);
    for (std::uint64_t& word : signature) word = random();
    added.emplace_back(store.Add(signature, id).value(), signature);
  }
  EXPECT_EQ(store.size(), 200u);
  for (std::size_t i = 0; i < added.size(); ++i) {
    const SignatureStore::Entry entry = store.At(added[i].first);
    ASSERT_EQ(entry.document, i + 1);
    ASSERT_EQ(Signature(entry.words.begin(), entry.words.end()), added[i].second);
  }
}

// Signatures come into sight through the index, as the detectors use the two.
TEST(KeyIndex, PublishesWhatWasStoredBefore) {
  SignatureStore store;
  KeyIndex index(1);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint32_t> places;
      for (std::uint64_t i = 0; i < 2'000; ++i) {
        const std::uint64_t key = i % 97;
        index.Insert(key, store.Add({key, t}, i + 1).value());
        places.clear();
        index.Find(key, &places);
        ASSERT_FALSE(places.empty());
        for (const std::uint32_t place : places) ASSERT_EQ(store.At(place).words[0], key);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.size(), 8'000u);
}

}  // namespace
}  // namespace contentseen

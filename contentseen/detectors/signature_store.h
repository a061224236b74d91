#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/document_id.h"
#include "contentseen/image.h"

namespace contentseen {

/// Signatures of admitted documents, end to end in memory that never moves.
///
///     const SignatureStore::Place place = store.Add(signature, document);
///     ...                                            // tell others `place`
///     SignatureStore::Entry entry = store.At(place);
///
/// Thread safety: all methods, at once; a place must have come to the thread that asks At() in a
/// way that orders it after the Add() (through a mutex, say). Cost: At() takes no lock. Memory: a
/// signature and 16 bytes, rounded up to 32; a floor of 2 MB. Room for 128 GiB, which are some 200
/// million documents of the detector `verified`.
class SignatureStore {
 public:
  using Place = std::uint32_t;
  struct Entry {
    DocumentId document = kNoDocument;
    std::span<const std::uint64_t> words;
  };
  /// Longest signature, in words.
  static constexpr std::size_t kWordsMax = (std::size_t{1} << 16) - 2;

  SignatureStore() : blocks_(kBlocks) {}

  /// Nothing where there is no room, and for a signature longer than kWordsMax.
  std::optional<Place> Add(const Signature& signature, DocumentId document);
  Entry At(Place place) const;

  void Save(ImageWriter& image) const;
  /// Takes back what a store saved; false where that cannot be. REQUIRES: an empty store, of which
  /// nobody else knows.
  bool Load(ImageReader& image);

  std::size_t size() const;
  std::size_t memory_bytes() const;

 private:
  // A signature lies within one block: document, number of words, words. A place counts units.
  static constexpr std::size_t kUnitWords = 4;
  static constexpr std::size_t kBlockWords = std::size_t{1} << 17;
  static constexpr std::size_t kBlocks = std::size_t{1} << 17;

  mutable base::Mutex mutex_;
  std::uint64_t next_ GUARDED_BY(mutex_) = 0;  // the first free word
  std::size_t size_ GUARDED_BY(mutex_) = 0;
  // Written under mutex_. Read without: an element is set once, before any place in it is known.
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
};

}  // namespace contentseen

#include "contentseen/signature_store.h"

#include <algorithm>

#include "base/check.h"

namespace contentseen {

SignatureStore::Place SignatureStore::Add(const Signature& signature, DocumentId document) {
  CHECK(signature.size() <= kWordsMax);
  const std::size_t words = signature.size() + 2;
  base::MutexLock lock(mutex_);
  if (next_ % kBlockWords + words > kBlockWords) {
    next_ = (next_ / kBlockWords + 1) * kBlockWords;
  }
  CHECK(next_ / kBlockWords < kBlocks);
  std::unique_ptr<std::uint64_t[]>& block = blocks_[next_ / kBlockWords];
  if (block == nullptr) block = std::make_unique<std::uint64_t[]>(kBlockWords);
  std::uint64_t* const entry = block.get() + next_ % kBlockWords;
  entry[0] = document;
  entry[1] = signature.size();
  std::copy(signature.begin(), signature.end(), entry + 2);
  const auto place = static_cast<Place>(next_);
  next_ += words;
  ++size_;
  return place;
}

SignatureStore::Entry SignatureStore::At(Place place) const {
  const std::uint64_t* const entry = blocks_[place / kBlockWords].get() + place % kBlockWords;
  return {entry[0], {entry + 2, entry[1]}};
}

std::size_t SignatureStore::size() const {
  base::MutexLock lock(mutex_);
  return size_;
}

std::size_t SignatureStore::memory_bytes() const {
  base::MutexLock lock(mutex_);
  const std::size_t blocks = (next_ + kBlockWords - 1) / kBlockWords;
  return sizeof *this + kBlocks * sizeof(void*) + blocks * kBlockWords * sizeof(std::uint64_t);
}

}  // namespace contentseen

#include "contentseen/detectors/signature_store.h"

#include <algorithm>
#include <span>

namespace contentseen {

std::optional<SignatureStore::Place> SignatureStore::Add(const Signature& signature,
                                                         DocumentId document) {
  if (signature.size() > kWordsMax) return std::nullopt;
  const std::size_t words = signature.size() + 2;
  base::MutexLock lock(mutex_);
  if (next_ % kBlockWords + words > kBlockWords) {
    next_ = (next_ / kBlockWords + 1) * kBlockWords;
  }
  if (next_ / kBlockWords >= kBlocks) return std::nullopt;
  std::unique_ptr<std::uint64_t[]>& block = blocks_[next_ / kBlockWords];
  if (block == nullptr) block = std::make_unique<std::uint64_t[]>(kBlockWords);
  std::uint64_t* const entry = block.get() + next_ % kBlockWords;
  entry[0] = document;
  entry[1] = signature.size();
  std::copy(signature.begin(), signature.end(), entry + 2);
  const auto place = static_cast<Place>(next_ / kUnitWords);
  next_ += (words + kUnitWords - 1) / kUnitWords * kUnitWords;
  ++size_;
  return place;
}

SignatureStore::Entry SignatureStore::At(Place place) const {
  const std::size_t word = std::size_t{place} * kUnitWords;
  const std::uint64_t* const entry = blocks_[word / kBlockWords].get() + word % kBlockWords;
  return {entry[0], {entry + 2, entry[1]}};
}

void SignatureStore::Save(ImageWriter& image) const {
  base::MutexLock lock(mutex_);
  image.Put(next_);
  image.Put(std::uint64_t{size_});
  for (std::uint64_t at = 0; at < next_; at += kBlockWords) {
    image.PutSparse(std::as_bytes(std::span(blocks_[at / kBlockWords].get(), kBlockWords)));
  }
}

bool SignatureStore::Load(ImageReader& image) {
  base::MutexLock lock(mutex_);
  std::uint64_t size = 0;
  if (!image.Take(next_) || !image.Take(size) || next_ > kBlocks * kBlockWords) return false;
  size_ = size;
  for (std::uint64_t at = 0; at < next_; at += kBlockWords) {
    auto& block = blocks_[at / kBlockWords] = std::make_unique<std::uint64_t[]>(kBlockWords);
    const std::span words(block.get(), kBlockWords);
    if (!image.TakeSparse(std::as_writable_bytes(words))) return false;
  }
  return true;
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

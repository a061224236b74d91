#include "frontier/record_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace frontier {
namespace {

constexpr std::size_t kChunkBytesMin = 96;
constexpr std::size_t kChunkBytesMax = 16384;

std::size_t LengthBytes(std::size_t length) {
  std::size_t bytes = 1;
  for (; length >= 0x80; length >>= 7) ++bytes;
  return bytes;
}

}  // namespace

/// Records lie in [begin, end) of `bytes`, each a varint length and its bytes. No record spans two
/// chunks, and a chunk without a record is freed.
struct RecordQueue::Chunk {
  std::unique_ptr<Chunk> next;
  std::unique_ptr<char[]> bytes;
  std::size_t capacity;
  std::size_t begin;
  std::size_t end;

  void Write(std::size_t at, std::string_view record) {
    std::string length;  // at most ten bytes: no allocation
    base::AppendVarint(record.size(), length);
    char* to = std::copy(length.begin(), length.end(), bytes.get() + at);
    std::copy(record.begin(), record.end(), to);
  }
};

RecordQueue::RecordQueue() = default;

RecordQueue::RecordQueue(RecordQueue&& other) noexcept
    : first_(std::move(other.first_)),
      last_(std::exchange(other.last_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

RecordQueue& RecordQueue::operator=(RecordQueue&& other) noexcept {
  if (this != &other) {
    Clear();
    first_ = std::move(other.first_);
    last_ = std::exchange(other.last_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

RecordQueue::~RecordQueue() { Clear(); }

void RecordQueue::Clear() {
  // One by one: a chain of unique_ptrs would destroy itself recursively.
  while (first_ != nullptr) first_ = std::move(first_->next);
  last_ = nullptr;
  bytes_ = 0;
}

std::unique_ptr<RecordQueue::Chunk> RecordQueue::MakeChunk(std::size_t capacity) {
  auto chunk = std::make_unique<Chunk>();
  chunk->bytes = std::make_unique_for_overwrite<char[]>(capacity);
  chunk->capacity = capacity;
  return chunk;
}

void RecordQueue::PushBack(std::string_view record) {
  const std::size_t size = LengthBytes(record.size()) + record.size();
  if (last_ == nullptr || last_->capacity - last_->end < size) {
    // Chunks double, so that short queues stay small and long ones have few chunks.
    std::size_t doubled = last_ == nullptr ? 0 : 2 * last_->capacity;
    std::unique_ptr<Chunk> chunk =
        MakeChunk(std::max(size, std::clamp(doubled, kChunkBytesMin, kChunkBytesMax)));
    Chunk* added = chunk.get();
    (last_ == nullptr ? first_ : last_->next) = std::move(chunk);
    last_ = added;
    bytes_ += sizeof(Chunk) + added->capacity;
  }
  last_->Write(last_->end, record);
  last_->end += size;
}

void RecordQueue::PushFront(std::string_view record) {
  const std::size_t size = LengthBytes(record.size()) + record.size();
  // What was popped left room for what is given back.
  if (first_ == nullptr || first_->begin < size) {
    std::unique_ptr<Chunk> chunk = MakeChunk(std::max(size, kChunkBytesMin));
    chunk->begin = chunk->end = chunk->capacity;
    bytes_ += sizeof(Chunk) + chunk->capacity;
    if (last_ == nullptr) last_ = chunk.get();
    chunk->next = std::move(first_);
    first_ = std::move(chunk);
  }
  first_->begin -= size;
  first_->Write(first_->begin, record);
}

std::string_view RecordQueue::Front() const {
  CHECK(first_ != nullptr);
  return base::ByteReader({first_->bytes.get() + first_->begin, first_->end - first_->begin})
      .Text();
}

void RecordQueue::PopFront() {
  std::string_view front = Front();
  first_->begin += LengthBytes(front.size()) + front.size();
  if (first_->begin < first_->end) return;
  bytes_ -= sizeof(Chunk) + first_->capacity;
  if (last_ == first_.get()) last_ = nullptr;
  first_ = std::move(first_->next);
}

}  // namespace frontier

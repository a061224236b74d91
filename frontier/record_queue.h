#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace frontier {

/// A first-in, first-out queue of byte strings, packed in chunks that are freed as they empty. A
/// record costs its bytes and one or two more; a queue of one small record about 200 bytes.
///
///     queue.PushBack("abc");
///     use(queue.Front());
///     queue.PopFront();
///
/// Thread safety: as a value. Cost: O(record) for each method.
class RecordQueue {
 public:
  RecordQueue();
  RecordQueue(RecordQueue&& other) noexcept;
  RecordQueue& operator=(RecordQueue&& other) noexcept;
  ~RecordQueue();

  void PushBack(std::string_view record);
  void PushFront(std::string_view record);
  /// Valid until the next change. REQUIRES: not empty.
  std::string_view Front() const;
  /// REQUIRES: not empty.
  void PopFront();

  bool empty() const { return first_ == nullptr; }
  /// Memory held.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Chunk;
  static std::unique_ptr<Chunk> MakeChunk(std::size_t capacity);
  void Clear();

  std::unique_ptr<Chunk> first_;
  Chunk* last_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace frontier

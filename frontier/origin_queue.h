#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "frontier/record_queue.h"
#include "store/store.h"

namespace frontier {

/// Where an origin's entries stand in store::Table::kQueue: host number, origin number, entry
/// number, big-endian. So an origin's entries lie together, in order of acceptance.
struct QueuePlace {
  std::uint32_t host = 0;
  std::uint32_t origin = 0;

  std::string Key(std::uint64_t entry) const;
  /// Reads such a key. Fails for bytes that are none.
  static base::Result<QueuePlace> Read(std::string_view key, std::uint64_t* entry);
};
inline constexpr std::uint32_t kQueueOriginsMax = 256;  // its number is one byte

/// The URLs that wait at one origin: the first ones in memory, the rest perhaps only in the store,
/// from which they are read when those in memory run out.
///
///     queue.Push(entry, record, /*keep=*/memory_allows);
///     if (queue.starved()) status = queue.Refill(store, place, 64);
///     if (!queue.empty()) OriginQueue::Entry first = queue.Front();
///     queue.Pop();
///
/// An entry is numbered on acceptance; numbers grow. What was spilled is found in the store as
/// soon as it is committed there; until then the queue may starve.
///
/// Thread safety: as a value. Cost: 40 bytes, and what RecordQueue takes.
class OriginQueue {
 public:
  struct Entry {
    std::uint64_t number = 0;
    std::string record;
  };

  /// At the end. Spills `record` where `keep` is false, and where others before it were spilled.
  void Push(std::uint64_t entry, std::string_view record, bool keep);
  /// At the front: an entry that was popped, or one that Refill() will not find.
  void PushFront(std::uint64_t entry, std::string_view record);
  /// The same behind the first one. REQUIRES, as for Front() and Pop(): not empty().
  void PushSecond(std::uint64_t entry, std::string_view record);
  Entry Front() const;
  void Pop() { records_.PopFront(); }

  /// Reads back at most `count` of the spilled entries, as far as `store` has them. Each entry in
  /// back-off among them is passed once.
  base::Status Refill(const store::Store& store, const QueuePlace& place, std::size_t count);

  /// Nothing in memory.
  bool empty() const { return records_.empty(); }
  /// Nothing in memory, and something spilled.
  bool starved() const { return empty() && spilled_ > 0; }
  /// Memory held.
  std::size_t bytes() const { return records_.bytes(); }

 private:
  RecordQueue records_;  // each: varint entry number, record
  // Entries that only the store has, all numbered from spilled_from_ on.
  std::uint64_t spilled_ = 0;
  std::uint64_t spilled_from_ = 0;
};

/// A time of the next attempt that has come long ago; not 0, or Refill() would take the entry,
/// which waits elsewhere or is leased, for a spilled one.
inline constexpr std::int64_t kBackOffOver = 1;

/// What stands under such a key: the time of the next attempt where an earlier one failed
/// (milliseconds since 1970, 0 where none did), and the candidate's record.
std::string QueueValue(std::int64_t retry_at, std::string_view record);
/// Reads it. Gives the record, a view into `value`; fails for bytes that are none.
base::Result<std::string_view> ReadQueueValue(std::string_view value, std::int64_t* retry_at);

}  // namespace frontier

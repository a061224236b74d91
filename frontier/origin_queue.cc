#include "frontier/origin_queue.h"

#include "base/bytes.h"
#include "base/check.h"

namespace frontier {
namespace {

constexpr std::size_t kPlaceBytes = 5;  // host and origin

std::string InMemory(std::uint64_t entry, std::string_view record) {
  std::string bytes;
  base::AppendVarint(entry, bytes);
  return bytes.append(record);
}

}  // namespace

std::string QueuePlace::Key(std::uint64_t entry) const {
  CHECK(origin < kQueueOriginsMax);
  std::string key;
  base::AppendBigEndian(host, key, 4);
  base::AppendBigEndian(origin, key, 1);
  base::AppendBigEndian(entry, key);
  return key;
}

base::Result<QueuePlace> QueuePlace::Read(std::string_view key, std::uint64_t* entry) {
  base::ByteReader reader(key);
  QueuePlace place;
  place.host = static_cast<std::uint32_t>(reader.BigEndian(4));
  place.origin = static_cast<std::uint32_t>(reader.BigEndian(1));
  *entry = reader.BigEndian();
  if (!reader.AtEnd()) return base::Fail("the queue has a key that is none");
  return place;
}

std::string QueueValue(std::int64_t retry_at, std::string_view record) {
  std::string value;
  base::AppendVarint(static_cast<std::uint64_t>(retry_at), value);
  return value.append(record);
}

base::Result<std::string_view> ReadQueueValue(std::string_view value, std::int64_t* retry_at) {
  base::ByteReader reader(value);
  *retry_at = static_cast<std::int64_t>(reader.Varint());
  if (!reader.ok()) return base::Fail("the queue has an entry that is none");
  return reader.rest();
}

void OriginQueue::Push(std::uint64_t entry, std::string_view record, bool keep) {
  if (spilled_ == 0 && keep) return records_.PushBack(InMemory(entry, record));
  if (spilled_ == 0) spilled_from_ = entry;
  ++spilled_;
}

void OriginQueue::PushFront(std::uint64_t entry, std::string_view record) {
  records_.PushFront(InMemory(entry, record));
}

void OriginQueue::PushSecond(std::uint64_t entry, std::string_view record) {
  const std::string first(records_.Front());
  records_.PopFront();
  PushFront(entry, record);
  records_.PushFront(first);
}

OriginQueue::Entry OriginQueue::Front() const {
  base::ByteReader reader(records_.Front());
  Entry entry;
  entry.number = reader.Varint();
  entry.record = reader.rest();
  return entry;
}

base::Status OriginQueue::Refill(const store::Store& store, const QueuePlace& place,
                                 std::size_t count) {
  const std::string from = place.Key(spilled_from_);
  // To the origin's end and no further: the next one's may begin with very many entries removed,
  // each of which the store would step over.
  const std::string end = store::Store::AfterPrefix(from.substr(0, kPlaceBytes));
  auto cursor = store.Read(store::Table::kQueue, from, end);
  for (; cursor->Valid(); cursor->Next()) {
    std::uint64_t entry = 0;
    if (auto read = QueuePlace::Read(cursor->key(), &entry); !read) {
      return base::Fail(read.error().message);
    }
    std::int64_t retry_at = 0;
    const auto record = ReadQueueValue(cursor->value(), &retry_at);
    if (!record) return base::Fail(record.error().message);
    spilled_from_ = entry + 1;
    if (retry_at != 0) continue;  // in back-off: never spilled
    records_.PushBack(InMemory(entry, *record));
    --spilled_;
    if (--count == 0 || spilled_ == 0) break;
  }
  return cursor->status();
}

}  // namespace frontier

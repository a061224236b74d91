#include "contentseen/detectors/key_index.h"

#include <algorithm>

#include "base/check.h"
#include "contentseen/mix.h"

namespace contentseen {

void KeyIndex::Insert(std::uint64_t key, std::uint32_t value) {
  const std::uint64_t hash = Hash(key);
  Shard& shard = shards_[hash % kShards];
  base::MutexLock lock(shard.mutex);
  if (shard.lists.size() + 1 > shard.slots.size() / 4 * 3) Grow(shard);
  const std::size_t slot = shard.SlotOf(key, hash);
  if (shard.slots[slot] == kNone) {
    CHECK(shard.lists.size() < kNone);
    shard.slots[slot] = static_cast<std::uint32_t>(shard.lists.size());
    shard.lists.push_back({key, 1, value});
    return;
  }
  List& list = shard.lists[shard.slots[slot]];
  if (list.count >= values_max_) return;
  if (list.count == 1) list.front = shard.NewLink({list.front, kNone});
  list.front = shard.NewLink({value, list.front});
  ++list.count;
}

void KeyIndex::Find(std::uint64_t key, std::vector<std::uint32_t>* values) const {
  const std::uint64_t hash = Hash(key);
  const Shard& shard = shards_[hash % kShards];
  base::MutexLock lock(shard.mutex);
  const List* const list = shard.ListOf(key, hash);
  if (list == nullptr) return;
  if (list->count == 1) return values->push_back(list->front);
  for (std::uint32_t i = list->front; i != kNone; i = shard.links[i].older) {
    values->push_back(shard.links[i].value);
  }
}

std::size_t KeyIndex::Count(std::uint64_t key) const {
  const std::uint64_t hash = Hash(key);
  const Shard& shard = shards_[hash % kShards];
  base::MutexLock lock(shard.mutex);
  const List* const list = shard.ListOf(key, hash);
  return list == nullptr ? 0 : list->count;
}

void KeyIndex::Save(ImageWriter& image) const {
  auto put = [&image](const auto& values) {
    image.Put(std::uint64_t{values.size()});
    for (const auto& value : values) image.Put(value);
  };
  for (const Shard& shard : shards_) {
    base::MutexLock lock(shard.mutex);
    put(shard.lists);
    put(shard.links);
  }
}

bool KeyIndex::Load(ImageReader& image) {
  auto take = [&image](auto& values) {
    std::uint64_t size = 0;
    if (!image.Take(size) || size >= kNone) return false;
    // Memory is taken as they come, not as their number says.
    while (values.size() < size) {
      if (!image.Take(values.emplace_back())) return false;
    }
    return true;
  };
  for (Shard& shard : shards_) {
    base::MutexLock lock(shard.mutex);
    if (!take(shard.lists) || !take(shard.links)) return false;
    if (!shard.lists.empty()) Grow(shard);
  }
  return true;
}

std::size_t KeyIndex::memory_bytes() const {
  std::size_t sum = sizeof *this;
  for (const Shard& shard : shards_) {
    base::MutexLock lock(shard.mutex);
    sum += shard.lists.size() * sizeof(List) + shard.links.size() * sizeof(Link) +
           shard.slots.capacity() * sizeof(std::uint32_t);
  }
  return sum;
}

std::size_t KeyIndex::Shard::SlotOf(std::uint64_t key, std::uint64_t hash) const {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = (hash / kShards) & mask;
  while (slots[slot] != kNone && lists[slots[slot]].key != key) slot = (slot + 1) & mask;
  return slot;
}

const KeyIndex::List* KeyIndex::Shard::ListOf(std::uint64_t key, std::uint64_t hash) const {
  if (slots.empty()) return nullptr;
  const std::uint32_t position = slots[SlotOf(key, hash)];
  return position == kNone ? nullptr : &lists[position];
}

std::uint32_t KeyIndex::Shard::NewLink(Link link) {
  CHECK(links.size() < kNone);
  links.push_back(link);
  return static_cast<std::uint32_t>(links.size() - 1);
}

std::uint64_t KeyIndex::Hash(std::uint64_t key) const { return Mix64(Mix64(key ^ seed_)); }

void KeyIndex::Grow(Shard& shard) {
  std::size_t slots = std::max(kSlotsMin, shard.slots.size() * 2);
  while (shard.lists.size() + 1 > slots / 4 * 3) slots *= 2;
  shard.slots.assign(slots, kNone);
  for (std::size_t i = 0; i < shard.lists.size(); ++i) {
    const std::uint64_t key = shard.lists[i].key;
    shard.slots[shard.SlotOf(key, Hash(key))] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace contentseen

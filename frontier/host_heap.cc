#include "frontier/host_heap.h"

namespace frontier {

void HostHeap::Put(std::size_t place, const Entry& entry) {
  entries_[place] = entry;
  places_[entry.host] = static_cast<std::uint32_t>(place);
}

void HostHeap::Settle(std::size_t place) {
  const Entry entry = entries_[place];
  while (place > 0 && entry < entries_[(place - 1) / 2]) {
    Put(place, entries_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  while (2 * place + 1 < entries_.size()) {
    std::size_t child = 2 * place + 1;
    if (child + 1 < entries_.size() && entries_[child + 1] < entries_[child]) ++child;
    if (!(entries_[child] < entry)) break;
    Put(place, entries_[child]);
    place = child;
  }
  Put(place, entry);
}

void HostHeap::Set(std::uint32_t host, base::Time time) {
  if (host >= places_.size()) places_.resize(host + std::size_t{1}, kNowhere);
  std::size_t place = places_[host];
  if (place == kNowhere) {
    place = entries_.size();
    entries_.emplace_back();
  }
  entries_[place] = Entry{time, turns_++, host};
  Settle(place);
}

void HostHeap::Remove(std::uint32_t host) {
  if (!Has(host)) return;
  const std::size_t place = places_[host];
  places_[host] = kNowhere;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (last.host == host) return;
  entries_[place] = last;
  Settle(place);
}

}  // namespace frontier

#include "frontier/frontier_state.h"

#include <algorithm>
#include <utility>

#include "frontier/candidate_record.h"

namespace frontier {

void Frontier::State::CountWaiting(Host& host, std::uint64_t waiting) {
  if (host.waiting == 0) ++hosts_waiting_;
  if (waiting == 0) --hosts_waiting_;
  host.waiting = waiting;
}

void Frontier::State::PushBack(Host& host, const QueuePlace& place, std::uint64_t entry,
                               std::string_view record, bool first) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  const bool keep = first || store_ == nullptr || queue_bytes_ < queue_bytes_max_;
  const bool starved_before = queue.starved();
  queue_bytes_ -= queue.bytes();
  queue.Push(entry, record, keep);
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting + 1);
  if (queue.starved() && !starved_before) starved_.push_back(place);
}

void Frontier::State::PushFront(Host& host, const QueuePlace& place, std::uint64_t entry,
                                std::string_view record) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  queue_bytes_ -= queue.bytes();
  queue.PushFront(entry, record);
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting + 1);
}

OriginQueue::Entry Frontier::State::Pop(Host& host, const QueuePlace& place) {
  OriginQueue& queue = host.origins[place.origin].waiting;
  queue_bytes_ -= queue.bytes();
  OriginQueue::Entry entry = queue.Pop();
  queue_bytes_ += queue.bytes();
  CountWaiting(host, host.waiting - 1);
  Feed(place);
  return entry;
}

void Frontier::State::Feed(const QueuePlace& place) {
  OriginQueue& queue = hosts_[place.host].origins[place.origin].waiting;
  if (!queue.starved()) return;
  queue_bytes_ -= queue.bytes();
  const bool short_of_memory = queue_bytes_ >= queue_bytes_max_;
  base::Status read = queue.Refill(*store_, place, short_of_memory ? kRefillWhenShort : kRefill);
  queue_bytes_ += queue.bytes();
  if (!read && status_) status_ = std::move(read);
  if (queue.starved()) starved_.push_back(place);
}

void Frontier::State::Replace(std::uint32_t host_id, base::Time now) {
  if (hosts_[host_id].in_line) return;  // asked again when its turn comes
  std::optional<base::Time> opens = hosts_[host_id].Opens(options_);
  if (!opens) {
    heap_.Remove(host_id);
  } else if (*opens > now || !heap_.Has(host_id) || heap_.TimeOf(host_id) > now) {
    // Not before now, that a host which comes back does not overtake those that wait already; and
    // one that is due keeps its place.
    heap_.Set(host_id, std::max(*opens, now));
  }
}

void Frontier::State::ReturnDueRetries(base::Time now) {
  while (!retries_.empty() && retries_.top().when <= now) {
    const Retry& retry = retries_.top();
    const std::uint32_t host_id = retry.host;
    Host& host = hosts_[host_id];
    PushFront(host, {host_id, retry.origin}, retry.entry, retry.record);
    queue_bytes_ -= sizeof(Retry) + retry.record.size();
    retries_.pop();
    Replace(host_id, now);
  }
}

void Frontier::State::AddRetry(const Lease& lease, base::Time now) {
  Candidate again = lease.candidate_;
  const base::Duration delay =
      Doubled(options_.retry_delay, again.attempt, options_.retry_delay_max);
  ++again.attempt;
  Retry retry{.when = now + Jittered(delay),
              .turn = retry_turns_++,
              .host = lease.host_,
              .origin = lease.origin_,
              .entry = lease.entry_,
              .record = {}};
  AppendRecord(again, retry.record);
  if (store_ != nullptr) {
    changes_.Put(
        store::Table::kQueue, QueuePlace{retry.host, retry.origin}.Key(retry.entry),
        QueueValue(std::max(WallTimes(clock_).ToWall(retry.when), kBackOffOver), retry.record));
  }
  queue_bytes_ += sizeof(Retry) + retry.record.size();
  retries_.push(std::move(retry));
  ++queued_;
}

}  // namespace frontier

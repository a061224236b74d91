#include "frontier/frontier_state.h"

#include <algorithm>
#include <utility>

#include "frontier/candidate_record.h"

namespace frontier {

void Frontier::State::CountIn(Host& host, Origin& origin) {
  if (host.queued++ == 0) ++hosts_waiting_;
  ++origin.queued;
  ++queued_;
  if (host.GaveUp(origin, options_)) ++queued_given_up_;
}

void Frontier::State::CountOut(Host& host, Origin& origin) {
  if (--host.queued == 0) --hosts_waiting_;
  --origin.queued;
  --queued_;
  if (host.GaveUp(origin, options_)) --queued_given_up_;
}

void Frontier::State::SetFailures(Host& host, std::uint32_t failures) {
  queued_given_up_ -= host.QueuedGivenUp(options_);
  if (host.Dead(options_)) --hosts_dead_;
  host.failures = failures;
  if (host.Dead(options_)) ++hosts_dead_;
  queued_given_up_ += host.QueuedGivenUp(options_);
}

void Frontier::State::GiveUpRobots(Host& host, Origin& origin) {
  queued_given_up_ -= host.QueuedGivenUp(options_);
  origin.robots = Origin::Robots::kGivenUp;
  origin.robots_failures = 0;
  queued_given_up_ += host.QueuedGivenUp(options_);
  // The next process tries it anew, and not after the back-off of these failures. One that was
  // given up while the answer was under way elsewhere stays so: its queues are gone.
  if (!host.Dead(options_)) SetFailures(host, 0);
}

void Frontier::State::FreeGivenUp(Host& host) {
  for (Origin& origin : host.origins) {
    if (!host.GaveUpForGood(origin, options_)) continue;
    queue_bytes_ -= origin.waiting.bytes();
    origin.waiting = {};
  }
}

void Frontier::State::PushBack(Host& host, const QueuePlace& place, std::uint64_t entry,
                               std::string_view record, bool first) {
  Origin& origin = host.origins[place.origin];
  OriginQueue& queue = origin.waiting;
  const bool room = queue_bytes_ < queue_bytes_max_ && !host.GaveUp(origin, options_);
  const bool keep = first || store_ == nullptr || room;
  const bool starved_before = queue.starved();
  queue_bytes_ -= queue.bytes();
  queue.Push(entry, record, keep);
  queue_bytes_ += queue.bytes();
  CountIn(host, origin);
  if (queue.starved() && !starved_before) starved_.push_back(place);
}

void Frontier::State::PushFront(Host& host, const QueuePlace& place, std::uint64_t entry,
                                std::string_view record) {
  Origin& origin = host.origins[place.origin];
  queue_bytes_ -= origin.waiting.bytes();
  origin.waiting.PushFront(entry, record);
  queue_bytes_ += origin.waiting.bytes();
  CountIn(host, origin);
}

void Frontier::State::PushProbe(Host& host, const QueuePlace& place, std::uint64_t entry,
                                std::string_view record) {
  Origin& origin = host.origins[place.origin];
  OriginQueue& queue = origin.waiting;
  bool behind_seed = false;
  if (!queue.empty()) {
    const auto first = ReadRecord(host.OriginText(origin), queue.Front().record);
    behind_seed = first && first->seed;
  }
  if (!behind_seed) return PushFront(host, place, entry, record);
  queue_bytes_ -= queue.bytes();
  queue.PushSecond(entry, record);
  queue_bytes_ += queue.bytes();
  CountIn(host, origin);
}

void Frontier::State::Pop(Host& host, const QueuePlace& place) {
  Origin& origin = host.origins[place.origin];
  queue_bytes_ -= origin.waiting.bytes();
  origin.waiting.Pop();
  queue_bytes_ += origin.waiting.bytes();
  CountOut(host, origin);
  Feed(place);
}

void Frontier::State::Feed(const QueuePlace& place) {
  Host& host = hosts_[place.host];
  Origin& origin = host.origins[place.origin];
  OriginQueue& queue = origin.waiting;
  if (!queue.starved() || host.GaveUpForGood(origin, options_)) return;
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
    Origin& origin = host.origins[retry.origin];
    if (!host.GaveUpForGood(origin, options_)) {
      CountOut(host, origin);
      PushFront(host, {host_id, retry.origin}, retry.entry, retry.record);
    }
    queue_bytes_ -= sizeof(Retry) + retry.record.size();
    retries_.pop();
    Replace(host_id, now);
  }
}

void Frontier::State::AddRetry(const Lease& lease, bool of_outage, base::Time now) {
  Candidate again = lease.candidate_;
  const base::Duration delay =
      Doubled(options_.retry_delay, again.attempt, options_.retry_delay_max);
  if (!of_outage) ++again.attempt;
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
        QueueValue(std::max(WallTimes(clock_, wall_ahead_).ToWall(retry.when), kBackOffOver),
                   retry.record));
  }
  Wait(std::move(retry));
}

void Frontier::State::Wait(Retry retry) {
  Host& host = hosts_[retry.host];
  CountIn(host, host.origins[retry.origin]);
  queue_bytes_ += sizeof(Retry) + retry.record.size();
  retries_.push(std::move(retry));
}

}  // namespace frontier

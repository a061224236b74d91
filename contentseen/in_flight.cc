#include "contentseen/in_flight.h"

#include <algorithm>

namespace contentseen {

bool InFlight::Conflict(const Announcement& a, const Announcement& b) const {
  if (a.body == b.body && a.body != Key128{}) return true;
  if (a.text == b.text && a.text != Key128{}) return true;
  return a.signature != nullptr && b.signature != nullptr &&
         detector_.Similar(*a.signature, *b.signature);
}

bool InFlight::AnyInFlight(const std::vector<std::uint64_t>& sequences) const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const Call* call) {
    return std::find(sequences.begin(), sequences.end(), call->sequence_) != sequences.end();
  });
}

InFlight::Call::Call(InFlight& in_flight, const Announcement& announcement)
    : in_flight_(in_flight), announcement_(announcement) {
  base::MutexLock lock(in_flight_.mutex_);
  for (const Call* call : in_flight_.calls_) {
    if (in_flight_.Conflict(call->announcement_, announcement_)) {
      conflicts_.push_back(call->sequence_);
    }
  }
  in_flight_.calls_.push_back(this);
  sequence_ = ++in_flight_.drawn_;
}

InFlight::Call::~Call() {
  base::MutexLock lock(in_flight_.mutex_);
  std::erase(in_flight_.calls_, this);
  if (in_flight_.waiting_ > 0) in_flight_.ended_.NotifyAll();
}

void InFlight::Call::WaitForEarlier() {
  if (conflicts_.empty()) return;
  base::MutexLock lock(in_flight_.mutex_);
  ++in_flight_.waiting_;
  while (in_flight_.AnyInFlight(conflicts_)) in_flight_.ended_.Wait(in_flight_.mutex_);
  --in_flight_.waiting_;
}

}  // namespace contentseen

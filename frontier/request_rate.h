#pragma once

#include <cstdint>

#include "base/clock.h"

namespace frontier {

/// A bound on requests in a second: the virtual scheduling of GCRA (ITU-T I.371, annex A). What a
/// pause leaves unused may be made up for, up to a tenth of a second's requests.
///
///     RequestRate rate(100);
///     if (rate.Opens() <= now) rate.Take(now);
///
/// Thread safety: as a value.
class RequestRate {
 public:
  /// REQUIRES: 1 <= per_second <= 1,000,000.
  explicit RequestRate(std::uint32_t per_second);

  /// When the next request may start.
  base::Time Opens() const { return next_; }
  /// One starts.
  void Take(base::Time now);
  /// It was not sent after all.
  void GiveBack() { next_ -= interval_; }

 private:
  const base::Duration interval_;
  base::Time next_ = base::Time::min() + std::chrono::hours(1);  // room to give back
};

}  // namespace frontier

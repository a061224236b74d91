#include "frontier/request_rate.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace frontier {
namespace {

constexpr std::uint32_t kPerSecondMax = 1'000'000;
constexpr std::chrono::milliseconds kCatchUp{100};

base::Duration Interval(std::uint32_t per_second) {
  CHECK(per_second >= 1 && per_second <= kPerSecondMax);
  return base::Duration(std::chrono::seconds(1)) / per_second;
}

}  // namespace

RequestRate::RequestRate(std::uint32_t per_second) : interval_(Interval(per_second)) {}

void RequestRate::Take(base::Time now) { next_ = std::max(next_, now - kCatchUp) + interval_; }

}  // namespace frontier

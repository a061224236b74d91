#include "crawler/evaluate/scores.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace crawler {
namespace {

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

double F1Of(double jaccard) { return 2 * jaccard / (1 + jaccard); }

}  // namespace

Interval WilsonInterval(std::uint64_t hits, std::uint64_t trials) {
  CHECK(hits <= trials);
  if (trials == 0) return {};
  constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution lie below
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(hits) / n;
  const double centre = share + kZ * kZ / (2 * n);
  const double margin = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  const double scale = 1 + kZ * kZ / n;
  return {std::clamp((centre - margin) / scale, 0.0, share),
          std::clamp((centre + margin) / scale, share, 1.0)};
}

void Counts::Add(bool duplicate, bool flagged) {
  std::uint64_t& count = duplicate ? (flagged ? hits : misses) : (flagged ? false_alarms : passes);
  ++count;
}

double Counts::Precision() const { return Share(hits, hits + false_alarms); }
double Counts::Recall() const { return Share(hits, hits + misses); }
double Counts::F1() const { return F1Of(Share(hits, hits + false_alarms + misses)); }

Interval Counts::PrecisionInterval() const { return WilsonInterval(hits, hits + false_alarms); }
Interval Counts::RecallInterval() const { return WilsonInterval(hits, hits + misses); }

Interval Counts::F1Interval() const {
  const Interval jaccard = WilsonInterval(hits, hits + false_alarms + misses);
  return {F1Of(jaccard.low), F1Of(jaccard.high)};
}

}  // namespace crawler

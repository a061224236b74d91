#include "contentseen/hamming/hamming_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "base/check.h"
#include "contentseen/hamming/hamming_bag.h"
#include "contentseen/hamming/hamming_code.h"
#include "contentseen/hamming/hamming_index.h"

namespace contentseen {
namespace {

constexpr unsigned kBits = 64;
constexpr unsigned kRadiusMax = 10;
constexpr std::uint64_t kUnknownN = 1'000'000;
// Widest part that has a list for every value: 2^26 of them are 512 MB.
constexpr unsigned kCellWidthMax = 26;
constexpr unsigned kPartsMax = 11;

// The cost model's constants: ns, on one core of a 2024 server. Only their ratios matter, and
// those little: neighbouring plans differ by factors.
constexpr double kCandidateNs = 0.6;
constexpr double kOverflowReads = 1.13;
constexpr double kLineBytes = 15.0 / 2;

// Reading a cache line at random in `bytes` of memory, several under way at a time.
double LineNs(double bytes) {
  constexpr double kInCache = 3.5;
  constexpr double kInMemory = 9;
  constexpr double kCacheBytes = 16e6;
  return bytes <= kCacheBytes ? kInCache
                              : kInMemory - (kInMemory - kInCache) * kCacheBytes / bytes;
}

// Codewords around which the ball of `radius` lies, on average over its centre.
double BallCodewords(unsigned radius) {
  std::size_t sum = 0;
  for (std::uint32_t s = 0; s < 32; ++s) sum += HammingCode::Ball(s, radius).size();
  return static_cast<double>(sum) / 32;
}

// The probability that a Poisson number of this mean is above `count`.
double Exceeds(double count, double mean) {
  constexpr double kNormalFrom = 300;
  if (mean >= kNormalFrom) return std::erfc((count + 0.5 - mean) / std::sqrt(2 * mean)) / 2;
  double exactly = std::exp(-mean);
  double at_most = exactly;
  for (double i = 1; i <= count; ++i) {
    exactly *= mean / i;
    at_most += exactly;
  }
  return std::max(0.0, 1 - at_most);
}

// What is expected in a list of so many fingerprints on average: how many chunks (hamming_bag.h),
// and their bytes. A chunk is there if those before it do not suffice.
struct ListCosts {
  double chunks = 0;
  double bytes = 0;
};
ListCosts CostsOfList(double mean) {
  constexpr double kNever = 1e-6;
  ListCosts costs;
  double before = 0;
  std::size_t bytes = HammingBag::kChunkBytesMin;
  for (double there = Exceeds(0, mean); there > kNever; there = Exceeds(before, mean)) {
    costs.chunks += there;
    costs.bytes += there * static_cast<double>(bytes);
    before += HammingBag::Capacity(bytes);
    bytes = std::min(2 * bytes, HammingBag::kChunkBytesMax);
  }
  return costs;
}

void AddCosts(HammingPlan& plan) {
  double n = static_cast<double>(plan.expected_n);
  double bytes = 0;
  for (HammingPlan::Part& part : plan.parts) {
    if (part.threshold < 0) continue;
    auto radius = static_cast<unsigned>(part.threshold);
    double ball = HammingBall(part.width, radius);
    part.candidates = ball * n / std::exp2(part.width);
    if (plan.layout == HammingPlan::Layout::kLines) {
      part.lines = BallCodewords(radius) * kOverflowReads;
      bytes += kLineBytes * n;
    } else {
      double each = n / std::exp2(part.width);
      const ListCosts list = CostsOfList(each);
      // The list's head, the chunks and what is in them.
      part.lines = ball * (1 + std::max(list.chunks, each / 8));
      bytes += (sizeof(HammingBag) + list.bytes) * std::exp2(part.width);
    }
  }
  plan.bytes_per_fingerprint = bytes / n;
  for (const HammingPlan::Part& part : plan.parts) {
    plan.nanoseconds += part.lines * LineNs(bytes) + part.candidates * kCandidateNs;
  }
}

// Parts of equal width (the last ones a bit wider) with thresholds as even as the sum allows; the
// wider a part, the fewer candidates a larger threshold costs, so the larger ones come last.
HammingPlan EvenPlan(unsigned k, std::uint64_t n, unsigned m, HammingPlan::Layout layout) {
  HammingPlan plan;
  plan.k = k;
  plan.expected_n = n;
  plan.layout = layout;
  unsigned shift = 0;
  for (unsigned i = 0; i < m; ++i) {
    HammingPlan::Part part;
    part.shift = shift;
    part.width = (kBits + i) / m;
    // floor((k - m + 1 + i) / m): adds up to k - m + 1 over all i. The numerator may be negative.
    int numerator = static_cast<int>(k) - static_cast<int>(m) + 1 + static_cast<int>(i);
    part.threshold = numerator < 0 ? -1 : numerator / static_cast<int>(m);
    shift += part.width;
    plan.parts.push_back(part);
  }
  // The high half first, as everywhere.
  std::reverse(plan.parts.begin(), plan.parts.end());
  AddCosts(plan);
  return plan;
}

double Score(const HammingPlan& plan) { return plan.nanoseconds * plan.bytes_per_fingerprint; }

__attribute__((format(printf, 2, 3))) void Append(std::string& text, const char* format, ...) {
  char line[200];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text += line;
}

}  // namespace

double HammingBall(unsigned width, unsigned radius) {
  double sum = 0;
  double choose = 1;
  for (unsigned i = 0; i <= radius && i <= width; ++i) {
    sum += choose;
    choose *= static_cast<double>(width - i) / (i + 1);
  }
  return sum;
}

std::vector<HammingPlan> RankHammingPlans(unsigned k, std::uint64_t expected_n) {
  CHECK(k <= kRadiusMax);
  // (What a plan's lists cost takes time by their length.)
  std::uint64_t n = expected_n == 0 ? kUnknownN : std::min(expected_n, kHammingFingerprintsMax);
  std::vector<HammingPlan> plans;
  // Two halves, of which no threshold is above 2.
  if (k <= 5) plans.push_back(EvenPlan(k, n, 2, HammingPlan::Layout::kLines));
  for (unsigned m = (kBits + kCellWidthMax - 1) / kCellWidthMax; m <= std::min(kPartsMax, k + 1);
       ++m) {
    plans.push_back(EvenPlan(k, n, m, HammingPlan::Layout::kCells));
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const HammingPlan& a, const HammingPlan& b) { return Score(a) < Score(b); });
  return plans;
}

HammingPlan ChooseHammingPlan(unsigned k, std::uint64_t expected_n) {
  return RankHammingPlans(k, expected_n).front();
}

std::string FormatHammingPlan(const HammingPlan& plan) {
  std::string text;
  Append(text, "k = %u, %llu fingerprints expected: %zu parts, %s\n", plan.k,
         static_cast<unsigned long long>(plan.expected_n), plan.parts.size(),
         plan.layout == HammingPlan::Layout::kLines
             ? "buckets of one cache line by the nearest codeword"
             : "a list for every value of a part");
  text += "part   bits      threshold   lines read   candidates\n";
  int sum = 0;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const HammingPlan::Part& part = plan.parts[i];
    sum += part.threshold;
    Append(text, "%4zu   %2u..%2u    %9d   %10.1f   %10.2f\n", i + 1, part.shift,
           part.shift + part.width - 1, part.threshold, part.lines, part.candidates);
  }
  Append(text, "thresholds add up to %d = k - parts + 1: complete for every k-bit difference\n",
         sum);
  Append(text, "estimate: %.2f us a lookup that finds nothing, %.1f bytes a fingerprint\n",
         plan.nanoseconds / 1000, plan.bytes_per_fingerprint);
  return text;
}

}  // namespace contentseen

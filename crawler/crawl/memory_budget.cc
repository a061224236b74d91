#include "crawler/crawl/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace crawler {
namespace {

// What the store cannot do without: a write buffer for each table.
constexpr std::uint64_t kStoreBytesMin = std::uint64_t{8} << 20;

std::uint64_t Megabytes(std::uint64_t bytes) { return (bytes + 500'000) / 1'000'000; }

// Of which `taken` bytes leave an eighth.
std::uint64_t LeastMegabytes(std::uint64_t taken) { return (taken + 874'999) / 875'000; }

std::string Parts(const MemoryInUse& in_use) {
  std::string text =
      fmt::format("URLs seen {} MB, hosts {} MB, documents {} MB", Megabytes(in_use.urls_seen),
                  Megabytes(in_use.hosts), Megabytes(in_use.documents));
  if (in_use.archive > 0) text += fmt::format(", archive {} MB", Megabytes(in_use.archive));
  return text;
}

}  // namespace

std::optional<MemoryShares> MemoryBudget::Divide(const MemoryInUse& in_use) const {
  const std::uint64_t taken = in_use.Sum();
  if (taken > bytes_ - bytes_ / 8) return std::nullopt;
  const std::uint64_t left = bytes_ - taken;
  const std::uint64_t share = std::min(bytes_ / 4, left / 3);
  const std::uint64_t store = std::max(share, std::min(kStoreBytesMin, bytes_ / 8));
  return MemoryShares{.store = store, .queues = std::min(share, left - store)};
}

std::string MemoryBudget::Warning(const MemoryInUse& in_use) const {
  const std::uint64_t taken = in_use.Sum();
  if (taken < bytes_ / 4 * 3) return {};
  return fmt::format(
      "{} of crawl.memory_mb = {} are taken by what must stay in memory ({}); at {} the crawl "
      "stops",
      Megabytes(taken), Megabytes(bytes_), Parts(in_use), Megabytes(bytes_ - bytes_ / 8));
}

std::string MemoryBudget::Complaint(const MemoryInUse& in_use) const {
  return fmt::format(
      "crawl.memory_mb = {} is too little: what must stay in memory takes {} MB ({}), and at "
      "least an eighth must be left for the rest. Nothing is lost: go on with --memory-mb {} or "
      "more ({} leaves it room to grow)",
      Megabytes(bytes_), Megabytes(in_use.Sum()), Parts(in_use), LeastMegabytes(in_use.Sum()),
      Megabytes(in_use.Sum()) * 2);
}

}  // namespace crawler

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace crawler {

/// Memory that a crawl cannot give back: it answers from there, at once, whatever is on disk.
/// In bytes.
struct MemoryInUse {
  std::uint64_t urls_seen = 0;  // the set of URLs seen
  std::uint64_t hosts = 0;      // hosts and their origins, about
  std::uint64_t documents = 0;  // digests, and the detector's index
  std::uint64_t archive = 0;    // payloads in the WARC files

  std::uint64_t Sum() const { return urls_seen + hosts + documents + archive; }
};

/// What may grow and shrink, in bytes.
struct MemoryShares {
  std::uint64_t store = 0;   // changes not yet in sorted files, and blocks read
  std::uint64_t queues = 0;  // URLs that wait, in memory
};

/// How `crawl.memory_mb` is divided. What must stay in memory grows with the crawl; of the rest a
/// third is for the store and a third for queues, but at most a quarter of the whole each, and
/// what is left is for pages under way. When less than an eighth of the whole is left, the crawl
/// cannot go on.
///
///     const MemoryBudget budget(options.memory_mb);
///     std::optional<MemoryShares> shares = budget.Divide(in_use);
///     if (!shares) return base::Fail(budget.Complaint(in_use));
///
/// Thread safety: pure.
class MemoryBudget {
 public:
  /// REQUIRES: 64 or more.
  explicit MemoryBudget(std::uint64_t megabytes) : bytes_(megabytes * 1'000'000) {}

  /// Nothing when too little is left.
  std::optional<MemoryShares> Divide(const MemoryInUse& in_use) const;
  /// The shares of a crawl of which nothing is known yet.
  MemoryShares First() const { return {bytes_ / 4, bytes_ / 4}; }

  /// From three quarters in use on: how much, of what; empty before.
  std::string Warning(const MemoryInUse& in_use) const;
  /// Why Divide() gives nothing, and what helps.
  std::string Complaint(const MemoryInUse& in_use) const;

 private:
  const std::uint64_t bytes_;
};

}  // namespace crawler

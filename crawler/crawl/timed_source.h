#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/pipeline/pipeline.h"

namespace crawler {

/// What fetchers take their work from: the pipeline, which is stopped as by a signal when the time
/// of the run is over.
///
///     TimedSource source(pipeline, clock, clock.Now() + options.time_max);
///     fetcher.Run(source);
///     if (source.is_over()) ...   // it was the time that ended the run
///
/// Thread safety: all methods. Ownership: pipeline and clock must outlive it.
class TimedSource final : public FetchSource {
 public:
  /// Without an `end` the run takes as long as it takes.
  TimedSource(Pipeline& pipeline, const base::Clock& clock, std::optional<base::Time> end)
      : pipeline_(pipeline), clock_(clock), end_(end) {}

  Next NextFetch() override {
    if (end_ && clock_.Now() >= *end_ && !pipeline_.stopping()) {
      is_over_.store(true, std::memory_order_relaxed);
      pipeline_.Stop();
    }
    Next next = pipeline_.NextFetch();
    if (!end_ || pipeline_.stopping()) return next;
    // Somebody must come by at the end.
    return WaitNoLonger(std::move(next), *end_);
  }
  void Fetched(FetchRequest request, FetchResponse response) override {
    pipeline_.Fetched(std::move(request), std::move(response));
  }
  bool stopping() const override { return pipeline_.stopping(); }

  /// The time was over before the crawl was.
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

 private:
  Pipeline& pipeline_;
  const base::Clock& clock_;
  const std::optional<base::Time> end_;
  // Relaxed: only shown.
  std::atomic<bool> is_over_{false};
};

}  // namespace crawler

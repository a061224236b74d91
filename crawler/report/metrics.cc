#include "crawler/report/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <utility>
#include <vector>

namespace crawler {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// Families of metrics as the serializer takes them.
class Families {
 public:
  void Counter(const char* name, const char* help, std::uint64_t value) {
    ClientMetric& metric = Add(name, help, MetricType::Counter);
    metric.counter.value = static_cast<double>(value);
  }
  void Gauge(const char* name, const char* help, double value) {
    Add(name, help, MetricType::Gauge).gauge.value = value;
  }
  void Histogram(const char* name, const char* help, const LatencyCounts& counts) {
    ClientMetric::Histogram& histogram = Add(name, help, MetricType::Histogram).histogram;
    histogram.sample_count = counts.Count();
    histogram.sample_sum = static_cast<double>(counts.total_us) / 1e6;
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.buckets.size(); ++i) {
      below += counts.buckets[i];
      const double bound = i < kLatencyBounds.size()
                               ? std::chrono::duration<double>(kLatencyBounds[i]).count()
                               : std::numeric_limits<double>::infinity();
      histogram.bucket.push_back({.cumulative_count = below, .upper_bound = bound});
    }
  }
  /// A family with a label; its members are then added one by one.
  void Labelled(const char* name, const char* help) {
    families_.push_back({.name = name, .help = help, .type = MetricType::Counter, .metric = {}});
  }
  void Member(const char* label, std::string value, std::uint64_t count) {
    ClientMetric metric;
    metric.label.push_back({.name = label, .value = std::move(value)});
    metric.counter.value = static_cast<double>(count);
    families_.back().metric.push_back(std::move(metric));
  }

  std::string Text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  ClientMetric& Add(const char* name, const char* help, MetricType type) {
    families_.push_back({.name = name, .help = help, .type = type, .metric = {ClientMetric{}}});
    return families_.back().metric[0];
  }

  std::vector<MetricFamily> families_;
};

void AddPages(const StatisticsSnapshot& statistics, Families& families) {
  families.Labelled("contentseen_pages_total", "Pages ended, by disposition.");
  for (std::size_t i = 0; i < kDispositions; ++i) {
    families.Member("disposition", std::string(Name(static_cast<Disposition>(i))),
                    statistics.dispositions[i]);
  }
  families.Labelled("contentseen_near_pages_total",
                    "Near-duplicates skipped, by Hamming distance from their original.");
  for (std::size_t i = 0; i < statistics.distances.size(); ++i) {
    families.Member("distance", std::to_string(i), statistics.distances[i]);
  }
}

void AddLimits(const LimitHits& limits, Families& families) {
  families.Labelled("contentseen_limits_total",
                    "What scope and limits left out or cut, by limit.");
  VisitLimits(limits, [&families](std::string_view name, std::string_view, std::uint64_t count) {
    families.Member("limit", std::string(name), count);
  });
}

void AddTraffic(const StatisticsSnapshot& statistics, Families& families) {
  families.Counter("contentseen_received_bytes_total", "Bytes received, headers included.",
                   statistics.wire_bytes);
  families.Counter("contentseen_body_bytes_total", "Bytes of decoded bodies.",
                   statistics.body_bytes);
  families.Counter("contentseen_robots_fetched_total", "robots.txt files asked for.",
                   statistics.robots_fetched);
  families.Counter("contentseen_links_found_total", "Links found on new pages.",
                   statistics.links_found);
  families.Counter("contentseen_links_queued_total", "Of these, new ones in scope.",
                   statistics.links_queued);
  families.Counter("contentseen_links_not_followed_total", "Links on skipped pages.",
                   statistics.links_not_followed);
}

}  // namespace

std::string MetricsText(const CrawlSnapshot& snapshot) {
  auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  const StatisticsSnapshot& statistics = snapshot.statistics;
  const frontier::FrontierStats& frontier = snapshot.frontier;
  Families families;
  AddPages(statistics, families);
  AddLimits(statistics.limits, families);
  AddTraffic(statistics, families);
  families.Histogram("contentseen_fetch_seconds", "From request to last byte.", statistics.fetch);
  families.Histogram("contentseen_parse_seconds", "Bytes to text and links.", statistics.parse);
  families.Histogram("contentseen_check_seconds", "The content-seen verdict.", statistics.check);
  families.Gauge("contentseen_queue_urls", "URLs waiting in the frontier.",
                 count(frontier.queued));
  families.Gauge("contentseen_queue_given_up_urls",
                 "Of these, at hosts that did not answer: not asked for before the next start.",
                 count(frontier.queued_given_up));
  families.Gauge("contentseen_queue_out_of_scope_urls",
                 "And those outside the scope, which was wider when they were queued.",
                 count(frontier.queued_out_of_scope));
  families.Gauge("contentseen_queue_bytes", "Memory of the frontier's queues.",
                 count(frontier.queue_bytes));
  families.Gauge("contentseen_pages_in_flight", "Pages being fetched.", count(snapshot.in_flight));
  families.Gauge("contentseen_pages_waiting", "Pages fetched that wait to be judged.",
                 count(snapshot.waiting));
  families.Gauge("contentseen_hosts_known", "Hosts ever met.", count(frontier.hosts));
  families.Gauge("contentseen_hosts_active", "Hosts with URLs waiting.",
                 count(frontier.hosts_waiting));
  families.Gauge("contentseen_urls_seen", "URLs remembered by URL-seen.", count(frontier.seen));
  families.Gauge("contentseen_urls_seen_bytes", "Memory of URL-seen.", count(frontier.seen_bytes));
  families.Gauge("contentseen_index_documents", "Documents that a page can be a duplicate of.",
                 count(snapshot.seen.documents));
  families.Gauge("contentseen_index_fingerprints", "Documents in the near-duplicate index.",
                 count(snapshot.seen.near));
  families.Gauge("contentseen_index_bytes", "Memory of digests and index.",
                 count(snapshot.seen.memory_bytes));
  families.Gauge("contentseen_paused", "1 while the crawl waits for its disk, or for a network.",
                 snapshot.paused.empty() ? 0 : 1);
  families.Gauge("contentseen_memory_short", "1 from three quarters of crawl.memory_mb in use on.",
                 snapshot.memory_warning.empty() ? 0 : 1);
  families.Gauge("contentseen_elapsed_seconds", "Since the crawl began.",
                 snapshot.elapsed.count());
  return families.Text();
}

}  // namespace crawler

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contentseen/options.h"
#include "crawler/data/journal.h"
#include "crawler/data/text_store.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/pipeline/pipeline_options.h"
#include "crawler/pipeline/sitemap_links.h"
#include "crawler/pipeline/soft_404.h"
#include "crawler/settings/option_table.h"
#include "crawler/warc/warc_options.h"
#include "frontier/frontier.h"
#include "frontier/scope.h"
#include "frontier/url.h"
#include "parser/html_parser.h"
#include "parser/robots_txt.h"

namespace crawler {

/// The crawl as a whole.
struct CrawlOptions {
  /// Directory for everything a crawl keeps.
  std::string data = "contentseen-data";
  /// After so long a run stops, and the next start goes on; 0: never. Up to a year.
  std::chrono::seconds time_max{0};
  /// Threads that carry transfers; 0: one for every four processors of the machine.
  std::uint32_t fetch_threads = 0;
  /// Threads that parse and judge pages; 0: one for every processor.
  std::uint32_t process_threads = 0;
  /// For what the crawl knows, in millions of bytes (see MemoryBudget); 64 to 1,000,000.
  std::uint64_t memory_mb = 1'024;
  /// A part of a log that has grown so far is followed by a new one; 1 MiB to 1 TiB.
  std::uint64_t log_part_bytes_max = std::uint64_t{1} << 30;
};

/// What is shown and written while a crawl runs.
struct LogOptions {
  enum class Level : std::uint8_t { kQuiet, kProgress };
  Level level = Level::kProgress;
  /// Between two progress lines where there is no terminal; a terminal's line is renewed faster.
  std::chrono::milliseconds progress_interval{10'000};
};

/// Watching a crawl over HTTP: metrics for Prometheus and a live page.
struct MetricsOptions {
  /// Numeric address and port to listen on; empty: no listening.
  std::string listen;
  /// Names besides numeric addresses and localhost that a request may be for.
  std::vector<std::string> hosts;
};

/// Every option of the program. Plain structs of the rooms, composed; a member's initialiser is
/// the option's default. All that is said about an option besides (key, flag, unit, range, help)
/// stands in one row of DeclareOptions() in options.cc.
///
///     crawler::Options options;
///     crawler::OptionTable table = crawler::DeclareOptions(options);
///     table.Find("contentseen.k")->set(crawler::OptionValue(std::int64_t{5}));
///
/// Thread safety: a value.
struct Options {
  CrawlOptions crawl;
  JournalOptions journal;
  PipelineOptions pipeline;
  frontier::ScopeOptions scope;
  frontier::FrontierOptions frontier;
  frontier::UrlRules url;
  FetcherOptions fetch;
  parser::ParseOptions parser;
  parser::RobotsLimits robots;
  SitemapOptions sitemaps;
  Soft404Options soft_404;
  contentseen::ContentSeenOptions contentseen;
  TextStoreOptions texts;
  WarcOptions output;
  LogOptions log;
  MetricsOptions metrics;
};

/// The table of all options, bound to `options`.
///
/// Ownership: the table refers to `options`, which must outlive it.
OptionTable DeclareOptions(Options& options);

/// What is wrong with options that are each in range.
struct Contradiction {
  /// Those that it is about, by "section.key".
  std::vector<std::string> options;
  /// Begins with the name of one.
  std::string sentence;
};
std::vector<Contradiction> Contradictions(const Options& options);

}  // namespace crawler

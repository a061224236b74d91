#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "crawler/data/log_fields.h"
#include "crawler/data/skip_log.h"
#include "crawler/page/disposition.h"
#include "crawler/page/limit_hits.h"
#include "crawler/report/mirrors.h"
#include "crawler/report/report_parameters.h"
#include "crawler/report/report_texts.h"

namespace crawler {

/// How much of a crawl a report holds.
struct ReportLimits {
  /// Skipped pages listed one by one, in the order of the log.
  std::size_t rows_max = 10'000;
  /// Groups, hosts, mirrors and parameters listed, the largest first.
  std::size_t list_max = 100;
  /// Bytes of texts and differences for the side-by-side view.
  std::uint64_t texts_bytes_max = std::uint64_t{8} << 20;
  /// URLs that mirrors and parameters are looked for in, groups that are counted, and hosts; about
  /// 500 bytes of memory each, and 100 more for each parameter of a URL.
  std::size_t urls_max = 2'000'000;
};

/// An original and what was skipped because of it.
struct DuplicateGroup {
  std::string original_url;
  /// Of all of them the one that stands for them best (crawler/dedup/copy_rank.h).
  std::string shown_url;
  std::string title;  // of the first of its duplicates that has one
  std::uint64_t pages = 0;
  std::uint64_t near = 0;
  std::uint64_t hosts = 0;  // that duplicates stand on
  int distance_max = 0;
};

/// Pages of one host by what became of them.
struct HostCounts {
  std::string host;
  std::uint64_t stored = 0;
  std::uint64_t skipped = 0;
  std::uint64_t near = 0;  // of the skipped
  std::uint64_t other = 0;

  std::uint64_t pages() const { return stored + skipped + other; }
};

/// A skipped page: the number of its line in the log, and the line.
struct ReportRow {
  std::size_t number = 0;
  SkipRecord record;
};

/// What a crawl left behind, counted and looked through.
///
///     base::Result<Report> report = ReadReport("contentseen-data", ReportLimits{});
///     if (!report) return Complain(report.error().message);
///     file << ReportPage(*report);
///
/// Thread safety: a value.
struct Report {
  std::string data;
  /// Of the first and last line of any log; both zero when all are empty.
  base::WallTime begin{};
  base::WallTime end{};
  int k = 0;
  DispositionCounts dispositions{};
  /// Near-duplicates by Hamming distance.
  std::array<std::uint64_t, contentseen::kFingerprintBits + 1> distances{};
  std::uint64_t stored_bytes = 0;
  std::uint64_t skipped_bytes = 0;
  std::uint64_t links_not_followed = 0;
  /// As of the crawl's last commit.
  LimitHits limits;
  std::uint64_t hosts_count = 0;
  std::uint64_t groups_count = 0;

  std::vector<DuplicateGroup> groups;
  std::vector<HostCounts> hosts;    // most duplicates first
  std::vector<std::string> alarms;  // sentences on hosts; see IsTemplateAlarm()
  Mirrors mirrors;
  IdleParameters parameters;
  std::vector<ReportRow> rows;
  ReportTexts texts;  // of `rows`

  // What the limits left out.
  std::uint64_t rows_left_out = 0;
  std::uint64_t urls_left_out = 0;
  std::uint64_t hosts_left_out = 0;   // pages of hosts that are not counted
  std::uint64_t groups_left_out = 0;  // skipped pages of groups that are not
  /// Lines of the logs that are no records, of each log the first kLogFaultsMax.
  std::map<std::string, std::vector<LogFault>> faults;

  std::uint64_t Of(Disposition disposition) const {
    return dispositions[static_cast<std::size_t>(disposition)];
  }
};

/// Reads the logs and the texts of the crawl in `data`, also while it runs. Fails when there is no
/// crawl or a file cannot be read; a missing text is no failure.
///
/// Cost: the logs once, from beginning to end; memory as ReportLimits says.
base::Result<Report> ReadReport(const std::filesystem::path& data, const ReportLimits& limits);

}  // namespace crawler

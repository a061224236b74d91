#include "crawler/report/report.h"

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "crawler/crawl/crawl_state.h"
#include "crawler/data/data_format.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/text_store.h"
#include "crawler/dedup/copy_rank.h"
#include "crawler/report/skip_filter.h"
#include "crawler/report/template_alarm.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

using contentseen::Digest;
using contentseen::Kind;

// Hosts remembered of one group, so that a group of all hosts costs no more than a large one.
constexpr std::size_t kHostsOfGroupMax = 10'000;

Disposition DispositionOf(Kind kind) {
  if (kind == Kind::kExactBytes) return Disposition::kExactBytes;
  return kind == Kind::kExactText ? Disposition::kExactText : Disposition::kNear;
}

std::optional<Disposition> DispositionOf(std::string_view name) {
  for (std::size_t i = 0; i < kDispositions; ++i) {
    if (Name(static_cast<Disposition>(i)) == name) return static_cast<Disposition>(i);
  }
  return std::nullopt;
}

/// What stands at each URL, as FindMirrors() and FindIdleParameters() want it.
class SitePages {
 public:
  explicit SitePages(std::size_t urls_max) : urls_max_(urls_max) {}

  void Stored(const PageRecord& page) {
    if (Full()) return;
    const Content content{TextOf(page.digest), ++contents_};
    by_url_.emplace(page.url, content);
    Add(page.final_url.empty() ? page.url : page.final_url, content);
  }
  void Skipped(const SkipRecord& page) {
    if (Full()) return;
    auto original = by_url_.find(page.original_url);
    if (original == by_url_.end()) {  // lost from the log, or beyond the limit
      original = by_url_.emplace(page.original_url, Content{++texts_, ++contents_}).first;
    }
    Content content = original->second;
    if (page.kind == Kind::kExactText) {
      // So that a copy of this page's bytes is known to have the same text.
      if (!page.digest.IsNone()) by_digest_.emplace(page.digest, content.text);
    } else {
      content.text = TextOf(page.digest);
    }
    Add(page.final_url.empty() ? page.url : page.final_url, content);
  }
  void NotThere(const std::string& url) {
    if (!Full()) Add(url, {});
  }

  const std::vector<SitePage>& all() const { return all_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Content {
    std::uint32_t text = 0;
    std::uint32_t content = 0;
  };
  bool Full() {
    if (all_.size() < urls_max_) return false;
    left_out_ += 1;
    return true;
  }
  std::uint32_t TextOf(const Digest& digest) {
    if (digest.IsNone()) return ++texts_;
    auto [known, fresh] = by_digest_.try_emplace(digest, texts_ + 1);
    if (fresh) ++texts_;
    return known->second;
  }
  void Add(const std::string& url, Content content) {
    all_.push_back({url, content.text, content.content});
  }

  const std::size_t urls_max_;
  std::uint32_t texts_ = 0;
  std::uint32_t contents_ = 0;
  std::uint64_t left_out_ = 0;
  std::map<std::string, Content> by_url_;
  std::map<Digest, std::uint32_t> by_digest_;
  std::vector<SitePage> all_;
};

struct Copy {
  CopyRank rank;
  std::string url;
};

struct Group {
  DuplicateGroup group;
  std::optional<Copy> shown;
  std::set<std::string, std::less<>> hosts;
};

/// Reads the logs one after another into a report.
class Reading {
 public:
  Reading(const std::filesystem::path& data, const ReportLimits& limits)
      : data_(data), limits_(limits), site_pages_(limits.urls_max) {
    report_.data = data.filename().empty() ? data.parent_path().filename().string()
                                           : data.filename().string();
  }

  base::Result<Report> Run() {
    // The pages first: a skipped page names its original.
    auto read =
        Read<PageRecord>(kPageLogName, [&](std::size_t, const PageRecord& page) { Stored(page); });
    if (!read) return base::Fail(read.error().message);
    read = Read<SkipRecord>(
        kSkipLogName, [&](std::size_t line, SkipRecord page) { Skipped(line, std::move(page)); });
    if (!read) return base::Fail(read.error().message);
    read = Read<OtherRecord>(kOtherLogName,
                             [&](std::size_t, const OtherRecord& page) { Ended(page); });
    if (!read) return base::Fail(read.error().message);
    if (auto texts = ReadTexts(); !texts) return base::Fail(texts.error().message);
    if (auto limits = ReadLimits(); !limits) return base::Fail(limits.error().message);
    Conclude();
    return std::move(report_);
  }

 private:
  template <class Record, class Take>
  base::Status Read(const char* name, Take take) {
    std::vector<LogFault> faults;
    base::Status status = ReadLog<Record>(
        data_ / name,
        [&](std::size_t line, Record record) {
          take(line, std::move(record));
          return true;
        },
        faults);
    if (!faults.empty()) report_.faults[name] = std::move(faults);
    if (status) return {};
    return base::Fail(status.error().message + " (" + data_.string() +
                      " should be the data directory of a crawl)");
  }

  void SeenAt(base::WallTime time) {
    const bool first = report_.begin == base::WallTime{};
    report_.begin = first ? time : std::min(report_.begin, time);
    report_.end = std::max(report_.end, time);
  }
  // Null where there are too many of them.
  HostCounts* Host(const std::string& url) {
    HostCounts* host = Bounded(hosts_, std::string(crawler::HostOf(url)));
    if (host == nullptr) report_.hosts_left_out += 1;
    return host;
  }
  template <class Value>
  Value* Bounded(std::map<std::string, Value>& map, const std::string& key) {
    if (map.size() < limits_.urls_max) return &map[key];
    const auto known = map.find(key);
    return known != map.end() ? &known->second : nullptr;
  }
  void Count(Disposition disposition) {
    report_.dispositions[static_cast<std::size_t>(disposition)] += 1;
  }

  void Stored(const PageRecord& page) {
    SeenAt(page.time);
    Count(Disposition::kStored);
    if (HostCounts* host = Host(page.url)) host->stored += 1;
    report_.stored_bytes += page.body_bytes;
    site_pages_.Stored(page);
    if (originals_.size() < limits_.urls_max) {
      originals_.emplace(page.url, RankOf(UrlOf(page), page.canonical, page.time));
    }
  }

  template <class Record>
  static const std::string& UrlOf(const Record& page) {
    return page.final_url.empty() ? page.url : page.final_url;
  }

  void Skipped(std::size_t line, SkipRecord page) {
    SeenAt(page.time);
    Count(DispositionOf(page.kind));
    if (page.kind == Kind::kNear) {
      const int last = static_cast<int>(report_.distances.size()) - 1;
      report_.distances[static_cast<std::size_t>(std::clamp(page.distance, 0, last))] += 1;
    }
    if (HostCounts* host = Host(page.url)) {
      host->skipped += 1;
      host->near += page.kind == Kind::kNear ? 1 : 0;
    }
    report_.k = std::max(report_.k, page.k);
    report_.skipped_bytes += page.body_bytes;
    report_.links_not_followed += page.links_not_followed;
    site_pages_.Skipped(page);
    AddToGroup(page);
    if (report_.rows.size() < limits_.rows_max) {
      report_.rows.push_back({line, std::move(page)});
    } else {
      report_.rows_left_out += 1;
    }
  }

  void AddToGroup(const SkipRecord& page) {
    Group* group = Bounded(groups_, page.original_url);
    if (group == nullptr) {
      report_.groups_left_out += 1;
      return;
    }
    Group& its = *group;
    if (!its.shown) {
      const auto original = originals_.find(page.original_url);
      its.shown = {original != originals_.end()
                       ? original->second
                       : RankOf(page.original_url, {}, page.original_time),
                   page.original_url};
    }
    const CopyRank rank = RankOf(UrlOf(page), page.canonical, page.time);
    if (rank < its.shown->rank) its.shown = {rank, UrlOf(page)};
    its.group.pages += 1;
    its.group.near += page.kind == Kind::kNear ? 1 : 0;
    its.group.distance_max = std::max(its.group.distance_max, page.distance);
    if (its.group.title.empty()) its.group.title = page.title;
    if (its.hosts.size() < kHostsOfGroupMax && hosts_of_groups_ < limits_.urls_max) {
      hosts_of_groups_ += its.hosts.emplace(crawler::HostOf(page.url)).second ? 1 : 0;
    }
  }

  void Ended(const OtherRecord& page) {
    SeenAt(page.time);
    // A name of a later version is counted nowhere rather than wrongly.
    if (auto disposition = DispositionOf(page.disposition)) Count(*disposition);
    if (HostCounts* host = Host(page.url)) host->other += 1;
    const bool gone = page.disposition == Name(Disposition::kClientError);
    if (gone) site_pages_.NotThere(page.final_url.empty() ? page.url : page.final_url);
  }

  base::Status ReadTexts() {
    const std::filesystem::path path = data_ / kTextStoreName;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};  // texts.keep = false
    auto texts = OpenTextStoreForReading(path);
    if (!texts) return base::Fail(texts.error().message);
    std::vector<const SkipRecord*> records;
    for (const ReportRow& row : report_.rows) records.push_back(&row.record);
    report_.texts = CollectTexts(records, **texts, limits_.texts_bytes_max);
    return {};
  }

  base::Status ReadLimits() {
    std::error_code error;
    const std::filesystem::path path = StorePath(data_.string());
    if (!std::filesystem::exists(path, error)) return {};
    auto store = store::OpenRocksStoreForReading(path);
    if (!store) return base::Fail(store.error().message);
    auto snapshot = ReadSnapshot(**store);
    if (!snapshot) return base::Fail(snapshot.error().message);
    if (*snapshot) report_.limits = (*snapshot)->statistics.limits;
    return {};
  }

  void Conclude() {
    report_.groups_count = groups_.size();
    for (auto& [url, its] : groups_) {
      its.group.original_url = url;
      its.group.shown_url = std::move(its.shown->url);
      its.group.hosts = its.hosts.size();
      report_.groups.push_back(std::move(its.group));
    }
    Largest(report_.groups, [](const DuplicateGroup& g) { return g.pages; });
    report_.hosts_count = hosts_.size();
    for (auto& [host, counts] : hosts_) {
      counts.host = host;
      if (IsTemplateAlarm(counts.near, counts.pages()) &&
          report_.alarms.size() < limits_.list_max) {
        report_.alarms.push_back(TemplateAlarm(host, counts.near, counts.pages()));
      }
      report_.hosts.push_back(std::move(counts));
    }
    Largest(report_.hosts,
            [](const HostCounts& h) { return std::pair(h.skipped, h.stored + h.other); });
    report_.urls_left_out = site_pages_.left_out();
    report_.mirrors = FindMirrors(site_pages_.all());
    report_.parameters = FindIdleParameters(site_pages_.all());
    Cut(report_.mirrors.pairs);
    Cut(report_.mirrors.groups);
    Cut(report_.parameters.idle);
  }

  template <class T>
  void Cut(std::vector<T>& list) {
    if (list.size() > limits_.list_max) list.resize(limits_.list_max);
  }
  template <class T, class Size>
  void Largest(std::vector<T>& list, Size size) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const T& a, const T& b) { return size(a) > size(b); });
    Cut(list);
  }

  const std::filesystem::path data_;
  const ReportLimits limits_;
  Report report_;
  SitePages site_pages_;
  std::map<std::string, Group> groups_;
  std::size_t hosts_of_groups_ = 0;
  std::map<std::string, HostCounts> hosts_;
  std::map<std::string, CopyRank> originals_;
};

}  // namespace

base::Result<Report> ReadReport(const std::filesystem::path& data, const ReportLimits& limits) {
  return Reading(data, limits).Run();
}

}  // namespace crawler

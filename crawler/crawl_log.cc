#include "crawler/crawl_log.h"

#include <array>
#include <system_error>
#include <utility>

#include "crawler/other_log.h"
#include "crawler/page_log.h"
#include "crawler/skip_log.h"
#include "crawler/utf8.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kNames = {kPageLogName, kSkipLogName, kOtherLogName,
                                               kTextStoreName};

std::string Referrer(const Page& page) {
  return page.candidate().referrer ? page.candidate().referrer->text() : std::string();
}

base::Status Erase(const std::string& directory) {
  for (const char* name : kNames) {
    fs::path path = fs::path(directory) / name;
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return base::Fail("cannot delete " + path.string() + ": " + error.message());
  }
  return {};
}

// A page may have a title of megabytes, a server an error text as long: a log line has a limit.
constexpr std::size_t kLogTextBytesMax = 1024;

// What the records of all three logs begin with.
template <class Record>
Record RecordOf(const Page& page, base::WallTime time) {
  Record record;
  record.time = time;
  record.url = page.asked().text();
  record.final_url = page.url().text();
  record.referrer = Referrer(page);
  record.depth = page.candidate().depth;
  return record;
}

}  // namespace

CrawlLog::CrawlLog(int k, const TextStoreOptions& options, const base::Clock& clock,
                   std::unique_ptr<DataLock> lock)
    : k_(k), keeps_texts_(options.keep), clock_(clock), lock_(std::move(lock)) {}

bool CrawlLog::IsThere(const std::string& directory) {
  std::error_code error;
  for (const char* name : kNames) {
    if (fs::exists(fs::path(directory) / name, error)) return true;
  }
  return false;
}

base::Result<std::unique_ptr<CrawlLog>> CrawlLog::Open(const std::string& directory, int k,
                                                       const TextStoreOptions& options,
                                                       const base::Clock& clock, Earlier earlier) {
  auto lock = DataLock::Take(directory);
  if (!lock) return base::Fail(lock.error().message);
  if (earlier == Earlier::kErase) {
    if (auto erased = Erase(directory); !erased) return base::Fail(erased.error().message);
  }
  if (IsThere(directory)) {
    return base::Fail(directory +
                      " holds an earlier crawl: choose another --data, or --fresh to delete it");
  }
  std::unique_ptr<CrawlLog> log(new CrawlLog(k, options, clock, std::move(*lock)));
  if (auto opened = log->OpenFiles(directory, options); !opened) {
    base::Status erased = Erase(directory);
    return base::Fail(opened.error().message + (erased ? "" : "; " + erased.error().message));
  }
  return log;
}

base::Status CrawlLog::OpenFiles(const std::string& directory, const TextStoreOptions& options) {
  const std::array<std::pair<const char*, std::unique_ptr<JsonlWriter>*>, 3> files = {
      {{kPageLogName, &pages_}, {kSkipLogName, &skipped_}, {kOtherLogName, &other_}}};
  for (auto [name, writer] : files) {
    auto opened = JsonlWriter::Open(fs::path(directory) / name);
    if (!opened) return base::Fail(opened.error().message);
    *writer = std::move(*opened);
  }
  if (!options.keep) return {};
  auto texts = OpenTextStore(fs::path(directory) / kTextStoreName, options);
  if (!texts) return base::Fail(texts.error().message);
  texts_ = std::move(*texts);
  return {};
}

void CrawlLog::Announce(const Page& page) {
  Known known{page.asked().text(), clock_.WallNow(),
              static_cast<std::uint32_t>(page.document.links.size())};
  base::MutexLock lock(mutex_);
  known_.emplace(page.id, std::move(known));
}

CrawlLog::Known CrawlLog::Find(contentseen::DocumentId id) const {
  base::MutexLock lock(mutex_);
  auto found = known_.find(id);
  return found == known_.end() ? Known{} : found->second;
}

std::uint64_t CrawlLog::TextOf(const Page& page) const {
  if (!keeps_texts_) return 0;
  return page.parsed ? page.id : page.verdict.same_bytes_as;
}

std::uint64_t CrawlLog::LinksOf(const Page& page) const {
  return page.parsed ? page.document.links.size() : Find(page.verdict.same_bytes_as).links;
}

base::Status CrawlLog::Stored(const Page& page) {
  if (texts_) {
    if (auto put = texts_->Put(page.id, page.document.text); !put) return put;
  }
  auto record = RecordOf<PageRecord>(page, clock_.WallNow());
  record.status = page.response.status;
  record.title = Beginning(page.document.title, kLogTextBytesMax);
  record.digest = page.body_digest;
  record.fingerprint = page.verdict.fingerprint;
  record.body_bytes = page.response.body.size();
  record.links_found = page.document.links.size();
  record.links_queued = page.scheduled.queued;
  record.fetch_time = page.response.duration;
  record.parse_time = page.parse_time;
  record.check_time = page.check_time;
  record.text_id = TextOf(page);
  return pages_->Append(LogLine(record));
}

base::Status CrawlLog::Skipped(const Page& page) {
  const contentseen::Verdict& verdict = page.verdict;
  if (page.parsed) {
    base::MutexLock lock(mutex_);
    std::string().swap(known_[page.id].url);  // clear() would keep the memory
  }
  if (texts_ && page.parsed) {
    if (auto put = texts_->Put(page.id, page.document.text); !put) return put;
  }
  Known original = Find(verdict.original);
  auto record = RecordOf<SkipRecord>(page, clock_.WallNow());
  record.kind = verdict.kind;
  record.distance = verdict.distance;
  record.k = k_;
  record.fingerprint = verdict.fingerprint;
  record.original_fingerprint = verdict.original_fingerprint;
  record.digest = page.body_digest;
  record.original_url = std::move(original.url);
  record.original_time = original.time;
  record.body_bytes = page.response.body.size();
  record.links_not_followed = LinksOf(page);
  record.title = Beginning(page.document.title, kLogTextBytesMax);
  record.text_id = TextOf(page);
  record.original_text_id = keeps_texts_ ? verdict.original : 0;
  return skipped_->Append(LogLine(record));
}

base::Status CrawlLog::Ended(const Page& page, Disposition disposition) {
  DispositionGroup group = GroupOf(disposition);
  if (group != DispositionGroup::kNotJudged && group != DispositionGroup::kFailed) return {};
  auto record = RecordOf<OtherRecord>(page, clock_.WallNow());
  record.disposition = Name(disposition);
  record.detail = Beginning(page.detail, kLogTextBytesMax);
  record.status = page.response.status;
  return other_->Append(LogLine(record));
}

}  // namespace crawler

#include "crawler/data/crawl_log.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/bytes.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"
#include "crawler/io/utf8.h"
#include "frontier/url.h"

namespace crawler {
namespace {

std::string Referrer(const Page& page) {
  return page.candidate().referrer ? page.candidate().referrer->text() : std::string();
}

// A page may have a title of megabytes, a server an error text as long: a log line has a limit.
constexpr std::size_t kLogTextBytesMax = 1024;

// A part of a URL would name another page: one that is longer than any that is crawled is left
// out.
std::string CanonicalOf(const Page& page) {
  const std::string& href = page.document.canonical_href;
  return href.size() <= frontier::kUrlBytesLimit ? href : std::string();
}

// In the number of a known page's links, which is far below.
constexpr std::uint64_t kNoFollowBit = std::uint64_t{1} << 63;

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

std::string CrawlLog::Encode(const KnownPage& known) {
  std::string bytes;
  const auto time =
      std::chrono::duration_cast<std::chrono::microseconds>(known.time.time_since_epoch());
  base::AppendVarint(static_cast<std::uint64_t>(time.count()), bytes);
  base::AppendVarint(known.links | (known.nofollow ? kNoFollowBit : 0), bytes);
  base::AppendText(known.host, bytes);
  return bytes.append(known.url);
}

base::Result<KnownPage> CrawlLog::Decode(std::string_view bytes) {
  base::ByteReader reader(bytes);
  KnownPage known;
  known.time = base::WallTime(std::chrono::microseconds(reader.Varint()));
  const std::uint64_t links = reader.Varint();
  known.links = links & ~kNoFollowBit;
  known.nofollow = (links & kNoFollowBit) != 0;
  known.host = reader.Text();
  known.url = reader.rest();
  if (!reader.ok()) return base::Fail("the table of names has a record that is none");
  return known;
}

void CrawlLog::Announce(const Page& page) {
  KnownPage known{page.asked().text(), std::string(page.url().host()), clock_.WallNow(),
                  page.document.links.size(), page.nofollow};
  base::MutexLock lock(mutex_);
  open_.emplace(page.id, std::move(known));
}

base::Result<KnownPage> CrawlLog::Find(contentseen::DocumentId id) const {
  {
    base::MutexLock lock(mutex_);
    for (const Names* names : {&open_, &taken_}) {
      if (const auto found = names->find(id); found != names->end()) return found->second;
    }
  }
  // Not asked under the lock: what is neither here nor there was never announced.
  auto stored = store_.Get(store::Table::kNames, DocumentKey(id));
  if (!stored) return base::Fail(stored.error().message);
  if (!*stored) return base::Fail("the table of names lacks page " + std::to_string(id));
  return Decode(**stored);
}

std::uint64_t CrawlLog::TextOf(const Page& page) const {
  const contentseen::DocumentId same = page.verdict.same_bytes_as;
  if (same != contentseen::kNoDocument) return same;
  return texts_.keep ? page.id : 0;
}

void CrawlLog::Judged(const Page& page, const contentseen::DocumentRecord& record) {
  if (record.id == contentseen::kNoDocument) return;  // nothing is remembered of it
  store::Batch batch;
  const std::string key = DocumentKey(page.id);
  batch.Put(store::Table::kDocuments, key, contentseen::Encode(record));
  {
    base::MutexLock lock(mutex_);
    batch.Put(store::Table::kNames, key, Encode(open_.at(page.id)));
  }
  if (texts_.keep) PutText(page.id, page.document.text, texts_.text_bytes_max, batch);
  journal_.Add(batch);
}

void CrawlLog::Stored(const Page& page) {
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
  record.sitemap_lastmod = page.candidate().modified;
  record.canonical = CanonicalOf(page);
  journal_.Add(Log::kPages, LogLine(record));
}

base::Result<std::uint64_t> CrawlLog::Skipped(const Page& page) {
  const contentseen::Verdict& verdict = page.verdict;
  KnownPage same;
  if (verdict.same_bytes_as != contentseen::kNoDocument) {
    base::Result<KnownPage> found = Find(verdict.same_bytes_as);
    if (!found) return base::Fail(found.error().message);
    same = std::move(*found);
  }
  std::uint64_t links = page.parsed ? page.document.links.size() : same.links;
  links -= std::min(links, page.links_followed);
  auto record = RecordOf<SkipRecord>(page, clock_.WallNow());
  record.kind = verdict.kind;
  record.distance = verdict.distance;
  record.k = k_;
  record.fingerprint = verdict.fingerprint;
  record.original_fingerprint = verdict.original_fingerprint;
  record.evidence = contentseen::Format(verdict.evidence);
  if (!record.evidence.empty()) record.basis = contentseen::Name(verdict.basis);
  record.same_bytes_as = std::move(same.url);
  record.digest = page.body_digest;
  record.original_url = page.original.url;
  record.original_time = page.original.time;
  record.body_bytes = page.response.body.size();
  record.links_not_followed = links;
  record.title = Beginning(page.document.title, kLogTextBytesMax);
  record.text_id = TextOf(page);
  record.original_text_id = verdict.original;
  record.sitemap_lastmod = page.candidate().modified;
  record.canonical = CanonicalOf(page);
  journal_.Add(Log::kSkipped, LogLine(record));
  return links;
}

void CrawlLog::Ended(const Page& page, Disposition disposition) {
  DispositionGroup group = GroupOf(disposition);
  if (group != DispositionGroup::kNotJudged && group != DispositionGroup::kFailed) return;
  auto record = RecordOf<OtherRecord>(page, clock_.WallNow());
  record.disposition = Name(disposition);
  record.detail = Beginning(page.detail, kLogTextBytesMax);
  record.status = page.response.status;
  journal_.Add(Log::kOther, LogLine(record));
}

void CrawlLog::Save(store::Batch&) {
  base::MutexLock lock(mutex_);
  taken_ = std::exchange(open_, {});
}

void CrawlLog::Saved() {
  base::MutexLock lock(mutex_);
  taken_.clear();
}

}  // namespace crawler

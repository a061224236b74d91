#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/document_id.h"
#include "contentseen/document_record.h"
#include "crawler/data/journal.h"
#include "crawler/data/text_store.h"
#include "crawler/page/disposition.h"
#include "crawler/page/page.h"
#include "store/store.h"

namespace crawler {

/// Everything a crawl writes down of its pages: lines in pages.jsonl (stored pages), skipped.jsonl
/// (duplicates, with their originals) and other.jsonl (pages that ended otherwise); in the store
/// what ContentSeen must remember, the texts of judged pages, and what originals are named by.
///
///     Journal::Turn turn(journal);
///     log.Announce(page);
///     ... the verdict ...
///     log.Judged(page, record);
///     page.original = *log.Find(page.verdict.original);
///     base::Result<std::uint64_t> links = log.Skipped(page);
///
/// Thread safety: all methods; the caller has a Journal::Turn, but for Saved(). Memory: a name of
/// about 100 bytes for each page judged since the last commit.
class CrawlLog final : public Journal::Part {
 public:
  CrawlLog(Journal& journal, const store::Store& store, int k, const TextStoreOptions& options,
           const base::Clock& clock)
      : k_(k), texts_(options), clock_(clock), journal_(journal), store_(store) {}

  /// Makes `page.id` known, so that a duplicate of it can name it. Before it is judged.
  void Announce(const Page& page) EXCLUDES(mutex_);
  /// Keeps what the verdict on a parsed page rests on, its name and its text. Nothing where another
  /// thread judged the same bytes first.
  void Judged(const Page& page, const contentseen::DocumentRecord& record) EXCLUDES(mutex_);
  /// A new page: its line in pages.jsonl.
  void Stored(const Page& page);
  /// A duplicate of `page.original`: its line in skipped.jsonl. Gives the number of its links,
  /// also where its bytes were recognised without parsing. Fails when the store cannot be read.
  base::Result<std::uint64_t> Skipped(const Page& page) EXCLUDES(mutex_);
  /// Any page: a line in other.jsonl unless it was stored, skipped or put back.
  void Ended(const Page& page, Disposition disposition);

  /// A page that was announced, by this process or an earlier one. Fails as Skipped() does.
  base::Result<KnownPage> Find(contentseen::DocumentId id) const EXCLUDES(mutex_);
  /// The threshold that the lines name.
  int k() const { return k_; }

  void Save(store::Batch& batch) override EXCLUDES(mutex_);
  void Saved() override EXCLUDES(mutex_);

 private:
  using Names = std::unordered_map<contentseen::DocumentId, KnownPage>;

  static std::string Encode(const KnownPage& known);
  static base::Result<KnownPage> Decode(std::string_view bytes);
  // The key under which the page's text is, 0 for none. Where the same bytes were judged before it
  // is that of these, which may have been judged by a run that kept no texts.
  std::uint64_t TextOf(const Page& page) const;

  const int k_;
  const TextStoreOptions texts_;
  const base::Clock& clock_;
  Journal& journal_;
  const store::Store& store_;

  mutable base::Mutex mutex_;
  // Of the open commit, and of the one being written; the others are in the store.
  Names open_ GUARDED_BY(mutex_);
  Names taken_ GUARDED_BY(mutex_);
};

}  // namespace crawler

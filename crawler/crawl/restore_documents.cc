#include "crawler/crawl/restore_documents.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "contentseen/document_record.h"
#include "crawler/crawl/start_threads.h"
#include "crawler/data/text_store.h"

namespace crawler {
namespace {

using contentseen::DocumentId;

// Large enough for ContentSeen's batches, small enough for the near caches.
constexpr std::size_t kRowsMax = 4'096;

/// Some rows of the table one after another, copied so that the next thread can go on reading.
struct Rows {
  struct Row {
    DocumentId id = contentseen::kNoDocument;
    std::size_t size = 0;
  };
  std::vector<Row> rows;
  std::string bytes;
};

/// The table, read by one thread at a time. Thread safety: all methods.
class Table {
 public:
  Table(const store::Store& store, DocumentId after)
      : cursor_(store.Read(store::Table::kDocuments, DocumentKey(after + 1))), last_(after) {}

  /// The next rows; none at the end, and after a failure.
  void Take(Rows* taken) EXCLUDES(mutex_) {
    taken->rows.clear();
    taken->bytes.clear();
    base::MutexLock lock(mutex_);
    if (failed_) return;
    for (; taken->rows.size() < kRowsMax && cursor_->Valid(); cursor_->Next()) {
      base::ByteReader key(cursor_->key());
      last_ = key.BigEndian();
      if (!key.AtEnd()) last_ = contentseen::kNoDocument;  // which no record can have
      taken->rows.push_back({last_, cursor_->value().size()});
      taken->bytes += cursor_->value();
    }
  }
  void Fail() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    failed_ = true;
  }
  /// Once all is taken.
  base::Result<DocumentId> Last() const EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    if (failed_) return base::Fail("the table of documents has a record that is none");
    if (base::Status read = cursor_->status(); !read) return base::Fail(read.error().message);
    return last_;
  }

 private:
  mutable base::Mutex mutex_;
  const std::unique_ptr<store::Cursor> cursor_ PT_GUARDED_BY(mutex_);
  DocumentId last_ GUARDED_BY(mutex_);
  bool failed_ GUARDED_BY(mutex_) = false;
};

bool Decode(const Rows& taken, std::vector<contentseen::DocumentRecord>* records) {
  records->resize(taken.rows.size());
  std::string_view bytes = taken.bytes;
  bool sound = true;
  for (std::size_t i = 0; i < taken.rows.size(); ++i) {
    const Rows::Row& row = taken.rows[i];
    sound = DecodeDocument(row.id, bytes.substr(0, row.size), &(*records)[i]) && sound;
    bytes.remove_prefix(row.size);
  }
  return sound;
}

void RestoreRows(Table& table, contentseen::ContentSeen& seen) {
  Rows taken;
  std::vector<contentseen::DocumentRecord> records;
  for (table.Take(&taken); !taken.rows.empty(); table.Take(&taken)) {
    if (!Decode(taken, &records) || !seen.Restore(records)) table.Fail();
  }
}

}  // namespace

base::Result<DocumentId> RestoreDocuments(const store::Store& store,
                                          contentseen::ContentSeen& seen, DocumentId after,
                                          std::uint32_t threads) {
  Table table(store, after);
  std::vector<std::thread> others =
      StartThreads(threads - 1, [&table, &seen](std::size_t) { RestoreRows(table, seen); });
  RestoreRows(table, seen);
  for (std::thread& other : others) other.join();
  return table.Last();
}

}  // namespace crawler

#include "crawler/data/journal.h"

#include <utility>

#include "crawler/data/data_format.h"
#include "crawler/data/other_log.h"
#include "crawler/data/page_log.h"
#include "crawler/data/skip_log.h"

namespace crawler {
namespace {

// Between attempts at a commit that failed.
constexpr std::chrono::seconds kRetryInterval{2};
// An open commit as large as this is due, its parts' share included: it is in memory up to four
// times (open, being written, as the store's own batch, and the room it leaves).
constexpr std::size_t kOpenBytesMax = std::size_t{4} << 20;
// Of a commit as large as this the memory is given back. Those that are due by their size are a
// few pages larger than what makes them due.
constexpr std::size_t kSpareBytesMax = 2 * kOpenBytesMax;

}  // namespace

const char* Name(Log log) {
  constexpr std::array<const char*, kLogs> kNames = {kPageLogName, kSkipLogName, kOtherLogName};
  return kNames[static_cast<std::size_t>(log)];
}

Journal::Journal(const JournalOptions& options, store::Store& store, LogFiles logs,
                 const base::Clock& clock)
    : options_(options),
      store_(store),
      clock_(clock),
      logs_(std::move(logs)),
      due_(clock.Now() + options.commit_interval) {}

void Journal::Add(const store::Batch& batch) {
  base::MutexLock lock(mutex_);
  open_.batch.Append(batch);
}

void Journal::Add(Log log, std::string_view line) {
  base::MutexLock lock(mutex_);
  open_.lines[static_cast<std::size_t>(log)] += line;
}

void Journal::Changed() {
  base::MutexLock lock(mutex_);
  anything_ = true;
}

std::optional<base::Time> Journal::Due() const {
  base::MutexLock lock(mutex_);
  if (!anything_) return std::nullopt;
  return due_;
}

std::string Journal::pause_reason() const {
  base::MutexLock lock(mutex_);
  return pause_reason_;
}

bool Journal::IsDue() const {
  {
    base::MutexLock lock(mutex_);
    if (!anything_) return false;
    if (due_ <= clock_.Now()) return true;
  }
  return !paused() && unsaved_bytes() >= kOpenBytesMax;
}

std::size_t Journal::unsaved_bytes() const {
  std::size_t bytes = 0;
  for (const Part* part : parts_) bytes += part->unsaved_bytes();
  base::MutexLock lock(mutex_);
  return bytes + open_.bytes();
}

base::Status Journal::CommitIfDue() {
  if (!IsDue()) return {};
  base::MutexLock lock(writing_);
  if (!IsDue()) return {};  // another thread has done it
  return CommitOrPause();
}

base::Status Journal::CommitEarly() {
  base::MutexLock lock(writing_);
  if (paused() || !Due()) return {};
  return CommitOrPause();
}

base::Status Journal::CommitOrPause() {
  base::Status written = CommitLocked();
  if (written) return {};
  const base::Time now = clock_.Now();
  if (now - *failing_since_ < options_.full_disk_wait_max) return {};
  return written;
}

base::Status Journal::Commit() {
  base::MutexLock lock(writing_);
  base::Status written = CommitLocked();
  for (auto& log : logs_) {
    if (written) written = log->Sync();
  }
  return written;
}

base::Status Journal::CommitLocked() {
  // What could not be written goes first, then what came meanwhile.
  base::Status written = taken_ ? WriteTaken() : base::Status();
  if (written) written = TakeOpen();
  if (written && taken_) written = WriteTaken();
  const base::Time now = clock_.Now();
  if (written) {
    failing_since_.reset();
  } else if (!failing_since_) {
    failing_since_ = now;
  }
  base::MutexLock lock(mutex_);
  pause_reason_ = written ? std::string() : written.error().message;
  if (!written) {
    anything_ = true;
    due_ = now + kRetryInterval;
  }
  paused_.store(!written, std::memory_order_release);
  return written;
}

base::Status Journal::TakeOpen() {
  gate_.Close();
  base::Status taken = TakeOpenFromNobody();
  gate_.Open();
  return taken;
}

// While nobody has a turn.
base::Status Journal::TakeOpenFromNobody() {
  for (Part* part : parts_) {
    if (base::Status flushed = part->Flush(); !flushed) return flushed;
  }
  {
    base::MutexLock lock(mutex_);
    due_ = clock_.Now() + options_.commit_interval;
    if (!std::exchange(anything_, false)) return {};
    taken_ = std::exchange(open_, std::exchange(spare_, {}));
  }
  for (Part* part : parts_) part->Save(taken_->batch);
  return {};
}

base::Status Journal::WriteTaken() {
  store::Batch& batch = taken_->batch;
  for (std::size_t i = 0; i < kLogs; ++i) {
    LogFile& log = *logs_[i];
    base::Status written = log.Write(taken_->lines[i]);
    if (written && options_.durability == store::Durability::kPower && !taken_->lines[i].empty()) {
      written = log.Sync();
    }
    if (!written) return written;
    if (!taken_->lines[i].empty()) PutLogPart(static_cast<Log>(i), log, batch);
  }
  if (base::Status written = store_.Write(batch, options_.durability); !written) return written;
  for (auto& log : logs_) log->Commit();
  const bool large = taken_->bytes() > kSpareBytesMax;
  taken_->Clear();
  spare_ = large ? Records() : std::move(*taken_);
  taken_.reset();
  for (Part* part : parts_) part->Saved();
  return {};
}

}  // namespace crawler

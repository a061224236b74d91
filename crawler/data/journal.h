#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "crawler/data/commit_gate.h"
#include "crawler/io/log_file.h"
#include "store/store.h"

namespace crawler {

/// The logs of a data directory.
enum class Log : std::uint8_t { kPages, kSkipped, kOther };
inline constexpr std::size_t kLogs = 3;
using LogFiles = std::array<std::unique_ptr<LogFile>, kLogs>;

/// Name of the log in a data directory.
const char* Name(Log log);

/// When a crawl's progress is made to last.
struct JournalOptions {
  /// From one commit to the next; 0 to 1 min. 0: each page is committed before its end.
  std::chrono::milliseconds commit_interval{1'000};
  store::Durability durability = store::Durability::kProcess;
  /// How long a crawl waits, paused, for a disk that cannot be written (full, say); 0 to 7 days.
  std::chrono::seconds full_disk_wait_max{600};
};

/// Gathers what pages change - lines of logs and changes of tables - into commits that last as a
/// whole: after a crash either all of a commit is there or nothing of it.
///
///     {
///       Journal::Turn turn(journal);         // before the page changes anything in memory
///       ... judge, schedule links ...
///       journal.Add(batch);
///       journal.Add(Log::kPages, line);
///     }
///     base::Status status = journal.CommitIfDue();
///
/// A commit writes the lines first, then one batch that also holds the lengths of the logs: so a
/// log is cut back to what its last commit says, and has neither a torn line nor one twice. A
/// commit that fails stays whole in memory and is tried again: paused() until it succeeds.
///
/// Thread safety: all methods. Ownership: what it is made with and its parts must outlive it.
/// Cost: Add is a copy under a short lock.
class Journal {
 public:
  /// Something whose state goes along with every commit. Called by one thread at a time.
  class Part {
   public:
    virtual ~Part() = default;
    /// Writes what must stand in files of its own before the commit. Nobody has a Turn meanwhile,
    /// as during Save(). A failure fails the commit; both are tried again.
    virtual base::Status Flush() { return {}; }
    /// How much Save() would add now, about: a commit that has grown large is due. Called by
    /// any thread at any time.
    virtual std::size_t unsaved_bytes() const { return 0; }
    /// Adds what changed since the last call.
    virtual void Save(store::Batch& batch) = 0;
    /// What Save() gave last is in the store.
    virtual void Saved() {}
  };

  /// The right to change what is committed; held from before the first change until its records
  /// are added. Nobody may hold two, or commit while holding one.
  class Turn {
   public:
    explicit Turn(Journal& journal) : journal_(journal) { journal_.gate_.Enter(); }
    ~Turn() {
      journal_.Changed();
      journal_.gate_.Leave();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Journal& journal_;
  };

  Journal(const JournalOptions& options, store::Store& store, LogFiles logs,
          const base::Clock& clock);

  /// REQUIRES: no Turn was given yet.
  void Join(Part& part) { parts_.push_back(&part); }

  /// REQUIRES, as for the others: the caller has a Turn.
  void Add(const store::Batch& batch) EXCLUDES(mutex_);
  void Add(Log log, std::string_view line) EXCLUDES(mutex_);

  /// Commits if it is time to. Fails for good when the disk could not be written for longer than
  /// full_disk_wait_max; until then a failure only pauses.
  base::Status CommitIfDue() EXCLUDES(writing_);
  /// The same before it is time to, but where a pause has begun already.
  base::Status CommitEarly() EXCLUDES(writing_);
  /// Commits what there is, whatever the time, and syncs the logs: the end of a crawl.
  base::Status Commit() EXCLUDES(writing_);

  /// When CommitIfDue() has something to do; nothing while all is committed.
  std::optional<base::Time> Due() const EXCLUDES(mutex_);
  /// The last commit failed.
  bool paused() const { return paused_.load(std::memory_order_acquire); }
  /// Why; empty when it did not.
  std::string pause_reason() const EXCLUDES(mutex_);

 private:
  struct Records {
    store::Batch batch;
    std::array<std::string, kLogs> lines;

    std::size_t bytes() const {
      std::size_t sum = batch.bytes();
      for (const std::string& text : lines) sum += text.size();
      return sum;
    }
    void Clear() {
      batch.Clear();
      for (std::string& text : lines) text.clear();
    }
  };

  void Changed() EXCLUDES(mutex_);
  bool IsDue() const EXCLUDES(mutex_);
  std::size_t unsaved_bytes() const EXCLUDES(mutex_);
  base::Status CommitOrPause() REQUIRES(writing_);
  base::Status CommitLocked() REQUIRES(writing_);
  /// Takes what there is, if anything is.
  base::Status TakeOpen() REQUIRES(writing_) EXCLUDES(mutex_);
  base::Status TakeOpenFromNobody() REQUIRES(writing_) EXCLUDES(mutex_);
  base::Status WriteTaken() REQUIRES(writing_);

  const JournalOptions options_;
  store::Store& store_;
  const base::Clock& clock_;
  std::vector<Part*> parts_;
  CommitGate gate_;

  base::Mutex writing_;  // taken before mutex_
  LogFiles logs_ GUARDED_BY(writing_);
  // Taken from the pages and not yet in the store.
  std::optional<Records> taken_ GUARDED_BY(writing_);
  // Empty; has the memory of the last ones written, so that it need not be asked for again (but
  // not that of a commit which was larger than others are).
  Records spare_ GUARDED_BY(writing_);
  std::optional<base::Time> failing_since_ GUARDED_BY(writing_);

  mutable base::Mutex mutex_;
  Records open_ GUARDED_BY(mutex_);
  bool anything_ GUARDED_BY(mutex_) = false;  // to be committed
  base::Time due_ GUARDED_BY(mutex_);
  std::string pause_reason_ GUARDED_BY(mutex_);
  // Release and acquire: who sees it set sees why.
  std::atomic<bool> paused_{false};
};

}  // namespace crawler

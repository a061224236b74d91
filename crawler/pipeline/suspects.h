#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "store/store.h"

namespace crawler {

/// Remembers across deaths of the process which page each working thread was at, so that a page
/// that kills it (by a fault in a parser, say) does not do so for ever.
///
///     auto suspects = Suspects::Open(data / "working", threads, store);
///     (*suspects)->Begin(slot, url);
///     ... parse and judge it ...
///     (*suspects)->End(slot);
///
/// Who is to blame:
///  * A thread that faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) says so (fault_note.h): its
///    page died, those of the other threads were only there. Given up after kFaultsMax.
///  * A process that is killed from without, or for want of memory (SIGKILL), leaves no word: any
///    page in work may have been the reason, and most likely none was. Given up after kKillsMax.
/// What is once worked on to its end is cleared at once, whether or not the process lives until
/// the next commit: only deaths in a row count.
///
/// A thread's page stands in a mapped file, which the kernel keeps when the process dies however
/// it dies; the counts stand in the store.
///
/// Thread safety: Begin() and End() from one thread a slot; the rest is constant.
/// Cost: a copy of the URL for each page.
class Suspects {
 public:
  static constexpr std::uint32_t kFaultsMax = 3;
  static constexpr std::uint32_t kKillsMax = 10;

  /// Notes the deaths that the file tells of, and begins it anew. Fails when file or store cannot
  /// be read or written. `store` must outlive it.
  static base::Result<std::unique_ptr<Suspects>> Open(const std::filesystem::path& path,
                                                      std::size_t slots, store::Store& store);
  ~Suspects();
  Suspects(const Suspects&) = delete;
  Suspects& operator=(const Suspects&) = delete;

  /// REQUIRES: slot < slots. A URL too long for its slot is not noted.
  void Begin(std::size_t slot, std::string_view url);
  /// The process has outlived it. Where the store cannot be written, on a full disk, the count of
  /// a suspect stays: the next commit says why, and waits for room.
  void End(std::size_t slot);

  /// The process died again and again while it worked at it.
  bool IsDeadly(const std::string& url) const;
  /// It was given up for that; who asks for it once more begins anew with it.
  static void Forget(std::string_view url, store::Batch& batch);

 private:
  struct Deaths {
    std::uint32_t faults = 0;
    std::uint32_t kills = 0;
  };

  Suspects(void* map, std::size_t slots, store::Store& store)
      : map_(map), slots_(slots), store_(store) {}
  base::Status ReadCounts(std::string_view prefix, std::uint32_t Deaths::*count);
  base::Status CountDeaths();

  void* const map_;
  const std::size_t slots_;
  store::Store& store_;
  // Constant once opened.
  std::unordered_map<std::string, Deaths> deaths_;
};

/// Name of the file in a data directory.
inline constexpr char kWorkingName[] = "working";

}  // namespace crawler

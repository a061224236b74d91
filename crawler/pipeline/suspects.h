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
/// that kills it (by a fault in a parser, say) does not do so for ever: what was being worked on
/// at the last kDeathsMax deaths is given up.
///
///     auto suspects = Suspects::Open(data / "working", threads, store);
///     (*suspects)->Begin(slot, url);
///     ... parse and judge it ...
///     (*suspects)->End(slot);
///
/// A thread's page stands in a mapped file, which the kernel keeps when the process dies however
/// it dies; the counts of deaths stand in the store. Who dies with a page by chance (kill -9) is
/// cleared as soon as it ends well.
///
/// Thread safety: Begin() and End() from one thread a slot; the rest is constant.
/// Cost: a copy of the URL for each page.
class Suspects {
 public:
  static constexpr std::uint32_t kDeathsMax = 3;

  /// Notes the deaths that the file tells of, and begins it anew. Fails when file or store cannot
  /// be read or written.
  static base::Result<std::unique_ptr<Suspects>> Open(const std::filesystem::path& path,
                                                      std::size_t slots, store::Store& store);
  ~Suspects();
  Suspects(const Suspects&) = delete;
  Suspects& operator=(const Suspects&) = delete;

  /// REQUIRES: slot < slots. A URL too long for its slot is not noted.
  void Begin(std::size_t slot, std::string_view url);
  void End(std::size_t slot);

  /// The process died with it before.
  bool IsSuspect(const std::string& url) const { return deaths_.contains(url); }
  /// And did so kDeathsMax times.
  bool IsDeadly(const std::string& url) const {
    const auto found = deaths_.find(url);
    return found != deaths_.end() && found->second >= kDeathsMax;
  }
  /// Its page has come to an end: the count goes with the next commit.
  static void Clear(std::string_view url, store::Batch& batch);

 private:
  Suspects(void* map, std::size_t slots) : map_(map), slots_(slots) {}
  base::Status CountDeaths(store::Store& store);

  void* const map_;
  const std::size_t slots_;
  // Constant once opened.
  std::unordered_map<std::string, std::uint32_t> deaths_;
};

/// Name of the file in a data directory.
inline constexpr char kWorkingName[] = "working";

}  // namespace crawler

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace crawler {

/// Names of documents by number, kept in a nameless temporary file, so that a corpus of any size
/// can say of a duplicate what it duplicates.
///
///     auto names = DedupNames::Create();
///     base::Status added = (*names)->Add(1, "https://example.org/");
///     base::Result<std::string> name = (*names)->Find(1);
///
/// Thread safety: one thread at a time. Cost: 16 bytes of memory a name.
class DedupNames {
 public:
  static base::Result<std::unique_ptr<DedupNames>> Create();
  ~DedupNames();
  DedupNames(const DedupNames&) = delete;
  DedupNames& operator=(const DedupNames&) = delete;

  /// REQUIRES: `number` is larger than all before.
  base::Status Add(std::uint64_t number, std::string_view name);
  /// Empty when there is none.
  base::Result<std::string> Find(std::uint64_t number) const;

 private:
  explicit DedupNames(int descriptor) : descriptor_(descriptor) {}
  base::Status Flush();

  const int descriptor_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> begins_;  // number, offset
  std::uint64_t written_ = 0;
  std::string unwritten_;
};

}  // namespace crawler

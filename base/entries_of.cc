#include "base/entries_of.h"

#include <algorithm>
#include <system_error>

namespace base {

Result<std::vector<std::filesystem::path>> EntriesOf(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error) return Fail(folder.string() + ": cannot be read: " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace base

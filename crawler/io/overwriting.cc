#include "crawler/io/overwriting.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace crawler {
namespace {

namespace fs = std::filesystem;

// Links and dots resolved as far as the path is there, from the root on: nothing of it may be.
fs::path Resolved(const std::string& path) {
  std::error_code error;
  fs::path resolved = fs::absolute(path, error);
  if (!error) resolved = fs::weakly_canonical(resolved, error);
  return error ? fs::path(path).lexically_normal() : resolved;
}

bool IsWithin(const fs::path& path, const fs::path& folder) {
  const auto end = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end.first == folder.end();
}

}  // namespace

base::Status SparesInputs(const std::string& what, const std::string& output,
                          std::span<const std::string> inputs) {
  const fs::path written = Resolved(output);
  for (const std::string& input : inputs) {
    std::error_code error;
    const bool same = Resolved(input) == written || fs::equivalent(input, output, error);
    const bool within = fs::is_directory(input, error) && fs::exists(output, error) &&
                        IsWithin(written, Resolved(input));
    if (same || within) {
      return base::Fail(what + " " + output +
                        " would overwrite what is read or written: name another file");
    }
  }
  return {};
}

base::Status StaysOutside(const std::string& what, const std::string& output,
                          std::span<const std::string> inputs) {
  const fs::path written = Resolved(output);
  for (const std::string& input : inputs) {
    std::error_code error;
    if (fs::is_directory(input, error) && IsWithin(written, Resolved(input))) {
      return base::Fail(what + " " + output + " lies within " + input +
                        ", which is read: name another place");
    }
  }
  return {};
}

}  // namespace crawler

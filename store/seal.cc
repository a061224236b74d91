#include "store/seal.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/entries_of.h"
#include "base/sync_directory.h"
#include "base/system_failure.h"

namespace store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = std::size_t{256} * 1024;
constexpr std::size_t kSealBytesMax = std::size_t{1} << 20;

base::Descriptor Open(const fs::path& path, int flags) {
  return base::Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
}

std::string Line(std::string_view name, std::uint64_t bytes, std::uint32_t crc) {
  return std::string(name) + " " + std::to_string(bytes) + " " + std::to_string(crc) + "\n";
}

/// What the seal says of a file as it is now.
base::Result<std::string> Describe(const base::Descriptor& file, const fs::path& path) {
  if (!file.ok()) return base::SystemFailure(path, "cannot be read");
  std::string buffer(kReadBytes, '\0');
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::SystemFailure(path, "cannot be read");
    if (got == 0) return Line(path.filename().string(), bytes, crc);
    crc = ::libdeflate_crc32(crc, buffer.data(), static_cast<std::size_t>(got));
    bytes += static_cast<std::uint64_t>(got);
  }
}

// Sorted files are not among them: each ends in its own index, under checksums.
bool IsSealed(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "CURRENT" || name.starts_with("MANIFEST-") || path.extension() == ".log";
}

std::string LastLine(std::string_view lines) {
  return Line(kSealName, lines.size(), ::libdeflate_crc32(0, lines.data(), lines.size()));
}

base::Status Sync(const base::Descriptor& file, const fs::path& path) {
  if (file.ok() && ::fsync(file.get()) == 0) return {};
  return base::SystemFailure(path, "cannot be synced");
}

/// The seal's text; nothing where there is none.
base::Result<std::optional<std::string>> ReadSeal(const fs::path& directory) {
  const fs::path path = directory / kSealName;
  const base::Descriptor file = Open(path, O_RDONLY);
  if (!file.ok() && errno == ENOENT) return std::nullopt;
  if (!file.ok()) return base::SystemFailure(path, "cannot be read");
  std::string text(kSealBytesMax, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return base::SystemFailure(path, "cannot be read");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

std::string Remedy(const fs::path& directory) {
  return ": put a copy back, or delete " + (directory / kSealName).string() +
         " to go on from what can still be read, as after a crash";
}

/// Each file of `seal` as it is described there.
base::Status Verify(const fs::path& directory, std::string_view seal) {
  const std::size_t last = seal.find_last_of('\n', seal.size() < 2 ? 0 : seal.size() - 2);
  const std::string_view lines = last == seal.npos ? "" : seal.substr(0, last + 1);
  if (seal.substr(lines.size()) != LastLine(lines)) {
    return base::Fail((directory / kSealName).string() + ": is damaged" + Remedy(directory));
  }
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    const fs::path path = directory / line.substr(0, line.find(' '));
    const auto found = Describe(Open(path, O_RDONLY), path);
    if (found && *found == line) continue;
    if (!found && ::access(path.c_str(), R_OK) != 0 && errno == EACCES) {
      return base::Fail(found.error().message);  // nothing is damaged, nothing to be mended
    }
    return base::Fail((found
                           ? path.string() + ": was changed or damaged since the store was closed"
                           : found.error().message) +
                      Remedy(directory));
  }
  return {};
}

base::Status WriteWhole(const fs::path& path, std::string_view text) {
  const base::Descriptor file = Open(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.ok()) return base::SystemFailure(path, "cannot be made");
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return base::SystemFailure(path, "cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Sync(file, path);
}

}  // namespace

base::Status Seal(const fs::path& directory) {
  const auto paths = base::EntriesOf(directory);
  if (!paths) return base::Fail(paths.error().message);
  std::string lines;
  for (const fs::path& path : *paths) {
    if (!IsSealed(path)) continue;
    const base::Descriptor file = Open(path, O_RDONLY);
    if (base::Status synced = Sync(file, path); !synced) return synced;
    const auto line = Describe(file, path);
    if (!line) return base::Fail(line.error().message);
    lines += *line;
  }
  // Under its name it is whole, whatever happens.
  const fs::path draft = directory / (std::string(kSealName) + ".tmp");
  std::error_code error;
  base::Status written = WriteWhole(draft, lines + LastLine(lines));
  if (written) fs::rename(draft, directory / kSealName, error);
  if (written && error) written = base::Fail(draft.string() + ": " + error.message());
  if (!written) {
    fs::remove(draft, error);
    return written;
  }
  return base::SyncDirectory(directory);
}

base::Status CheckSeal(const fs::path& directory) {
  for (;;) {
    const auto seal = ReadSeal(directory);
    if (!seal) return base::Fail(seal.error().message);
    if (!*seal) return {};
    base::Status intact = Verify(directory, **seal);
    if (intact) return intact;
    // A process that opened the store meanwhile broke the seal before it changed anything.
    const auto now = ReadSeal(directory);
    if (now && *now == *seal) return intact;
  }
}

base::Result<bool> BreakSeal(const fs::path& directory) {
  std::error_code error;
  const bool was_there = fs::remove(directory / kSealName, error);
  if (error) return base::Fail((directory / kSealName).string() + ": " + error.message());
  if (!was_there) return false;
  if (base::Status synced = base::SyncDirectory(directory); !synced) {
    return base::Fail(synced.error().message);
  }
  return true;
}

}  // namespace store

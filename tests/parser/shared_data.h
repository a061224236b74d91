#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/read_file.h"

namespace tests {

/// The content of a .zst file, or nothing where the zstd program is not installed.
inline std::optional<std::string> ReadZstd(const std::filesystem::path& path) {
  const std::string command = "zstd -dcq --long=27 '" + path.string() + "' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return std::nullopt;
  std::string content;
  std::vector<char> chunk(1 << 16);
  while (const std::size_t count = fread(chunk.data(), 1, chunk.size(), pipe.get())) {
    content.append(chunk.data(), count);
  }
  if (content.empty()) return std::nullopt;
  return content;
}

/// The regular files of a tar archive: name and bytes.
inline std::vector<std::pair<std::string, std::string>> FilesInTar(std::string_view archive) {
  constexpr std::size_t kBlock = 512;
  std::vector<std::pair<std::string, std::string>> files;
  while (archive.size() >= kBlock && archive[0] != '\0') {
    const auto field = [archive](std::size_t at, std::size_t length) {
      const std::string_view bytes = archive.substr(at, length);
      return std::string(bytes.substr(0, bytes.find('\0')));
    };
    const std::size_t size = std::strtoull(field(124, 12).c_str(), nullptr, 8);
    const char type = archive[156];
    const std::string prefix = archive.substr(257, 5) == "ustar" ? field(345, 155) : "";
    const std::string name = prefix.empty() ? field(0, 100) : prefix + '/' + field(0, 100);
    if (type == '0' || type == '\0') {
      files.emplace_back(name, std::string(archive.substr(kBlock, size)));
    }
    archive.remove_prefix(
        std::min(archive.size(), kBlock + (size + kBlock - 1) / kBlock * kBlock));
  }
  return files;
}

/// Standard base64 with padding, as the shared suites hold exact bytes.
inline std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

}  // namespace tests

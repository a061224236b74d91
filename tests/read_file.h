#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tests {

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace tests

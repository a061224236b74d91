#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace tests {

/// The folder of shared test data (other people's conformance suites, labelled pages) or nothing
/// where it is absent: $CONTENTSEEN_SHARED, else ../shared beside the checkout. A test that needs
/// it says so:
///
///     auto shared = tests::SharedFolder("suites/robots");
///     if (!shared) GTEST_SKIP() << tests::kNoShared;
inline std::optional<std::filesystem::path> SharedFolder(const std::string& inside) {
  const char* named = std::getenv("CONTENTSEEN_SHARED");
  std::filesystem::path folder =
      std::filesystem::path(named != nullptr ? named : CONTENTSEEN_SHARED_DEFAULT) / inside;
  // The suites alone may stand elsewhere.
  if (const char* suites = std::getenv("CONTENTSEEN_SUITES");
      suites != nullptr && inside.rfind("suites", 0) == 0) {
    folder =
        std::filesystem::path(suites) / std::filesystem::path(inside).lexically_relative("suites");
  }
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return std::nullopt;
  return folder;
}

inline constexpr char kNoShared[] =
    "shared test data not found: set CONTENTSEEN_SHARED to its folder to run this test";

}  // namespace tests

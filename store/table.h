#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace store {

/// The tables of a data directory. docs/formats.md describes each to the byte.
enum class Table : std::uint8_t {
  kAbout,      // format version, settings, counters, lengths of the logs
  kDocuments,  // what ContentSeen remembers of each judged page, by document id
  kNames,      // what the logs say of it when it is somebody's original, by document id
  kTexts,      // its text, by document id
  kSeeds,      // the URLs that widen the scope
  kHosts,      // hosts and their origins, by host number
  kQueue,      // URLs not yet done, by host, origin and entry number
  kSeen,       // hashes of the URLs ever accepted, in blocks
  kRobots,     // what each origin's robots.txt answered
};
inline constexpr std::size_t kTables = 9;

/// As it is spelled on disk.
constexpr std::string_view Name(Table table) {
  constexpr std::array<std::string_view, kTables> kNames = {
      "about", "documents", "names", "texts", "seeds", "hosts", "queue", "seen", "robots"};
  return kNames[static_cast<std::size_t>(table)];
}

}  // namespace store

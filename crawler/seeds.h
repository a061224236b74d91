#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "frontier/url.h"

namespace crawler {

/// A line of a seed file that names no URL we can crawl.
struct BadSeed {
  std::string file;
  std::size_t line = 0;  // from 1
  std::string reason;

  /// "seeds.txt:3: no host in \"http://\"".
  std::string Sentence() const { return file + ":" + std::to_string(line) + ": " + reason; }
};

/// What the seed files say.
struct Seeds {
  std::vector<frontier::Url> urls;  // in order, each once
  std::vector<BadSeed> bad;
  std::size_t duplicates = 0;  // lines that repeat an earlier URL
};

/// The longest line of a seed file that is looked at.
inline constexpr std::size_t kSeedLineBytesMax = 16 * 1024;

/// Reads seed files: a URL a line; blank lines, lines that begin with '#', CRLF and a byte-order
/// mark are tolerated, and a line without scheme is taken as https. A bad line is reported in
/// `bad` and the rest goes on. Fails when a file cannot be read or no usable seed is left.
base::Result<Seeds> ReadSeeds(const std::vector<std::string>& files,
                              const frontier::UrlRules& rules);

/// The same for the text of one file; `name` is what reports call it. Never fails.
void ParseSeeds(const std::string& name, const std::string& text, const frontier::UrlRules& rules,
                Seeds& seeds);

}  // namespace crawler

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
  std::string text;  // the line's beginning

  /// "seeds.txt:3: there is no host: http://".
  std::string Sentence() const {
    return file + ":" + std::to_string(line) + ": " + reason + ": " + text;
  }
};

/// What the seed files say.
struct Seeds {
  std::vector<frontier::Url> urls;  // in order, each once
  std::vector<BadSeed> bad;
  std::size_t duplicates = 0;  // lines that repeat an earlier URL
};

/// The longest line of a seed file that is looked at, and the largest file.
inline constexpr std::size_t kSeedLineBytesMax = std::size_t{16} * 1024;
inline constexpr std::size_t kSeedFileBytesMax = std::size_t{1} << 30;

/// Reads seed files: a URL a line; blank lines, lines that begin with '#', CRLF, CR alone and
/// a byte-order mark are tolerated, and a line without scheme is taken as https. A bad line is
/// reported in `bad` and the rest goes on; perhaps no usable one is left. What has a scheme
/// ("https://...", "http:\\...") is no file but a seed itself. Fails when a file cannot be read.
base::Result<Seeds> ReadSeeds(const std::vector<std::string>& names,
                              const frontier::UrlRules& rules);

/// The same for the text of one file; `name` is what reports call it. Never fails.
void ParseSeeds(const std::string& name, const std::string& text, const frontier::UrlRules& rules,
                Seeds& seeds);

/// Whether a seed is meant as a sitemap, whose pages are asked for: its path ends in a name with
/// "sitemap" in it and .xml or .xml.gz behind.
bool IsNamedSitemap(const frontier::Url& seed);

}  // namespace crawler

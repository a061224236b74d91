#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace parser {

/// Bounds on the reading of one sitemap.
struct SitemapLimits {
  /// Bytes read after decompression; sitemaps.org allows 50 MB (52,428,800).
  std::size_t body_bytes_max = std::size_t{50} << 20;
  /// Entries given; sitemaps.org allows 50,000.
  std::size_t urls_max = 50'000;
  /// Bytes of one URL; a longer one is left out.
  std::size_t url_bytes_max = 2'048;
};

/// One line of a sitemap.
struct SitemapEntry {
  /// As written, without white space around it: not resolved, not checked.
  std::string url;
  /// Of <lastmod>, <updated> or <pubDate>, as written; at most 64 bytes, empty when absent.
  std::string modified;

  friend bool operator==(const SitemapEntry&, const SitemapEntry&) = default;
};

/// What a body turned out to be.
enum class SitemapKind : std::uint8_t {
  kUnknown,  // no sitemap
  kUrls,     // <urlset>
  kIndex,    // <sitemapindex>: its entries are sitemaps
  kFeed,     // RSS 0.9x, 1.0, 2.0 or Atom
  kText,     // a URL a line
};

/// How reading ended. Entries given before stand in every case.
enum class SitemapEnd : std::uint8_t {
  kWhole,
  kTooLong,      // body_bytes_max
  kTooMany,      // urls_max
  kBroken,       // XML or gzip that is none, or is cut off
  kDeclaration,  // a DTD: refused, since entities could be anything
  kTooCostly     // XML of more names, or longer tags, than 8 MiB of memory hold
};

/// "unknown", "urls", "index", "feed", "text"; "whole", "too-long", "too-many", "broken",
/// "declaration", "too-costly".
std::string_view Name(SitemapKind kind);
std::string_view Name(SitemapEnd end);

/// Reads a sitemap (sitemaps.org, version 0.9) as its bytes arrive: XML, an RSS or Atom feed, or
/// text, each also compressed by gzip. The body's own beginning tells which.
///
///     parser::SitemapReader reader({}, [&](const parser::SitemapEntry& entry) { Queue(entry); });
///     while (reader.Write(NextBytes())) {}
///     if (reader.Finish() != parser::SitemapEnd::kWhole) ...
///     bool more_sitemaps = reader.kind() == parser::SitemapKind::kIndex;
///
/// Forgiving as crawlers are: namespaces are not looked at, a <sitemap> without <loc> counts by
/// its own text, a <url> of two <loc> as two entries, what precedes a break in the XML stands.
/// Safe as a parser of strangers' XML has to be: reading stops at a DTD, so no entity is ever
/// expanded or fetched; compressed bytes count by what they decode to.
///
/// Thread safety: none. Ownership: `take` is called from Write() and Finish() only.
/// Cost: linear, some 100 MB/s; memory a few hundred KiB, and at most some 8 MiB, whatever the
/// body.
class SitemapReader {
 public:
  using Take = std::function<void(const SitemapEntry&)>;

  SitemapReader(const SitemapLimits& limits, Take take);
  ~SitemapReader();
  SitemapReader(const SitemapReader&) = delete;
  SitemapReader& operator=(const SitemapReader&) = delete;

  /// Takes the next bytes. False when no more are wanted: Finish() says why.
  bool Write(std::string_view bytes);
  /// There are no more bytes. Call it once.
  SitemapEnd Finish();

  SitemapKind kind() const;
  /// Entries given, and those left out because their URL was too long.
  std::size_t entries() const;
  std::size_t dropped() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parser

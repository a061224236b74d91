#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/page/disposition.h"
#include "crawler/page/page.h"
#include "crawler/warc/warc_options.h"
#include "crawler/warc/warc_writer.h"

namespace crawler {

/// A page's records, made and compressed, on their way to a file.
struct ArchivedPage {
  std::vector<WarcMember> members;  // the first is the response or revisit, if that is kept
  /// Why the page was not judged; empty when it was. Only judged pages are copies and originals.
  std::string_view not_judged;
  /// The first is a response, and may turn out a copy of one that another thread has just written.
  bool may_be_copy = false;
  // Of the capture, to make a revisit from then.
  std::string id;
  base::WallTime date{};
  WarcFields fields;
  std::string head;
};

/// The WARC files of a crawl (docs/warc.md): for each response that came, its request and either
/// the response itself or, of a page whose very payload was written before, a revisit record; for
/// each near-duplicate a metadata record that names its original.
///
///     auto archive = PageArchive::Open({.directory = data / kWarcFolder}, options, clock);
///     ArchivedPage records = (*archive)->Prepare(page, disposition, k);          // the work
///     base::Status written = (*archive)->Append(records);                        // a write
///
/// Of pages with one payload exactly the one appended first is written in full, in whatever order
/// threads come by; a revisit refers to a record before it in the series.
///
/// Thread safety: all methods. Cost: mostly compression; see WarcWriter.
class PageArchive {
 public:
  /// `files`: directory and warcinfo fields; the rest is taken from `options`.
  static base::Result<std::unique_ptr<PageArchive>> Open(
      WarcWriterOptions files, const WarcOptions& options, const base::Clock& clock,
      std::optional<WarcPosition> position = std::nullopt);

  /// Makes what there is to keep of `page`, judged with threshold `k`, with an empty list when
  /// there is nothing: the fetcher kept no exchange, or no whole head of a final response came.
  /// The page may then go.
  ArchivedPage Prepare(const Page& page, Disposition disposition, int k) const;
  /// The same for a robots.txt, or a redirect on the way to one.
  ArchivedPage PrepareRobots(const Page& page) const;
  /// Writes it. Fails as WarcWriter::Append() does, and may then be called again.
  base::Status Append(ArchivedPage& page);

  WarcWriter& files() { return *files_; }

 private:
  PageArchive(std::unique_ptr<WarcWriter> files, const WarcOptions& options,
              const base::Clock& clock)
      : files_(std::move(files)), options_(options), clock_(clock) {}

  ArchivedPage Make(const Page& page, Disposition disposition, int k,
                    std::string_view not_judged) const;
  ArchivedPage Begin(const Page& page) const;
  void AddResponse(const Page& page, ArchivedPage& records) const;
  void AddRequest(const Page& page, ArchivedPage& records) const;
  void AddMetadata(const Page& page, Disposition disposition, int k, ArchivedPage& records) const;
  WarcMember Revisit(const ArchivedPage& page, const CdxjEntry& entry,
                     const WarcOriginal& original) const;
  WarcMember Compressed(const WarcRecord& record, bool coded = false) const;

  const std::unique_ptr<WarcWriter> files_;
  const WarcOptions options_;
  const base::Clock& clock_;
};

/// The folder of a data directory that holds the WARC files.
inline constexpr char kWarcFolder[] = "warc";

}  // namespace crawler

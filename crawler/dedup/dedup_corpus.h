#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "crawler/warc/warc_reader.h"

namespace crawler {

/// One thing of a corpus, as it lies there.
struct CorpusItem {
  enum class Form : std::uint8_t {
    kWarc,      // `record`
    kFile,      // `bytes`: a page
    kJsonLine,  // `bytes`: a line without its end
  };
  Form form = Form::kFile;
  /// Whether it may be a document: a WARC file also holds requests and notes, a folder files that
  /// are no pages (they are not opened), JSON lines empty ones.
  bool is_document = true;
  /// A URL or path; empty where only the judge will find one.
  std::string name;
  /// Offset of a record, number of a line (from 1), 0 of a file.
  std::uint64_t place = 0;
  std::string bytes;
  /// `bytes`, or the record's block, is only the beginning.
  bool cut = false;
  WarcReadRecord record;
  /// Corpus::read_bytes() when it was read, where somebody noted it.
  std::uint64_t read_bytes = 0;
};

/// What tells whether a corpus that is read again is still the one that was read: as long as it
/// was, and with its documents in their places.
struct CorpusTrace {
  std::uint64_t documents = 0;
  std::uint64_t places = 0;  // a hash of their names and places
  std::uint64_t bytes = 0;   // Corpus::all_bytes() at its end

  /// The next document.
  void Add(const CorpusItem& item);
  friend bool operator==(const CorpusTrace&, const CorpusTrace&) = default;
};

/// How a file is read, by the end of its name.
enum class PageForm : std::uint8_t { kNone, kHtml, kPlain };

/// kHtml of .html, .htm, .xhtml and .xht, kPlain of .txt and .text, whatever the case; with .gz
/// behind it, or a query as some programs write it ("index.html?x=1"), too. Else kNone.
PageForm PageFormOf(const std::filesystem::path& path);

/// Texts that somebody has collected: a WARC file, a folder of pages, JSON lines.
///
///     auto corpus = OpenCorpus("pages/", 2 << 20);
///     while (std::optional<CorpusItem> item = (*corpus)->Next()) Use(*item);
///
/// Promises: the same items in the same order each time. Thread safety: none. Memory: one item,
/// and the names of the folders under way.
class Corpus {
 public:
  enum class Kind : std::uint8_t { kWarc, kFolder, kJsonLines, kPage };

  virtual ~Corpus() = default;
  /// Nothing at the end, and when it cannot be read further: see status().
  virtual std::optional<CorpusItem> Next() = 0;
  virtual base::Status status() const = 0;
  virtual Kind kind() const = 0;
  /// How far it is read, for showing.
  virtual std::uint64_t read_bytes() const = 0;
  virtual std::uint64_t all_bytes() const = 0;
  /// Damaged pieces that were passed over; files that could not be read.
  virtual std::uint64_t faults() const { return 0; }
  /// What the first of these was, and where: "damaged from byte 1200 on". Empty where none was.
  virtual std::string first_fault() const { return {}; }
  /// Files of a folder that are no pages.
  virtual std::uint64_t passed_over() const { return 0; }
};

/// `item_bytes_max`: kept of one item. What it is shows in its name and its first bytes; fails
/// when it is none of these, a folder without a page, or a pipe, which cannot be read twice.
base::Result<std::unique_ptr<Corpus>> OpenCorpus(const std::filesystem::path& path,
                                                 std::size_t item_bytes_max);

}  // namespace crawler

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
  /// Whether it may be a document: a WARC file also holds requests and notes.
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
  /// Damaged pieces that were passed over.
  virtual std::uint64_t faults() const { return 0; }
};

/// `item_bytes_max`: kept of one item. What it is shows in its name and its first bytes; fails
/// when it is none of these.
base::Result<std::unique_ptr<Corpus>> OpenCorpus(const std::filesystem::path& path,
                                                 std::size_t item_bytes_max);

}  // namespace crawler

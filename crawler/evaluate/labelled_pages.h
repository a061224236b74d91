#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace crawler {

/// A page that somebody judged, and what is known of it before it is read.
struct LabelledPage {
  /// From the pages' folder, e.g. "pages/httpd.apache.org/0001.html".
  std::string path;
  /// Pages with equal ones are of one site; it takes the place of the host.
  std::string site;
  /// "" where unknown.
  std::string lang;
  /// As an HTTP header would give it; "" where unknown.
  std::string charset;
  /// Words of the main text; nothing where unknown.
  std::optional<std::uint64_t> main_words;
};

/// Two pages and what a reader calls them.
struct LabelledPair {
  /// Into LabelledPages::pages.
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// One document met twice; else two documents.
  bool dup = false;
  /// The stratum: "small-edit", "template" ...
  std::string why;
  /// How alike their main texts are, 0..1, by whoever labelled them; nothing where unknown.
  std::optional<double> likeness;
};

/// Pairs of pages with the verdicts that a reader wants.
struct LabelledPages {
  /// First those that stand in a pair, in the order met there; then the other ones of pages.tsv.
  std::vector<LabelledPage> pages;
  /// How many of them stand in a pair.
  std::size_t paired = 0;
  std::vector<LabelledPair> pairs;
  /// Pairs that no label fits; they are left out of every score.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> grey;
};

/// Reads a file of pairs: tables of tab-separated values whose first line names the columns.
///
///     path_a  path_b  label  [why]  [main_sim]      label: dup or distinct
///
/// Beside it may stand `pages.tsv` (path, and any of site, lang, charset, main_tokens) and
/// `grey.tsv` (path_a, path_b). Other columns are passed over. A page that pages.tsv does not know
/// is of the site that its folder names.
///
///     base::Result<LabelledPages> set = ReadLabelledPages("near-duplicates/pairs.tsv");
///     if (!set) return Complain(terminal, set.error().message);
///
/// Fails with file, line and what is wrong there: a column that is missing, a label that is none,
/// a path that leads out of the folder, a pair that stands twice.
///
/// Thread safety: pure but for reading files. Cost: linear; at most kTableBytesMax of each file.
base::Result<LabelledPages> ReadLabelledPages(const std::filesystem::path& pairs);

/// Names of the tables that may stand beside the pairs.
inline constexpr const char* kPagesTable = "pages.tsv";
inline constexpr const char* kGreyTable = "grey.tsv";

/// The largest of these files.
inline constexpr std::size_t kTableBytesMax = std::size_t{256} << 20;

}  // namespace crawler

#include "crawler/evaluate/labelled_pages.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/whole_number.h"
#include "crawler/io/bounded_file.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

base::Result<std::string> ReadTable(const std::filesystem::path& path) {
  base::Result<BoundedFile> file = ReadBoundedFile(path, kTableBytesMax);
  if (!file) return base::Fail(path.string() + ": cannot be opened: " + file.error().message);
  if (file->cut) {
    return base::Fail(fmt::format("{}: has more than {} bytes", path.string(), kTableBytesMax));
  }
  return std::move(file->bytes);
}

/// Takes what stands before the next `separator` off `text`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return taken;
}

/// Lines of cells under named columns.
///
///     for (Rows rows(name, text, columns); rows.Next();) Use(rows.Cell(kPath));
class Rows {
 public:
  /// Column i of ours is the one that is called `names[i]`.
  Rows(const std::filesystem::path& file, std::string_view text,
       std::span<const std::string_view> names)
      : file_(file.string()), text_(text), places_(names.size()), cells_(names.size()) {
    std::string_view heading = TakeLine();
    for (std::size_t place = 0; !heading.empty(); ++place) {
      const std::string_view name = TakeUntil(heading, '\t');
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) places_[i] = place;
      }
    }
  }

  bool Has(std::size_t column) const { return places_[column].has_value(); }

  /// False at the end.
  bool Next() {
    std::string_view line;
    do {
      if (text_.empty()) return false;
      line = TakeLine();
    } while (line.empty());
    std::vector<std::string_view> all;
    while (!line.empty()) all.push_back(TakeUntil(line, '\t'));
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::optional<std::size_t> place = places_[i];
      cells_[i] = place && *place < all.size() ? all[*place] : std::string_view();
    }
    return true;
  }

  /// "" where the column or the cell is missing.
  std::string_view Cell(std::size_t column) const { return cells_[column]; }

  tl::unexpected<base::Error> Fail(const std::string& what) const {
    return base::Fail(fmt::format("{}:{}: {}", file_, line_, what));
  }

 private:
  std::string_view TakeLine() {
    ++line_;
    if (line_ == 1) text_ = WithoutByteOrderMark(text_);
    std::string_view line = TakeUntil(text_, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  const std::string file_;
  std::string_view text_;
  std::size_t line_ = 0;
  std::vector<std::optional<std::size_t>> places_;
  std::vector<std::string_view> cells_;
};

/// What is wrong with a page's path; empty when nothing.
std::string PathFault(std::string_view path) {
  if (path.empty()) return "a path is empty";
  const std::filesystem::path parsed(path);
  bool inside = parsed.is_relative();
  for (const std::filesystem::path& part : parsed) inside = inside && part != "..";
  const std::string quoted = fmt::format("\"{}\"", path);
  return inside ? std::string() : quoted + " leads out of the folder of pages";
}

std::optional<double> ParseReal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Fills a LabelledPages from its three tables.
class Reader {
 public:
  base::Status ReadPairs(const std::filesystem::path& file, std::string_view text);
  base::Status ReadPages(const std::filesystem::path& file, std::string_view text);
  base::Status ReadGrey(const std::filesystem::path& file, std::string_view text);
  LabelledPages Take() { return std::move(set_); }

 private:
  using Ends = std::pair<std::uint32_t, std::uint32_t>;

  /// The two pages that a line names; pages not met before are added.
  base::Result<Ends> EndsOf(const Rows& rows, std::size_t a, std::size_t b);
  std::uint32_t PageAt(std::string_view path);

  LabelledPages set_;
  std::unordered_map<std::string, std::uint32_t> places_;
  /// Smaller number first.
  std::set<Ends> met_;
};

std::uint32_t Reader::PageAt(std::string_view path) {
  const auto [place, added] = places_.emplace(path, static_cast<std::uint32_t>(set_.pages.size()));
  if (added) {
    LabelledPage page;
    page.path = path;
    page.site = std::filesystem::path(path).parent_path().string();
    set_.pages.push_back(std::move(page));
  }
  return place->second;
}

base::Result<Reader::Ends> Reader::EndsOf(const Rows& rows, std::size_t a, std::size_t b) {
  for (const std::string_view path : {rows.Cell(a), rows.Cell(b)}) {
    if (std::string fault = PathFault(path); !fault.empty()) return rows.Fail(fault);
  }
  const Ends ends{PageAt(rows.Cell(a)), PageAt(rows.Cell(b))};
  if (ends.first == ends.second) return rows.Fail("a page is paired with itself");
  if (!met_.insert(std::minmax(ends.first, ends.second)).second) {
    return rows.Fail("this pair has stood before, here or in pairs.tsv");
  }
  return ends;
}

base::Status Reader::ReadPairs(const std::filesystem::path& file, std::string_view text) {
  constexpr std::string_view kNames[] = {"path_a", "path_b", "label", "why", "main_sim"};
  enum { kA, kB, kLabel, kWhy, kMainSim };
  Rows rows(file, text, kNames);
  for (const int column : {kA, kB, kLabel}) {
    if (!rows.Has(column)) {
      return rows.Fail(
          fmt::format("has no column \"{}\"; the first line names the columns, "
                      "separated by tabs",
                      kNames[column]));
    }
  }
  while (rows.Next()) {
    const std::string_view label = rows.Cell(kLabel);
    if (label != "dup" && label != "distinct") {
      return rows.Fail(fmt::format("the label is \"{}\", but must be dup or distinct", label));
    }
    base::Result<Ends> ends = EndsOf(rows, kA, kB);
    if (!ends) return base::Fail(ends.error().message);
    const std::string_view why = rows.Cell(kWhy).empty() ? label : rows.Cell(kWhy);
    set_.pairs.push_back({.a = ends->first,
                          .b = ends->second,
                          .dup = label == "dup",
                          .why = std::string(why),
                          .likeness = ParseReal(rows.Cell(kMainSim))});
  }
  if (set_.pairs.empty()) return rows.Fail("holds no pair");
  set_.paired = set_.pages.size();
  return {};
}

base::Status Reader::ReadPages(const std::filesystem::path& file, std::string_view text) {
  constexpr std::string_view kNames[] = {"path", "site", "lang", "charset", "main_tokens"};
  enum { kPath, kSite, kLang, kCharset, kMainTokens };
  Rows rows(file, text, kNames);
  if (!rows.Has(kPath)) return rows.Fail("has no column \"path\"");
  while (rows.Next()) {
    if (std::string fault = PathFault(rows.Cell(kPath)); !fault.empty()) return rows.Fail(fault);
    LabelledPage& page = set_.pages[PageAt(rows.Cell(kPath))];
    if (!rows.Cell(kSite).empty()) page.site = rows.Cell(kSite);
    page.lang = rows.Cell(kLang);
    page.charset = rows.Cell(kCharset);
    page.main_words = base::WholeNumber<std::uint64_t>(rows.Cell(kMainTokens));
  }
  return {};
}

base::Status Reader::ReadGrey(const std::filesystem::path& file, std::string_view text) {
  constexpr std::string_view kNames[] = {"path_a", "path_b"};
  Rows rows(file, text, kNames);
  if (!rows.Has(0) || !rows.Has(1)) return rows.Fail("has no column \"path_a\" or \"path_b\"");
  while (rows.Next()) {
    base::Result<Ends> ends = EndsOf(rows, 0, 1);
    if (!ends) return base::Fail(ends.error().message);
    set_.grey.push_back(*ends);
  }
  return {};
}

}  // namespace

base::Result<LabelledPages> ReadLabelledPages(const std::filesystem::path& pairs) {
  Reader reader;
  base::Result<std::string> text = ReadTable(pairs);
  if (!text) return base::Fail(text.error().message);
  if (base::Status read = reader.ReadPairs(pairs, *text); !read) {
    return base::Fail(read.error().message);
  }
  struct Beside {
    const char* name;
    base::Status (Reader::*read)(const std::filesystem::path&, std::string_view);
  };
  // Pages first: grey pairs are among them.
  for (const Beside& beside :
       {Beside{kPagesTable, &Reader::ReadPages}, Beside{kGreyTable, &Reader::ReadGrey}}) {
    const std::filesystem::path file = pairs.parent_path() / beside.name;
    std::error_code error;
    if (!std::filesystem::exists(file, error) || std::filesystem::equivalent(file, pairs, error)) {
      continue;
    }
    text = ReadTable(file);
    if (!text) return base::Fail(text.error().message);
    if (base::Status read = (reader.*beside.read)(file, *text); !read) {
      return base::Fail(read.error().message);
    }
  }
  return reader.Take();
}

}  // namespace crawler

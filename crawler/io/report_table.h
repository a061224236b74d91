#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// A table of a report, to be shown on a terminal, in Markdown or in HTML. The first column is on
/// the left, the others are figures.
struct ReportTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  /// What is to be known about it; may be empty.
  std::string note;
};

/// For people at a terminal. Cells are escaped.
std::string TerminalText(std::span<const ReportTable> tables, std::optional<std::size_t> width,
                         bool colours);

/// As Markdown, with headings of the third level.
std::string MarkdownText(std::span<const ReportTable> tables);

/// `text` as HTML shows it: & < > " ' as character references.
std::string HtmlEscaped(std::string_view text);

/// As HTML: h2, table, p.
std::string HtmlText(std::span<const ReportTable> tables);

}  // namespace crawler

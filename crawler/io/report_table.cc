#include "crawler/io/report_table.h"

#include <fmt/format.h>

#include "crawler/io/terminal.h"

namespace crawler {
namespace {

std::string HtmlRow(std::span<const std::string> cells, std::string_view element) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) {
    row += fmt::format("<{0}>{1}</{0}>", element, HtmlEscaped(cell));
  }
  return row + "</tr>\n";
}

/// A cell of a Markdown table cannot hold a bar.
std::string MarkdownRow(std::span<const std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += ' ';
    for (const char c : Escaped(cell)) row += c == '|' ? std::string("\\|") : std::string(1, c);
    row += " |";
  }
  return row + "\n";
}

}  // namespace

std::string TerminalText(std::span<const ReportTable> tables, std::optional<std::size_t> width,
                         bool colours) {
  std::string text;
  for (const ReportTable& table : tables) {
    if (!text.empty()) text += '\n';
    text += Coloured(Escaped(table.title), Colour::kBold, colours) + "\n";
    std::vector<Table::Column> columns;
    for (const std::string& name : table.columns) {
      columns.push_back({.heading = name, .right = !columns.empty()});
    }
    Table rows(std::move(columns));
    for (const std::vector<std::string>& row : table.rows) rows.Add(row);
    text += rows.Text(width, colours);
    if (!table.note.empty()) text += Escaped(table.note) + "\n";
  }
  return text;
}

std::string MarkdownText(std::span<const ReportTable> tables) {
  std::string text;
  for (const ReportTable& table : tables) {
    if (!text.empty()) text += '\n';
    text += "### " + table.title + "\n\n" + MarkdownRow(table.columns) + "|---|";
    for (std::size_t i = 1; i < table.columns.size(); ++i) text += "---:|";
    text += '\n';
    for (const std::vector<std::string>& row : table.rows) text += MarkdownRow(row);
    if (!table.note.empty()) text += "\n" + table.note + "\n";
  }
  return text;
}

std::string HtmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : Escaped(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string HtmlText(std::span<const ReportTable> tables) {
  std::string text;
  for (const ReportTable& table : tables) {
    text += "<h2>" + HtmlEscaped(table.title) +
            "</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>" +
            HtmlRow(table.columns, "th") + "</thead>\n<tbody>\n";
    for (const std::vector<std::string>& row : table.rows) text += HtmlRow(row, "td");
    text += "</tbody></table></div>\n";
    if (!table.note.empty()) text += "<p>" + HtmlEscaped(table.note) + "</p>\n";
  }
  return text;
}

}  // namespace crawler

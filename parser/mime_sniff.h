#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parser {

/// What a body is, as far as a crawler of text cares.
enum class ContentKind : std::uint8_t { kHtml, kXhtml, kPlainText, kOther };

/// "html", "xhtml", "plain-text", "other".
std::string_view Name(ContentKind kind);

/// A MIME type: essence in lower case ("text/html"), parameters in order, names in lower case.
struct MimeType {
  std::string essence;
  std::vector<std::pair<std::string, std::string>> parameters;

  /// The first parameter of that (lower-case) name, or nothing.
  std::string_view Parameter(std::string_view name) const;
  /// As the MIME Sniffing Standard serialises it.
  std::string Serialize() const;
};

/// Parses one MIME type (MIME Sniffing Standard, section 4.4). Returns false, `out` untouched,
/// where the standard says failure. Of the parameters only the first 32 count.
///
/// Thread safety: yes. Cost: linear.
bool ParseMimeType(std::string_view input, MimeType* out);

/// The verdict on a body.
struct Sniffed {
  ContentKind kind = ContentKind::kOther;
  /// MIME essence, sniffed or as declared, e.g. "text/html", "application/pdf"; for statistics.
  std::string type;

  friend bool operator==(const Sniffed&, const Sniffed&) = default;
};

/// What a response is, from its Content-Type header and the first 512 bytes of its body.
///
///     parser::Sniffed sniffed = parser::SniffContent("text/html; charset=utf-8", body);
///     if (sniffed.kind == parser::ContentKind::kOther) return NotText(sniffed.type);
///
/// A missing or unusable header means the body decides (MIME Sniffing Standard, sections 5 and
/// 7). A declared text type whose first 512 bytes hold binary data bytes (NUL above all) is
/// kOther, "application/octet-stream", unless a byte order mark or the zero-byte pattern of
/// UTF-16 explains them. text/plain whose bytes begin like HTML stays plain text: the standard
/// forbids the promotion.
///
/// Thread safety: yes. Cost: linear in the header; of the body at most 512 bytes are read.
Sniffed SniffContent(std::string_view content_type_header, std::string_view body);

}  // namespace parser

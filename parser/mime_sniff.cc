#include "parser/mime_sniff.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "parser/charset.h"

namespace parser {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSniffedBytes = 512;
constexpr std::size_t kParametersMax = 32;

/// An HTTP token code point (MIME Sniffing Standard, section 3).
bool IsToken(char c) {
  return base::IsAlphanumeric(c) || "!#$%&'*+-.^_`|~"sv.find(c) != std::string_view::npos;
}

bool IsTokens(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsToken);
}

/// An HTTP quoted-string token code point: TAB, printable ASCII, and all above it.
bool IsQuotable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
}

constexpr std::string_view kHttpSpace = " \t\n\r";  // the Fetch Standard's HTTP whitespace

/// Cuts a quoted string off `*rest`, which begins with the quote, and returns its value (Fetch
/// Standard, "collect an HTTP quoted string"). An unterminated one ends with the input.
std::string TakeQuotedString(std::string_view* rest) {
  std::string value;
  rest->remove_prefix(1);
  while (!rest->empty() && rest->front() != '"') {
    if (rest->front() == '\\' && rest->size() > 1) rest->remove_prefix(1);
    value += rest->front();
    rest->remove_prefix(1);
  }
  if (!rest->empty()) rest->remove_prefix(1);
  return value;
}

/// Takes "name=value" from the start of `*rest`, which follows a ';'. False when it counts for
/// nothing.
bool TakeParameter(std::string_view* rest, std::string* name, std::string* value) {
  rest->remove_prefix(std::min(rest->find_first_not_of(kHttpSpace), rest->size()));
  const std::size_t end = std::min(rest->find_first_of(";="), rest->size());
  *name = base::ToLower(rest->substr(0, end));
  rest->remove_prefix(end);
  if (rest->empty() || rest->front() == ';') return false;
  rest->remove_prefix(1);
  if (rest->starts_with('"')) {
    *value = TakeQuotedString(rest);
    rest->remove_prefix(std::min(rest->find(';'), rest->size()));
  } else {
    std::string_view plain = rest->substr(0, rest->find(';'));
    rest->remove_prefix(plain.size());
    plain = plain.substr(0, plain.find_last_not_of(kHttpSpace) + 1);
    if (plain.empty()) return false;
    *value = plain;
  }
  return IsTokens(*name) && std::all_of(value->begin(), value->end(), IsQuotable);
}

/// A binary data byte: none of them stands in text (section 3).
bool IsBinary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) ||
         (byte >= 0x1C && byte <= 0x1F);
}

bool HasMark(std::string_view body) { return ChooseByMark(body).encoding != Encoding::kUnknown; }

/// Rules for distinguishing text from binary (section 7.2).
std::string_view TextOrBinary(std::string_view start) {
  if (HasMark(start) || Utf16ByZeroBytes(start) != Encoding::kUnknown) return "text/plain";
  return std::any_of(start.begin(), start.end(), IsBinary) ? "application/octet-stream"
                                                           : "text/plain";
}

/// Does `text` begin with an opening that only HTML has (section 7.1, the first table)?
bool BeginsLikeHtml(std::string_view text) {
  constexpr std::array kOpenings = {"<!DOCTYPE HTML"sv,
                                    "<HTML"sv,
                                    "<HEAD"sv,
                                    "<SCRIPT"sv,
                                    "<IFRAME"sv,
                                    "<H1"sv,
                                    "<DIV"sv,
                                    "<FONT"sv,
                                    "<TABLE"sv,
                                    "<A"sv,
                                    "<STYLE"sv,
                                    "<TITLE"sv,
                                    "<B"sv,
                                    "<BODY"sv,
                                    "<BR"sv,
                                    "<P"sv,
                                    "<!--"sv};
  return std::any_of(kOpenings.begin(), kOpenings.end(), [text](std::string_view opening) {
    return base::StartsWithIgnoreCase(text, opening) && text.size() > opening.size() &&
           (text[opening.size()] == ' ' || text[opening.size()] == '>');
  });
}

/// A document that no server means by text, though no byte of it may be binary.
bool IsPrinted(std::string_view start) {
  return start.starts_with("%PDF-") || start.starts_with("%!PS-Adobe-");
}

struct Magic {
  std::string_view bytes;
  std::string_view type;
};

/// Types known by their first bytes (sections 6 and 7.1), most frequent first.
constexpr std::array kMagics = {
    Magic{"%PDF-"sv, "application/pdf"sv},
    Magic{"%!PS-Adobe-"sv, "application/postscript"sv},
    Magic{"\x89PNG\r\n\x1A\n"sv, "image/png"sv},
    Magic{"\xFF\xD8\xFF"sv, "image/jpeg"sv},
    Magic{"GIF87a"sv, "image/gif"sv},
    Magic{"GIF89a"sv, "image/gif"sv},
    Magic{"BM"sv, "image/bmp"sv},
    Magic{"\0\0\1\0"sv, "image/x-icon"sv},
    Magic{"\0\0\2\0"sv, "image/x-icon"sv},
    Magic{"\x1F\x8B\x08"sv, "application/x-gzip"sv},
    Magic{"PK\3\4"sv, "application/zip"sv},
    Magic{"Rar \x1A\7\0"sv, "application/x-rar-compressed"sv},
    Magic{"OggS\0"sv, "application/ogg"sv},
    Magic{"\x1A\x45\xDF\xA3"sv, "video/webm"sv},
    Magic{"ID3"sv, "audio/mpeg"sv},
    Magic{"MThd\0\0\0\6"sv, "audio/midi"sv},
    Magic{"wOFF"sv, "font/woff"sv},
    Magic{"wOF2"sv, "font/woff2"sv},
    Magic{"OTTO"sv, "font/otf"sv},
};

/// Rules for identifying an unknown type (section 7.1).
std::string_view UnknownType(std::string_view start) {
  std::string_view text = start;
  while (!text.empty() && base::IsSpace(text.front())) text.remove_prefix(1);
  if (BeginsLikeHtml(text)) return "text/html";
  if (text.starts_with("<?xml")) return "text/xml";
  for (const Magic& magic : kMagics) {
    if (start.starts_with(magic.bytes)) return magic.type;
  }
  if (start.starts_with("RIFF") && start.size() >= 12) {
    if (start.substr(8, 4) == "WEBP") return "image/webp";
    if (start.substr(8, 4) == "WAVE") return "audio/wave";
    if (start.substr(8, 4) == "AVI ") return "video/avi";
  }
  if (start.size() >= 12 && start.substr(4, 4) == "ftyp") return "video/mp4";
  return TextOrBinary(start);
}

/// A feed that calls itself HTML (section 7.3, "rules for distinguishing if a resource is a feed
/// or HTML"), or "text/html".
std::string_view FeedOrHtml(std::string_view text) {
  text.remove_prefix(ChooseByMark(text).mark_bytes);
  const auto skip_past = [&text](std::string_view mark) {
    const std::size_t found = text.find(mark);
    text.remove_prefix(found == std::string_view::npos ? text.size() : found + mark.size());
  };
  for (;;) {
    while (!text.empty() && base::IsSpace(text.front())) text.remove_prefix(1);
    if (text.starts_with("<!--")) {
      skip_past("-->");
    } else if (text.starts_with("<!")) {
      skip_past(">");
    } else if (text.starts_with("<?")) {
      skip_past("?>");
    } else {
      break;
    }
  }
  if (text.starts_with("<rss")) return "application/rss+xml";
  if (text.starts_with("<feed")) return "application/atom+xml";
  if (text.starts_with("<rdf:RDF") &&
      text.find("http://purl.org/rss/1.0/") != std::string_view::npos &&
      text.find("http://www.w3.org/1999/02/22-rdf-syntax-ns#") != std::string_view::npos) {
    return "application/rss+xml";
  }
  return "text/html";
}

/// Headers that an old Apache sent for files it knew nothing about (section 5.1).
bool IsApacheDefault(std::string_view header) {
  return header == "text/plain" || header == "text/plain; charset=ISO-8859-1" ||
         header == "text/plain; charset=iso-8859-1" || header == "text/plain; charset=UTF-8";
}

/// Is an XML document a page? Its root is <html> then, and stands early.
bool IsXhtml(std::string_view start) { return start.find("<html") != std::string_view::npos; }

std::string SniffedType(std::string_view header, std::string_view start) {
  MimeType declared;
  const bool known = ParseMimeType(header, &declared) && declared.essence != "unknown/unknown" &&
                     declared.essence != "application/unknown" && declared.essence != "*/*";
  // The standard believes "text/html" and "text/plain" here; a crawler has no use for such text.
  const bool text = declared.essence == "text/html" || declared.essence == "text/plain";
  if (!known || (text && IsPrinted(start))) return std::string(UnknownType(start));
  if (declared.essence == "text/html") {
    const bool utf16 = HasMark(start) || Utf16ByZeroBytes(start) != Encoding::kUnknown ||
                       base::StartsWithIgnoreCase(declared.Parameter("charset"), "utf-16");
    if (!utf16 && start.find('\0') != std::string_view::npos) return "application/octet-stream";
    return std::string(FeedOrHtml(start));
  }
  // The standard sniffs text/plain only under Apache's old defaults; a crawler has no use for
  // binary bytes under any text/plain.
  if (declared.essence == "text/plain" &&
      (IsApacheDefault(header) || start.find('\0') != std::string_view::npos)) {
    return std::string(TextOrBinary(start));
  }
  return declared.essence;
}

}  // namespace

std::string_view Name(ContentKind kind) {
  switch (kind) {
    case ContentKind::kHtml:
      return "html";
    case ContentKind::kXhtml:
      return "xhtml";
    case ContentKind::kPlainText:
      return "plain-text";
    case ContentKind::kOther:
      break;
  }
  return "other";
}

std::string_view MimeType::Parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

std::string MimeType::Serialize() const {
  std::string text = essence;
  for (const auto& [name, value] : parameters) {
    text += ';' + name + '=';
    if (IsTokens(value)) {
      text += value;
      continue;
    }
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text;
}

bool ParseMimeType(std::string_view input, MimeType* out) {
  input = base::Trim(input, kHttpSpace);
  const std::size_t slash = input.find('/');
  if (slash == std::string_view::npos || !IsTokens(input.substr(0, slash))) return false;
  std::string_view rest = input.substr(slash + 1);
  std::string_view subtype = rest.substr(0, rest.find(';'));
  rest.remove_prefix(subtype.size());
  subtype = base::Trim(subtype, kHttpSpace);
  if (!IsTokens(subtype)) return false;

  out->essence = base::ToLower(input.substr(0, slash + 1)) + base::ToLower(subtype);
  out->parameters.clear();
  std::string name;
  std::string value;
  while (!rest.empty() && out->parameters.size() < kParametersMax) {
    rest.remove_prefix(1);  // ';'
    if (!TakeParameter(&rest, &name, &value)) continue;
    const bool repeated = std::any_of(out->parameters.begin(), out->parameters.end(),
                                      [&name](const auto& one) { return one.first == name; });
    if (!repeated) out->parameters.emplace_back(name, value);
  }
  return true;
}

Sniffed SniffContent(std::string_view content_type_header, std::string_view body) {
  const std::string_view start = body.substr(0, kSniffedBytes);
  Sniffed sniffed;
  sniffed.type = SniffedType(content_type_header, start);
  if (sniffed.type == "text/html") {
    sniffed.kind = ContentKind::kHtml;
  } else if (sniffed.type == "text/plain") {
    sniffed.kind = ContentKind::kPlainText;
  } else if (sniffed.type == "application/xhtml+xml" ||
             ((sniffed.type == "text/xml" || sniffed.type == "application/xml") &&
              IsXhtml(start))) {
    sniffed.kind = ContentKind::kXhtml;
  }
  return sniffed;
}

}  // namespace parser

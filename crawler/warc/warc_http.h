#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawler {

/// The HTTP response in a record's block.
struct WarcHttp {
  int status = 0;
  /// Names in lower case, values trimmed, in their order.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Head with its empty line, and what stands behind it; views of the block.
  std::string_view head;
  std::string_view body;

  /// The first header of that (lower-case) name; empty where there is none.
  std::string_view Header(std::string_view name) const;
};

/// Reads a response; nothing where the block holds none that a careful client would take; but one
/// with `refused_too` whose head is whole and refused for what it says of the body.
/// Ownership: views of `block`.
std::optional<WarcHttp> ParseWarcHttp(std::string_view block, bool refused_too = false);

/// The media type that a Content-Type names, without its parameters.
std::string MediaType(std::string_view content_type);

/// `body` with chunks joined (RFC 9112 section 7.1); nothing when it is not chunked, as in the
/// many archives that left the header and took the chunks apart. Behind the last chunk only fields
/// and line ends may stand: a text whose first line is "0" is none.
std::optional<std::string> JoinedChunks(std::string_view body);

}  // namespace crawler

#include "crawler/warc/warc_http.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/whole_number.h"
#include "crawler/fetch/response_head.h"

namespace crawler {
namespace {

constexpr std::size_t kHeadBytesMax = std::size_t{256} << 10;

// Whether it is what may follow the last chunk: fields and empty lines, nothing behind the latter.
bool IsTrailer(std::string_view rest) {
  bool ended = false;
  while (!rest.empty()) {
    const std::size_t newline = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(std::min(newline + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) {
      ended = true;
      continue;
    }
    const std::size_t colon = line.find_first_of(": \t<>\"(),/;=?@[\\]{}");
    if (ended || colon == 0 || colon == line.npos || line[colon] != ':') return false;
  }
  return true;
}

}  // namespace

std::string_view WarcHttp::Header(std::string_view name) const {
  auto found = std::find_if(headers.begin(), headers.end(),
                            [name](const auto& header) { return header.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<WarcHttp> ParseWarcHttp(std::string_view block, bool refused_too) {
  ResponseHead head;
  head.Start(kHeadBytesMax);
  std::size_t at = 0;
  while (!head.ended()) {
    const std::size_t newline = block.find('\n', at);
    if (newline == std::string_view::npos) return std::nullopt;
    const FetchError error = head.AddLine(block.substr(at, newline + 1 - at));
    const bool passes = error == FetchError::kNone || (refused_too && head.ended());
    if (!passes) return std::nullopt;
    at = newline + 1;
  }
  WarcHttp http;
  http.status = head.status();
  http.headers = head.TakeFields();
  http.head = block.substr(0, at);
  http.body = block.substr(at);
  return http;
}

std::string MediaType(std::string_view content_type) {
  return std::string(content_type.substr(0, content_type.find_first_of("; \t")));
}

std::optional<std::string> JoinedChunks(std::string_view body) {
  std::string joined;
  for (;;) {
    const std::size_t newline = body.find('\n');
    if (newline == std::string_view::npos) return std::nullopt;
    std::string_view line = body.substr(0, newline);
    line = line.substr(0, line.find_first_of("\r; "));
    const auto size = base::WholeNumber<std::uint64_t>(line, 16);
    if (!size) return std::nullopt;
    body.remove_prefix(newline + 1);
    if (*size == 0) return IsTrailer(body) ? std::optional(std::move(joined)) : std::nullopt;
    if (*size > body.size()) return std::nullopt;
    joined.append(body.substr(0, *size));
    body.remove_prefix(*size);
    if (body.starts_with("\r\n")) {
      body.remove_prefix(2);
    } else if (body.starts_with('\n')) {
      body.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
}

}  // namespace crawler

// First line: a Content-Type; the rest: a body. What html_parser.h promises of any bytes.

#include "base/check.h"
#include "fuzz/fuzz_input.h"
#include "parser/html_parser.h"
#include "parser/mime_sniff.h"
#include "parser/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string_view type = input.Line();
  const std::string_view body = input.Rest();
  const auto sniffed = parser::SniffContent(type, body);

  static parser::HtmlParser* const reader = [] {
    parser::ParseOptions options;
    options.depth_max = 64;
    options.links_max = 50;
    return new parser::HtmlParser(options);  // kept, as a crawl's thread keeps its own
  }();
  const parser::Document page = reader->Parse(body, {.content_type = type, .kind = sniffed.kind});
  CHECK(parser::IsWellFormedUtf8(page.text) && parser::IsWellFormedUtf8(page.title));
  CHECK(page.links.size() <= 50);
  for (const parser::Link& link : page.links) {
    CHECK(!link.href.empty() && parser::IsWellFormedUtf8(link.href));
  }
  std::size_t end = 0;
  for (const parser::TextBlock& block : page.blocks) {
    CHECK(block.length > 0 && block.link_bytes <= block.length);
    CHECK(block.offset == (end == 0 ? 0 : end + 1));
    end = block.offset + block.length;
  }
  CHECK(end == page.text.size());
  return 0;
}

// First line: a Content-Type; the rest: a body. What html_parser.h promises of any bytes, CPU time
// included; and that the prefilter changes nothing that is read.

#include <time.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/check.h"
#include "fuzz/fuzz_input.h"
#include "parser/html_parser.h"
#include "parser/mime_sniff.h"
#include "parser/prefilter.h"
#include "parser/utf8.h"

namespace {

constexpr std::uint32_t kDepthMax = 64;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

parser::HtmlParser* NewParser(bool prefilter) {
  parser::ParseOptions options;
  options.depth_max = kDepthMax;
  options.links_max = 50;
  options.prefilter = prefilter;
  return new parser::HtmlParser(options);
}

void Check(const parser::Document& page) {
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
}

bool HasTag(std::string_view body, std::string_view tag) {
  return std::search(body.begin(), body.end(), tag.begin(), tag.end(),
                     [](char a, char b) { return base::ToLower(a) == b; }) != body.end();
}

/// Are there more than three formatting elements of a kind with attributes? Of those that are
/// alike without what is left out Gumbo opens three again.
bool MayLoseFormatting(std::string_view body) {
  constexpr std::array<std::string_view, 13> kFormatting = {
      "<b", "<big",   "<code",   "<em",     "<font", "<i", "<nobr",
      "<s", "<small", "<strike", "<strong", "<tt",   "<u"};
  return std::any_of(kFormatting.begin(), kFormatting.end(), [body](std::string_view tag) {
    std::size_t count = 0;
    for (std::size_t at = 0; at + tag.size() < body.size(); ++at) {
      const char after = body[at + tag.size()];
      if (body[at] != '<' || (!base::IsSpace(after) && after != '/')) continue;
      count += base::EqualsIgnoreCase(body.substr(at, tag.size()), tag) ? 1 : 0;
    }
    return count > 3;
  });
}

/// Where SVG and MathML end is told from the tags alone, and <frameset> and <select> ignore tags
/// behind which there would be raw text: Gumbo may see what is left out otherwise there. Of an
/// attribute whose name begins with NUL Gumbo forgets that character, against the standard. Tags
/// are found only in encodings in which ASCII is itself.
bool MustBeAlike(std::string_view body, const parser::Document& a, const parser::Document& b) {
  const bool full = a.outcome == parser::ParseOutcome::kFull && b.outcome == a.outcome;
  const bool ascii = a.charset == "UTF-8" || a.charset == "windows-1252";
  constexpr std::array<std::string_view, 4> kOdd = {"<svg", "<math", "<frameset", "<select"};
  return full && ascii && body.find('\0') == std::string_view::npos && !MayLoseFormatting(body) &&
         std::none_of(kOdd.begin(), kOdd.end(), [body](auto tag) { return HasTag(body, tag); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string_view type = input.Line();
  const std::string_view body = input.Rest();
  const auto sniffed = parser::SniffContent(type, body);

  // Its buffer is as long as this body: what runs over its end is seen.
  parser::Prefilter prefilter({.depth_max = kDepthMax});
  const bool shallow = prefilter.Run(body, sniffed.kind == parser::ContentKind::kXhtml);
  CHECK(!shallow || prefilter.output().data()[prefilter.output().size()] == '\0');

  // Kept, as a crawl's thread keeps its own.
  static parser::HtmlParser* const filtered = NewParser(true);
  static parser::HtmlParser* const bare = NewParser(false);
  const parser::ParseHints hints{.content_type = type, .kind = sniffed.kind};
  const double begin = CpuSeconds();
  const parser::Document page = filtered->Parse(body, hints);
  // A budget of 0.2 s, and what goes by the byte, with the sanitizers' share.
  CHECK(CpuSeconds() - begin < 2);
  const parser::Document other = bare->Parse(body, hints);
  Check(page);
  Check(other);
  CHECK(page.fallback_reason != parser::FallbackReason::kFault);
  if (!MustBeAlike(body, page, other)) return 0;
  CHECK(page.text == other.text && page.title == other.title && page.links == other.links);
  CHECK(page.lang == other.lang && page.base_href == other.base_href);
  CHECK(page.canonical_href == other.canonical_href);
  CHECK(page.noindex == other.noindex && page.nofollow == other.nofollow);
  return 0;
}

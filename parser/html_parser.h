#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "parser/document.h"
#include "parser/mime_sniff.h"

namespace parser {

/// Bounds of one parse, and who is asking.
struct ParseOptions {
  /// Memory for the tree of one page; 1 MiB to 4 GiB.
  std::size_t memory_bytes_max = std::size_t{64} << 20;
  /// CPU time of the calling thread for building one tree; 0 gives every page to the fallback.
  std::chrono::microseconds cpu_time_max{200'000};
  /// Bytes given to Gumbo, counted behind the prefilter (Gumbo asks for no memory within a text,
  /// so the two bounds above cannot stop it there).
  std::size_t tree_input_bytes_max = std::size_t{8} << 20;
  /// Nested elements; 1 to 4,096. (Blink and WebKit stop at 512 as well.)
  std::uint32_t depth_max = 512;
  /// Attributes of one tag that are looked at.
  std::uint32_t attributes_max = 256;
  /// Distinct links kept of one page.
  std::uint32_t links_max = 2'000;
  /// Bytes of one href; a longer one is counted and dropped.
  std::uint32_t href_bytes_max = 8'192;
  /// <meta name=...> other than "robots" that speaks to us; compared without case.
  std::string product_token = "contentseen";
  /// Feed Gumbo only the bytes that can matter (see prefilter.h). Off: for comparison only.
  bool prefilter = true;
};

/// What is known of a body before it is read.
struct ParseHints {
  /// The Content-Type header as received, or nothing; its charset parameter is used.
  std::string_view content_type;
  /// As SniffContent() found it. kOther is read as HTML.
  ContentKind kind = ContentKind::kHtml;
};

/// Reads pages: bytes of any encoding, HTML of any quality, to a Document.
///
///     parser::HtmlParser parser;                       // one per thread, kept
///     parser::Sniffed sniffed = parser::SniffContent(content_type, body);
///     parser::Document page = parser.Parse(body, {content_type, sniffed.kind});
///     index.Add(page.text);
///     for (const parser::Link& link : page.links) Follow(link);
///
/// Promises: any bytes give a Document; memory and CPU time of the tree stay within ParseOptions,
/// and what is done before and behind it takes time by the byte; the stack does not grow with the
/// page. A page that exceeds a bound is read by a plain scan of its tags instead and marked
/// (Document::outcome).
///
/// Visible text is what a browser without style sheets would show: not <script>, <style>,
/// <template>, <noscript>, comments, values of form controls, what stands in <iframe>, <video>,
/// <audio>, <canvas> and <applet> for browsers that do not know them (in <object>
/// it is text), nor elements hidden by `hidden`, `display:none` or `visibility:hidden` in their
/// own style attribute, nor <dialog> without `open`. `aria-hidden` hides nothing (it speaks to
/// screen readers), and an image's alt text is not judged. A <template shadowrootmode>, which a
/// browser shows in the place of its parent's content, is left out like any other. Block elements
/// separate words, inline ones do not. Links in hidden elements are links; those in <template> and
/// <noscript> are not (pages are read as a browser that runs scripts reads them, where <noscript>
/// is one string), nor is a <link rel=alternate> whose type no page has: a feed, or the page as
/// JSON.
///
/// Thread safety: none; one object per thread.
/// Ownership: keeps its arena and converters between calls; a Document owns its data.
/// Cost: see docs/performance.md; about 25 times less per byte for script and style than for text.
class HtmlParser {
 public:
  explicit HtmlParser(ParseOptions options = {});
  ~HtmlParser();
  HtmlParser(const HtmlParser&) = delete;
  HtmlParser& operator=(const HtmlParser&) = delete;

  /// Reads `body`. Never fails.
  Document Parse(std::string_view body, const ParseHints& hints = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parser

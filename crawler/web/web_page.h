#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// What a page is put together of: files of the folder web/ by their names, and what changes.
struct WebPageParts {
  /// Plain words: no markup.
  std::string_view title;
  std::vector<std::string_view> styles;
  std::vector<std::string_view> scripts;
  /// JSON for the script.
  std::string_view data = "null";
  /// Whether the script may ask the server it came from.
  bool connects = false;
};

/// One file with its style, its script and its data, that needs nothing else.
///
///     std::string html = WebPage({.title = "Report", .styles = {"common.css"},
///                                 .scripts = {"dom.js", "report.js"}, .data = json});
///
/// Every page is page.html around a body, and of those that a script draws the body is drawn.html.
/// In both, {{style}}, {{script}} and {{data}} stand for those, and {{policy}} for the content
/// security policy: only this style and this script, named by their digests, are let run, nothing
/// is loaded from anywhere, and whatever a crawled page managed to smuggle in stays text. The data
/// is written so that nothing in it can end its element.
///
/// Thread safety: pure. Cost: linear.
std::string WebPage(const WebPageParts& parts);

/// The same without script, around a body of markup.
std::string WebPage(std::string_view title, const std::vector<std::string_view>& styles,
                    std::string_view body);

/// The policy by itself, for a header.
std::string WebPagePolicy(const WebPageParts& parts);

/// A file of the folder crawler/web/, built into the program. REQUIRES: it exists.
std::string_view WebFile(std::string_view name);

}  // namespace crawler

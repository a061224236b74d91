#include "crawler/web/web_page.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "base/check.h"
#include "contentseen/digest.h"
#include "crawler/web/web_files.h"

namespace crawler {
namespace {

/// RFC 4648 section 4, as content security policies write digests.
std::string Base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? bytes[i + j] : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string Joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) text += WebFile(name);
  return text;
}

std::string Source(const std::string& text) {
  return "'sha256-" + Base64(contentseen::Sha256(text).bytes) + "'";
}

std::string Policy(const std::string& style, const std::string& script, bool connects) {
  return "default-src 'none'; script-src " + Source(script) + "; style-src " + Source(style) +
         "; img-src data:; base-uri 'none'; form-action 'none'" +
         (connects ? "; connect-src 'self'" : "");
}

/// JSON in which nothing looks like markup.
std::string Harmless(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json) {
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

/// The file `name` with a value for each {{word}} in it.
std::string Filled(std::string_view name, const std::map<std::string_view, std::string>& values) {
  std::string_view html = WebFile(name);
  std::string page;
  // One pass: what is put in is not looked at again.
  while (true) {
    const std::size_t open = html.find("{{");
    page += html.substr(0, open);
    if (open == html.npos) return page;
    const std::size_t close = html.find("}}", open);
    const auto value = values.find(html.substr(open + 2, close - open - 2));
    CHECK(value != values.end());
    page += value->second;
    html.remove_prefix(close + 2);
  }
}

std::string Page(const WebPageParts& parts, std::string body) {
  return Filled("page.html", {{"title", std::string(parts.title)},
                              {"policy", WebPagePolicy(parts)},
                              {"style", Joined(parts.styles)},
                              {"body", std::move(body)}});
}

}  // namespace

std::string WebPage(const WebPageParts& parts) {
  return Page(parts, Filled("drawn.html",
                            {{"data", Harmless(parts.data)}, {"script", Joined(parts.scripts)}}));
}

std::string WebPage(std::string_view title, const std::vector<std::string_view>& styles,
                    std::string_view body) {
  return Page({.title = title, .styles = styles, .scripts = {}}, std::string(body));
}

std::string WebPagePolicy(const WebPageParts& parts) {
  return Policy(Joined(parts.styles), Joined(parts.scripts), parts.connects);
}

std::string_view WebFile(std::string_view name) {
  for (const web::File& file : web::Files()) {
    if (file.name == name) return file.bytes;
  }
  CHECK(false);
}

}  // namespace crawler

#include "parser/tag_reader.h"

#include <algorithm>

#include "base/ascii.h"

namespace parser {
namespace {

bool EndsTagName(char c) { return base::IsSpace(c) || c == '/' || c == '>'; }

std::size_t FindFrom(std::string_view html, char c, std::size_t at) {
  return std::min(html.find(c, at), html.size());
}

/// Does the end tag of `name` stand at html[at]?
bool IsEndTagOf(std::string_view html, std::size_t at, std::string_view name) {
  const std::string_view rest = html.substr(at);
  if (!rest.starts_with("</") || !base::StartsWithIgnoreCase(rest.substr(2), name)) return false;
  return rest.size() == 2 + name.size() || EndsTagName(rest[2 + name.size()]);
}

/// Script data with its two escapes (sections 13.2.5.15 to 13.2.5.31): after "<!--", a "<script"
/// makes the next "</script" part of the text; "-->" ends both.
std::size_t EndOfScript(std::string_view html, std::size_t at) {
  constexpr std::string_view kName = "script";
  bool escaped = false;
  bool twice = false;
  while (at < html.size()) {
    const std::size_t open = FindFrom(html, '<', at);
    if (escaped && html.substr(at, open - at).find("-->") != std::string_view::npos) {
      escaped = twice = false;
    }
    at = open;
    const std::string_view rest = html.substr(at);
    if (!escaped && rest.starts_with("<!--")) {
      escaped = true;
      at += 2;  // "<!-->" opens and closes the escape: its dashes count twice
      continue;
    }
    if (IsEndTagOf(html, at, kName)) {
      if (!twice) return at;
      twice = false;
    } else if (escaped && !twice && rest.size() > 7 &&
               base::StartsWithIgnoreCase(rest.substr(1), kName) && EndsTagName(rest[7])) {
      twice = true;
    }
    ++at;
  }
  return html.size();
}

}  // namespace

TagReader::TagReader(std::string_view html, std::size_t at) : html_(html), at_(at + 1) {
  if (at_ < html_.size() && html_[at_] == '/') ++at_;
  const std::size_t begin = at_;
  while (at_ < html_.size() && !EndsTagName(html_[at_])) ++at_;
  name_ = html_.substr(begin, at_ - begin);
}

bool TagReader::NextAttribute() {
  bool slash = false;
  while (at_ < html_.size() && (base::IsSpace(html_[at_]) || html_[at_] == '/')) {
    slash = html_[at_++] == '/';
  }
  if (at_ >= html_.size()) return false;
  if (html_[at_] == '>') {
    ++at_;
    complete_ = true;
    self_closing_ = slash;
    return false;
  }
  const std::size_t begin = at_++;  // a leading '=' belongs to the name
  while (at_ < html_.size() && !EndsTagName(html_[at_]) && html_[at_] != '=') ++at_;
  attribute_name_ = html_.substr(begin, at_ - begin);
  attribute_text_ = attribute_name_;
  raw_value_ = {};
  std::size_t next = at_;
  while (next < html_.size() && base::IsSpace(html_[next])) ++next;
  if (next < html_.size() && html_[next] == '=') {
    at_ = next + 1;
    ReadValue();
    attribute_text_ = html_.substr(begin, at_ - begin);
  }
  return true;
}

void TagReader::ReadValue() {
  while (at_ < html_.size() && base::IsSpace(html_[at_])) ++at_;
  if (at_ >= html_.size()) return;
  if (const char quote = html_[at_]; quote == '"' || quote == '\'') {
    const std::size_t end = FindFrom(html_, quote, at_ + 1);
    raw_value_ = html_.substr(at_ + 1, end - at_ - 1);
    at_ = std::min(end + 1, html_.size());
    return;
  }
  const std::size_t begin = at_;
  while (at_ < html_.size() && !base::IsSpace(html_[at_]) && html_[at_] != '>') ++at_;
  raw_value_ = html_.substr(begin, at_ - begin);
}

std::size_t EndOfComment(std::string_view html, std::size_t at) {
  at += 4;
  if (html.substr(at).starts_with(">")) return at + 1;
  if (html.substr(at).starts_with("->")) return at + 2;
  for (;;) {
    const std::size_t dashes = html.find("--", at);
    if (dashes == std::string_view::npos) return html.size();
    const std::string_view rest = html.substr(dashes + 2);
    if (rest.starts_with(">")) return dashes + 3;
    if (rest.starts_with("!>")) return dashes + 4;
    at = dashes + 1;
  }
}

std::size_t EndOfRawText(std::string_view html, std::size_t at, const ElementTraits& traits) {
  if (traits.content == Content::kPlaintext) return html.size();
  if (traits.content == Content::kScript) return EndOfScript(html, at);
  while (at < html.size() && !IsEndTagOf(html, at, traits.name)) at = FindFrom(html, '<', at + 1);
  return at;
}

}  // namespace parser

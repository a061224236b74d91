#include "parser/text_references.h"

#include "parser/character_references.h"

namespace parser {
namespace {

constexpr char32_t kFirst = 0xF0000;
/// Without the two non-characters at the end of each plane.
constexpr std::size_t kPerPlane = 0xFFFE;

constexpr char kLead15 = '\xF3';  // of planes 12 to 15, F3 B0 80 80 being U+F0000
constexpr char kLead16 = '\xF4';  // of plane 16

bool IsMarkAt(std::string_view text, std::size_t at) {
  if (at + TextReferences::kMarkBytes > text.size()) return false;
  return text[at] == kLead16 ||
         (text[at] == kLead15 && static_cast<unsigned char>(text[at + 1]) >= 0xB0);
}

}  // namespace

bool TextReferences::AreFreeIn(std::string_view html) {
  if (html.find(kLead15) != std::string_view::npos ||
      html.find(kLead16) != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = html.find("&#"); at != std::string_view::npos; at = html.find("&#", at)) {
    char32_t number = 0;
    at += 1 + ReadNumber(html.substr(at + 1), &number);
    if (number >= kFirst) return false;
  }
  return true;
}

bool TextReferences::Add(std::string_view text, char* out) {
  const std::size_t index = texts_.size();
  if (index >= 2 * kPerPlane) return false;
  texts_.push_back(text);
  const char32_t mark =
      kFirst + static_cast<char32_t>(index / kPerPlane * 0x10000 + index % kPerPlane);
  out[0] = static_cast<char>(0xF0 | mark >> 18);
  out[1] = static_cast<char>(0x80 | (mark >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (mark >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (mark & 0x3F));
  return true;
}

std::size_t TextReferences::IndexOf(std::string_view mark) {
  char32_t code_point = static_cast<unsigned char>(mark[0]) & 0x07;
  for (std::size_t i = 1; i < kMarkBytes; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>(mark[i]) & 0x3F);
  }
  const std::size_t offset = code_point - kFirst;
  return offset / 0x10000 * kPerPlane + offset % 0x10000;
}

std::size_t TextReferences::FindMark(std::string_view text) const {
  if (texts_.empty()) return text.size();  // such characters are the page's own
  for (std::size_t at = 0; at + kMarkBytes <= text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0xF3 && IsMarkAt(text, at) &&
        IndexOf(text.substr(at)) < texts_.size()) {
      return at;
    }
  }
  return text.size();
}

}  // namespace parser

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// ASCII as the web's standards define it; locale plays no part.
namespace base {

/// What HTTP calls optional white space (RFC 9110 section 5.6.3): around values of fields.
inline constexpr std::string_view kHttpBlanks = " \t";

/// ASCII white space of the Infra Standard: TAB, LF, FF, CR, SPACE.
constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

constexpr bool IsAlpha(char c) {
  return static_cast<unsigned char>((static_cast<unsigned char>(c) | 0x20) - 'a') < 26;
}

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr bool IsAlphanumeric(char c) { return IsAlpha(c) || IsDigit(c); }

constexpr char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

inline std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ToLower(c);
  return lower;
}

/// Are `a` and `b` equal but for ASCII case?
constexpr bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (ToLower(a[i]) != ToLower(b[i])) return false;
  }
  return true;
}

/// Does `text` begin with `prefix`, ASCII case ignored?
constexpr bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}

/// `text` without the ASCII white space around it.
constexpr std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// The same for other white space: `text` without those characters of `blanks` that stand around
/// it.
constexpr std::string_view Trim(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Cuts the first word (a run without white space) off `*text`; "" when there is none left.
constexpr std::string_view NextWord(std::string_view* text) {
  while (!text->empty() && IsSpace(text->front())) text->remove_prefix(1);
  std::size_t end = 0;
  while (end < text->size() && !IsSpace((*text)[end])) ++end;
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(end);
  return word;
}

}  // namespace base

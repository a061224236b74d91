#include "parser/utf8.h"

#include <cstdint>
#include <cstring>

namespace parser {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Sequence {
  std::size_t length = 0;  // of the sequence, or of the maximal subpart when ill-formed
  bool well_formed = false;
};

bool IsTrail(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Reads the sequence at the start of `text`, which begins with a byte above 0x7F.
Sequence ReadSequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  unsigned char low = 0x80;  // the range of the second byte, narrower after some leads
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;   // no overlong forms
    if (lead == 0xED) high = 0x9F;  // no surrogates
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (i == 1 ? byte < low || byte > high : !IsTrail(byte)) return {i, false};
  }
  return {length, true};
}

}  // namespace

std::size_t AsciiPrefix(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  while (at + 16 <= text.size()) {
    std::uint64_t words[2];
    std::memcpy(words, text.data() + at, sizeof words);
    if (((words[0] | words[1]) & kHighBits) != 0) break;
    at += 16;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

std::size_t WellFormedUtf8Prefix(std::string_view text) {
  std::size_t at = 0;
  for (;;) {
    at += AsciiPrefix(text.substr(at));
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {
      const Sequence sequence = ReadSequence(text.substr(at));
      if (!sequence.well_formed) return at;
      at += sequence.length;
    }
    if (at == text.size()) return at;
  }
}

void AppendRepairedUtf8(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size());
  for (;;) {
    const std::size_t good = WellFormedUtf8Prefix(text);
    out->append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) return;
    out->append(kReplacement);
    text.remove_prefix(ReadSequence(text).length);
  }
}

void AppendUtf8(char32_t code_point, std::string* out) {
  const auto put = [out](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace parser

#include "parser/character_references.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/hex.h"
#include "parser/utf8.h"

namespace parser {
namespace {

/// Names of U+00A0 to U+00FF in order.
constexpr std::string_view kLatin1Names =
    " nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr"
    " deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12"
    " frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc"
    " Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times"
    " Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml"
    " aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde"
    " ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn"
    " yuml"
    " ";

struct Named {
  std::string_view name;
  char32_t code_point;
};

constexpr std::array kOtherNames = {
    Named{"amp", 0x0026},    Named{"lt", 0x003C},     Named{"gt", 0x003E},
    Named{"quot", 0x0022},   Named{"OElig", 0x0152},  Named{"oelig", 0x0153},
    Named{"Scaron", 0x0160}, Named{"scaron", 0x0161}, Named{"Yuml", 0x0178},
    Named{"circ", 0x02C6},   Named{"tilde", 0x02DC},  Named{"ensp", 0x2002},
    Named{"emsp", 0x2003},   Named{"thinsp", 0x2009}, Named{"zwnj", 0x200C},
    Named{"zwj", 0x200D},    Named{"lrm", 0x200E},    Named{"rlm", 0x200F},
    Named{"ndash", 0x2013},  Named{"mdash", 0x2014},  Named{"lsquo", 0x2018},
    Named{"rsquo", 0x2019},  Named{"sbquo", 0x201A},  Named{"ldquo", 0x201C},
    Named{"rdquo", 0x201D},  Named{"bdquo", 0x201E},  Named{"dagger", 0x2020},
    Named{"Dagger", 0x2021}, Named{"permil", 0x2030}, Named{"lsaquo", 0x2039},
    Named{"rsaquo", 0x203A}, Named{"euro", 0x20AC},   Named{"bull", 0x2022},
    Named{"hellip", 0x2026}, Named{"prime", 0x2032},  Named{"Prime", 0x2033},
    Named{"trade", 0x2122},  Named{"larr", 0x2190},   Named{"uarr", 0x2191},
    Named{"rarr", 0x2192},   Named{"darr", 0x2193},   Named{"harr", 0x2194},
    Named{"minus", 0x2212},  Named{"infin", 0x221E},  Named{"ne", 0x2260},
    Named{"le", 0x2264},     Named{"ge", 0x2265},     Named{"apos", 0x0027},
};

/// What the numbers 0x80 to 0x9F mean: windows-1252, as authors meant them.
constexpr std::array<char16_t, 32> kC1Meanings = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

/// 0 for an unknown name.
char32_t CodePointNamed(std::string_view name) {
  for (const Named& named : kOtherNames) {
    if (named.name == name) return named.code_point;
  }
  const std::size_t at = kLatin1Names.find(' ' + std::string(name) + ' ');
  if (at == std::string_view::npos) return 0;
  char32_t code_point = 0xA0;
  for (const char c : kLatin1Names.substr(0, at)) code_point += c == ' ' ? 1 : 0;
  return code_point;
}

int DigitIn(char c, bool hexadecimal) {
  return hexadecimal || base::IsDigit(c) ? base::HexValue(c) : -1;
}

constexpr char32_t kLast = 0x10FFFF;

/// The character that a number stands for.
char32_t Meaning(char32_t number) {
  if (number >= 0x80 && number <= 0x9F) return kC1Meanings[number - 0x80];
  const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
  return number == 0 || surrogate || number > kLast ? 0xFFFD : number;
}

/// ReadNumber(), and the character that such a reference means.
std::size_t ReadNumeric(std::string_view text, char32_t* code_point) {
  char32_t number = 0;
  const std::size_t length = ReadNumber(text, &number);
  *code_point = Meaning(number);
  return length;
}

/// The same for "name;".
std::size_t ReadNamed(std::string_view text, char32_t* code_point) {
  constexpr std::size_t kNameBytesMax = 8;
  std::size_t end = 0;
  while (end < text.size() && end <= kNameBytesMax && base::IsAlphanumeric(text[end])) {
    ++end;
  }
  if (end == text.size() || text[end] != ';') return 0;
  *code_point = CodePointNamed(text.substr(0, end));
  return *code_point == 0 ? 0 : end + 1;
}

}  // namespace

std::size_t ReadNumber(std::string_view text, char32_t* number) {
  std::size_t at = 1;
  const bool hexadecimal = at < text.size() && (text[at] == 'x' || text[at] == 'X');
  if (hexadecimal) ++at;
  const std::size_t begin = at;
  *number = 0;
  while (at < text.size() && DigitIn(text[at], hexadecimal) >= 0) {
    const auto digit = static_cast<char32_t>(DigitIn(text[at], hexadecimal));
    if (*number <= kLast) *number = *number * (hexadecimal ? 16 : 10) + digit;
    ++at;
  }
  if (at == begin) return 0;
  if (at < text.size() && text[at] == ';') ++at;
  return at;
}

void AppendDecoded(std::string_view text, std::string* out) {
  for (;;) {
    const std::size_t ampersand = text.find('&');
    out->append(text.substr(0, ampersand));
    if (ampersand == std::string_view::npos) return;
    text.remove_prefix(ampersand + 1);
    char32_t code_point = 0;
    const std::size_t length =
        text.starts_with('#') ? ReadNumeric(text, &code_point) : ReadNamed(text, &code_point);
    if (length == 0) {
      out->push_back('&');
    } else {
      AppendUtf8(code_point, out);
      text.remove_prefix(length);
    }
  }
}

std::size_t ReferenceLength(std::string_view text) {
  constexpr std::size_t kNameMax = 40;  // the longest has 33 characters
  if (text.substr(1).starts_with('#')) {
    char32_t number = 0;
    return 1 + ReadNumber(text.substr(1), &number);
  }
  std::size_t length = 1;
  while (length < std::min(kNameMax, text.size()) && base::IsAlphanumeric(text[length])) {
    ++length;
  }
  return length + (text.substr(length).starts_with(';') ? 1 : 0);
}

bool IsSpaceReference(std::string_view reference) {
  if (reference == "&Tab;" || reference == "&NewLine;") return true;
  char32_t number = 0;
  if (!reference.substr(1).starts_with('#') || ReadNumber(reference.substr(1), &number) == 0) {
    return false;
  }
  return number < 0x80 && base::IsSpace(static_cast<char>(number));
}

std::string_view WithoutWildReferences(std::string_view html, std::string* buffer) {
  std::size_t copied = 0;
  buffer->clear();
  for (std::size_t at = html.find("&#"); at != std::string_view::npos; at = html.find("&#", at)) {
    ++at;
    char32_t number = 0;
    const std::size_t length = ReadNumber(html.substr(at), &number);
    if (number > kLast) {
      buffer->append(html.substr(copied, at - copied)).append("#xFFFD;");
      copied = at + length;
    }
    at += length;
  }
  if (copied == 0) return html;
  buffer->append(html.substr(copied));
  return *buffer;
}

}  // namespace parser

// Which encoding a body is in: the sniffing algorithm of the HTML Standard, section 13.2.3.2, and
// what we do where it leaves the choice to the implementation.

#include <unicode/ucsdet.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "parser/charset.h"
#include "parser/utf8.h"

namespace parser {
namespace {

constexpr std::size_t kPrescanBytes = 1024;
/// A <meta> behind the first 1,024 bytes still counts when nothing was declared before it (the
/// standard's "changing the encoding while parsing"); so far we look for it.
constexpr std::size_t kLateMetaBytes = std::size_t{64} * 1024;
constexpr std::size_t kSampleBytes = 4096;

bool IsSpaceOrSlash(char c) { return base::IsSpace(c) || c == '/'; }

/// UTF-16 cannot be what an ASCII-compatible declaration means, and x-user-defined is a legacy of
/// scripts (HTML Standard, "prescan", step 14).
Encoding AsDeclaredInMarkup(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf16Be:
    case Encoding::kUtf16Le:
      return Encoding::kUtf8;
    case Encoding::kXUserDefined:
      return Encoding::kWindows1252;
    default:
      return encoding;
  }
}

/// The standard's "prescan a byte stream to determine its encoding". Running out of bytes
/// anywhere ends it without a result.
class Prescan {
 public:
  explicit Prescan(std::string_view bytes) : bytes_(bytes) {}

  Encoding Run() {
    for (; !AtEnd(); at_ = std::min(bytes_.find('<', at_), bytes_.size())) {
      if (Looking("<!--")) {
        if (!SkipPast("-->", 2)) break;
      } else if (LookingAtMeta()) {
        at_ += 5;
        const Encoding found = TakeMeta();
        if (found != Encoding::kUnknown) return found;
      } else if (LookingAtTag()) {
        while (!AtEnd() && !base::IsSpace(bytes_[at_]) && bytes_[at_] != '>') ++at_;
        while (TakeAttribute()) {
        }
      } else if (Looking("<!") || Looking("</") || Looking("<?")) {
        if (!SkipPast(">", 1)) break;
      } else {
        ++at_;
      }
    }
    return Encoding::kUnknown;
  }

 private:
  bool AtEnd() const { return at_ >= bytes_.size(); }
  bool Looking(std::string_view text) const { return bytes_.substr(at_).starts_with(text); }

  bool LookingAtMeta() const {
    const std::string_view rest = bytes_.substr(at_);
    return rest.size() > 5 && base::StartsWithIgnoreCase(rest, "<meta") && IsSpaceOrSlash(rest[5]);
  }

  bool LookingAtTag() const {
    const std::string_view rest = bytes_.substr(at_);
    if (rest.size() < 2 || rest[0] != '<') return false;
    return base::IsAlpha(rest[1]) || (rest[1] == '/' && rest.size() > 2 && base::IsAlpha(rest[2]));
  }

  /// Moves past `mark`, which may begin `overlap` bytes on from here.
  bool SkipPast(std::string_view mark, std::size_t overlap) {
    const std::size_t found = bytes_.find(mark, at_ + overlap);
    at_ = found == std::string_view::npos ? bytes_.size() : found + mark.size();
    return !AtEnd() || found != std::string_view::npos;
  }

  Encoding TakeMeta() {
    bool got_pragma = false;
    bool need_pragma = false;
    bool seen_http_equiv = false;
    bool seen_content = false;
    bool seen_charset = false;
    Encoding charset = Encoding::kUnknown;
    bool declared = false;  // by an attribute, perhaps with a label that nobody knows
    while (TakeAttribute()) {
      if (name_ == "http-equiv" && !seen_http_equiv) {
        seen_http_equiv = true;
        got_pragma = value_ == "content-type";
      } else if (name_ == "content" && !seen_content) {
        seen_content = true;
        const Encoding named = EncodingForLabel(CharsetInMetaContent(value_));
        if (named != Encoding::kUnknown && !declared) {
          charset = named;
          declared = need_pragma = true;
        }
      } else if (name_ == "charset" && !seen_charset) {
        seen_charset = true;
        charset = EncodingForLabel(value_);
        declared = true;
        need_pragma = false;
      }
    }
    if (AtEnd() || !declared || (need_pragma && !got_pragma)) return Encoding::kUnknown;
    return AsDeclaredInMarkup(charset);
  }

  /// The standard's "get an attribute", into name_ and value_, both in lower case. False where
  /// the tag or the bytes end.
  bool TakeAttribute() {
    name_.clear();
    value_.clear();
    while (!AtEnd() && IsSpaceOrSlash(bytes_[at_])) ++at_;
    if (AtEnd() || bytes_[at_] == '>') return false;
    while (!AtEnd() && !IsSpaceOrSlash(bytes_[at_]) && bytes_[at_] != '>' &&
           (bytes_[at_] != '=' || name_.empty())) {
      name_ += base::ToLower(bytes_[at_++]);
    }
    SkipSpaces();
    if (AtEnd()) return false;
    if (bytes_[at_] != '=') return true;
    ++at_;
    SkipSpaces();
    if (AtEnd()) return false;
    if (const char quote = bytes_[at_]; quote == '"' || quote == '\'') {
      ++at_;
      while (!AtEnd() && bytes_[at_] != quote) value_ += base::ToLower(bytes_[at_++]);
      if (AtEnd()) return false;
      ++at_;
      return true;
    }
    while (!AtEnd() && !base::IsSpace(bytes_[at_]) && bytes_[at_] != '>') {
      value_ += base::ToLower(bytes_[at_++]);
    }
    return !AtEnd();
  }

  void SkipSpaces() {
    while (!AtEnd() && base::IsSpace(bytes_[at_])) ++at_;
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  std::string name_;
  std::string value_;
};

/// The standard's "get an XML encoding".
Encoding EncodingOfXmlDeclaration(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return Encoding::kUnknown;
  std::string_view declaration = bytes.substr(0, bytes.find('>'));
  const std::size_t found = declaration.find("encoding");
  if (declaration.size() == bytes.size() || found == std::string_view::npos) {
    return Encoding::kUnknown;
  }
  declaration.remove_prefix(found + 8);
  const auto skip_controls = [&declaration] {
    while (!declaration.empty() && static_cast<unsigned char>(declaration[0]) <= 0x20) {
      declaration.remove_prefix(1);
    }
  };
  skip_controls();
  if (!declaration.starts_with('=')) return Encoding::kUnknown;
  declaration.remove_prefix(1);
  skip_controls();
  if (declaration.empty() || (declaration[0] != '"' && declaration[0] != '\'')) {
    return Encoding::kUnknown;
  }
  const std::size_t end = declaration.find(declaration[0], 1);
  if (end == std::string_view::npos) return Encoding::kUnknown;
  return AsDeclaredInMarkup(EncodingForLabel(declaration.substr(1, end - 1)));
}

/// The bytes that tell encodings apart: the text around non-ASCII, without the ASCII deserts of
/// markup between. At most `bytes_max`.
std::string TellingBytes(std::string_view body, std::size_t bytes_max) {
  constexpr std::size_t kBefore = 16;
  std::string sample;
  while (!body.empty() && sample.size() < bytes_max) {
    const std::size_t ascii = AsciiPrefix(body);
    sample += body.substr(ascii - std::min(ascii, kBefore), std::min(ascii, kBefore));
    body.remove_prefix(ascii);
    std::size_t end = 0;
    while (end < body.size() && static_cast<unsigned char>(body[end]) >= 0x80) ++end;
    // The second byte of a pair may be ASCII.
    end = std::min(end + 1, body.size());
    sample += body.substr(0, end);
    body.remove_prefix(end);
  }
  sample.resize(std::min(sample.size(), bytes_max));
  return sample;
}

/// Too few to tell one encoding from another.
bool TellsLittle(std::string_view sample) {
  constexpr std::ptrdiff_t kHighBytesMin = 32;
  return std::count_if(sample.begin(), sample.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x80;
         }) < kHighBytesMin;
}

/// ICU's guess, or kUnknown when it is not sure. Slow (5 MB/s), so it sees a sample only.
Encoding Detect(std::string_view sample) {
  constexpr std::int32_t kConfidenceMin = 25;  // of 100
  UErrorCode error = U_ZERO_ERROR;
  UCharsetDetector* detector = ucsdet_open(&error);
  if (U_FAILURE(error)) return Encoding::kUnknown;
  Encoding found = Encoding::kUnknown;
  ucsdet_setText(detector, sample.data(), static_cast<std::int32_t>(sample.size()), &error);
  const UCharsetMatch* match = ucsdet_detect(detector, &error);
  if (U_SUCCESS(error) && match != nullptr &&
      ucsdet_getConfidence(match, &error) >= kConfidenceMin) {
    if (const char* name = ucsdet_getName(match, &error); U_SUCCESS(error)) {
      found = EncodingForLabel(name);
    }
  }
  ucsdet_close(detector);
  // It was not well-formed UTF-8, and UTF-16 has been looked for.
  const bool excluded = found == Encoding::kUtf8 || found == Encoding::kUtf16Be ||
                        found == Encoding::kUtf16Le || found == Encoding::kReplacement;
  return excluded ? Encoding::kUnknown : found;
}

}  // namespace

std::string_view CharsetInMetaContent(std::string_view content) {
  constexpr std::string_view kWord = "charset";
  while (!content.empty()) {
    if (!base::StartsWithIgnoreCase(content, kWord)) {
      content.remove_prefix(1);
      continue;
    }
    content.remove_prefix(kWord.size());
    content = base::Trim(content);
    if (!content.starts_with('=')) continue;
    content = base::Trim(content.substr(1));
    if (content.empty()) return {};
    if (content[0] == '"' || content[0] == '\'') {
      const std::size_t end = content.find(content[0], 1);
      return end == std::string_view::npos ? std::string_view() : content.substr(1, end - 1);
    }
    std::size_t end = 0;
    while (end < content.size() && !base::IsSpace(content[end]) && content[end] != ';') ++end;
    return content.substr(0, end);
  }
  return {};
}

Encoding PrescanMeta(std::string_view body, std::size_t bytes_max) {
  using namespace std::string_view_literals;
  const std::string_view start = body.substr(0, bytes_max);
  if (start.starts_with("<\0?\0x\0"sv)) return Encoding::kUtf16Le;
  if (start.starts_with("\0<\0?\0x"sv)) return Encoding::kUtf16Be;
  const Encoding found = Prescan(start).Run();
  return found != Encoding::kUnknown ? found : EncodingOfXmlDeclaration(start);
}

// UTF-16 without a byte order mark gives itself away by the zero bytes of its ASCII: nearly all
// on one side, nearly none on the other.
Encoding Utf16ByZeroBytes(std::string_view body) {
  const std::string_view sample = body.substr(0, kPrescanBytes);
  const std::size_t pairs = sample.size() / 2;
  if (pairs < 8) return Encoding::kUnknown;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < pairs * 2; ++i) zeros[i & 1] += sample[i] == '\0' ? 1 : 0;
  // CJK text has few zeros, but its markup has them.
  const auto much = [pairs](std::size_t count) { return count * 4 >= pairs; };
  const auto little = [pairs](std::size_t count) { return count * 50 <= pairs; };
  if (much(zeros[1]) && little(zeros[0])) return Encoding::kUtf16Le;
  if (much(zeros[0]) && little(zeros[1])) return Encoding::kUtf16Be;
  return Encoding::kUnknown;
}

CharsetChoice ChooseByMark(std::string_view body) {
  if (body.starts_with("\xEF\xBB\xBF")) {
    return {Encoding::kUtf8, CharsetSource::kByteOrderMark, 3};
  }
  if (body.starts_with("\xFE\xFF")) return {Encoding::kUtf16Be, CharsetSource::kByteOrderMark, 2};
  if (body.starts_with("\xFF\xFE")) return {Encoding::kUtf16Le, CharsetSource::kByteOrderMark, 2};
  return {Encoding::kUnknown, CharsetSource::kDefault, 0};
}

CharsetChoice ChooseCharset(std::string_view body, std::string_view http_charset, bool html) {
  const CharsetChoice mark = ChooseByMark(body);
  if (mark.encoding != Encoding::kUnknown) return mark;
  const Encoding http = EncodingForLabel(http_charset);
  if (http != Encoding::kUnknown) return {http, CharsetSource::kHttpHeader, 0};
  Encoding meta = html ? PrescanMeta(body, kPrescanBytes) : Encoding::kUnknown;
  if (html && meta == Encoding::kUnknown) meta = PrescanMeta(body, kLateMetaBytes);
  if (meta != Encoding::kUnknown) return {meta, CharsetSource::kMeta, 0};
  const Encoding utf16 = Utf16ByZeroBytes(body);
  if (utf16 != Encoding::kUnknown) return {utf16, CharsetSource::kDetected, 0};
  // An escape sequence is ASCII, so ISO-2022-JP must be asked for before UTF-8.
  const std::size_t escape = body.find("\x1B$");
  if (escape != std::string_view::npos && AsciiPrefix(body) == body.size() &&
      Detect(body.substr(escape, kSampleBytes)) == Encoding::kIso2022Jp) {
    return {Encoding::kIso2022Jp, CharsetSource::kDetected, 0};
  }
  // The fetcher may have cut the body within a character.
  const std::size_t good = WellFormedUtf8Prefix(body);
  if (good == body.size() || (good > 0 && body.size() - good < 4 && good > kPrescanBytes)) {
    return {Encoding::kUtf8, CharsetSource::kValidity, 0};
  }
  const std::string sample = TellingBytes(body, kSampleBytes);
  const Encoding guess = TellsLittle(sample) ? Encoding::kUnknown : Detect(sample);
  if (guess != Encoding::kUnknown) return {guess, CharsetSource::kDetected, 0};
  return {Encoding::kWindows1252, CharsetSource::kDefault, 0};
}

}  // namespace parser

// Bytes to UTF-8. Single-byte encodings go through tables of our own (made from ICU's, corrected
// where the Encoding Standard differs), multi-byte ones through ICU.

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>

#include "base/check.h"
#include "base/hex.h"
#include "parser/charset.h"
#include "parser/utf8.h"

namespace parser {
namespace {

constexpr char16_t kReplacementCharacter = 0xFFFD;

/// Text of a query is encoded in pieces of so many bytes; what is longer, by characters.
constexpr std::size_t kPieceMax = 256;

/// ICU's name of a converter, or nullptr where none is needed.
const char* IcuName(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
    case Encoding::kReplacement:
    case Encoding::kIso8859_16:  // ICU has none
    case Encoding::kXUserDefined:
    case Encoding::kUnknown:
      return nullptr;
    case Encoding::kIbm866:
      return "ibm-866";
    case Encoding::kIso8859_8I:
      return "ISO-8859-8";
    case Encoding::kWindows874:
      return "windows-874-2000";
    case Encoding::kGbk:  // the standard decodes both alike
    case Encoding::kGb18030:
      return "gb18030";
    case Encoding::kBig5:
      return "Big5-HKSCS";
    case Encoding::kShiftJis:
      return "windows-31j";
    case Encoding::kEucKr:
      return "windows-949";
    default:
      return Name(encoding).data();  // a literal, so it ends in NUL
  }
}

bool IsMultiByte(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGbk:
    case Encoding::kGb18030:
    case Encoding::kBig5:
    case Encoding::kEucJp:
    case Encoding::kIso2022Jp:
    case Encoding::kShiftJis:
    case Encoding::kEucKr:
    case Encoding::kUtf16Be:
    case Encoding::kUtf16Le:
      return true;
    default:
      return false;
  }
}

/// What the bytes 0x80 to 0xFF of a single-byte encoding mean.
using HighHalf = std::array<char16_t, 128>;

constexpr HighHalf kIso8859_16 = [] {
  HighHalf half{};
  for (std::size_t i = 0; i < 32; ++i) half[i] = static_cast<char16_t>(0x80 + i);
  constexpr std::u16string_view kFromA0 =
      u"\u00A0\u0104\u0105\u0141\u20AC\u201E\u0160\u00A7\u0161\u00A9\u0218\u00AB\u0179\u00AD\u017A"
      u"\u017B\u00B0\u00B1\u010C\u0142\u017D\u201D\u00B6\u00B7\u017E\u010D\u0219\u00BB\u0152\u0153"
      u"\u0178\u017C\u00C0\u00C1\u00C2\u0102\u00C4\u0106\u00C6\u00C7\u00C8\u00C9\u00CA\u00CB\u00CC"
      u"\u00CD\u00CE\u00CF\u0110\u0143\u00D2\u00D3\u00D4\u0150\u00D6\u015A\u0170\u00D9\u00DA\u00DB"
      u"\u00DC\u0118\u021A\u00DF\u00E0\u00E1\u00E2\u0103\u00E4\u0107\u00E6\u00E7\u00E8\u00E9\u00EA"
      u"\u00EB\u00EC\u00ED\u00EE\u00EF\u0111\u0144\u00F2\u00F3\u00F4\u0151\u00F6\u015B\u0171\u00F9"
      u"\u00FA\u00FB\u00FC\u0119\u021B\u00FF";
  static_assert(kFromA0.size() == 96);
  for (std::size_t i = 0; i < 96; ++i) half[32 + i] = kFromA0[i];
  return half;
}();

/// Corrects what ICU's table has otherwise than the standard's index.
void Correct(Encoding encoding, HighHalf* half) {
  const auto set = [half](unsigned byte, char16_t meaning) { (*half)[byte - 0x80] = meaning; };
  if (encoding == Encoding::kWindows874) {  // ICU: private use
    for (unsigned byte = 0xDB; byte <= 0xDE; ++byte) set(byte, kReplacementCharacter);
    for (unsigned byte = 0xFC; byte <= 0xFF; ++byte) set(byte, kReplacementCharacter);
  } else if (encoding == Encoding::kWindows1253) {
    set(0xAA, kReplacementCharacter);
  } else if (encoding == Encoding::kWindows1255) {
    set(0xCA, 0x05BA);
  } else if (encoding == Encoding::kKoi8U) {  // the standard's is KOI8-RU
    set(0xAE, 0x045E);
    set(0xBE, 0x040E);
  }
}

/// Decodes a single-byte encoding whose lower half is ASCII.
void AppendSingleByte(std::string_view text, const HighHalf& half, std::string* out) {
  out->reserve(out->size() + text.size() + text.size() / 4);
  while (!text.empty()) {
    const std::size_t ascii = AsciiPrefix(text);
    out->append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    while (!text.empty() && static_cast<unsigned char>(text[0]) >= 0x80) {
      AppendUtf8(half[static_cast<unsigned char>(text[0]) - 0x80], out);
      text.remove_prefix(1);
    }
  }
}

/// Appends UTF-16, U+FFFD for a surrogate without its other half.
void AppendUtf16(std::u16string_view text, std::string* out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t code_point = text[i];
    if ((code_point & 0xF800) == 0xD800) {
      const char16_t next = i + 1 < text.size() ? text[i + 1] : u'\0';
      if (code_point < 0xDC00 && (next & 0xFC00) == 0xDC00) {
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (next - 0xDC00u);
        ++i;
      } else {
        code_point = kReplacementCharacter;
      }
    }
    AppendUtf8(code_point, out);
  }
}

/// What the byte 0x80, by itself, means to the standard where ICU knows no meaning of it.
const char16_t* MeaningOf80(Encoding encoding) {
  static constexpr char16_t kEuro = 0x20AC;
  static constexpr char16_t kControl = 0x0080;
  if (encoding == Encoding::kGbk || encoding == Encoding::kGb18030) return &kEuro;
  return encoding == Encoding::kShiftJis ? &kControl : &kReplacementCharacter;
}

/// A callback of ICU's for what means nothing: U+FFFD, where its own has U+001A for some bytes.
void Substitute(const void* meaning_of_80, UConverterToUnicodeArgs* to, const char* bytes,
                std::int32_t length, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // it is reset or closed
  const bool is_80 = length == 1 && static_cast<unsigned char>(bytes[0]) == 0x80;
  const char16_t* const meaning =
      is_80 ? static_cast<const char16_t*>(meaning_of_80) : &kReplacementCharacter;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(to, meaning, 1, 0, error);
}

/// Decodes through ICU, with Substitute().
void AppendMultiByte(std::string_view text, UConverter* from, std::string* out) {
  constexpr std::size_t kChunk = 8192;
  std::array<char16_t, kChunk> wide;
  std::size_t carried = 0;  // 1: the first half of a pair that the chunk's end has split
  const char* source = text.data();
  const char* const end = source + text.size();
  out->reserve(out->size() + text.size() + text.size() / 2);
  ucnv_resetToUnicode(from);
  for (bool more = true; more;) {
    char16_t* target = wide.data() + carried;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_toUnicode(from, &target, wide.data() + wide.size(), &source, end, nullptr,
                   /*flush=*/true, &error);
    more = error == U_BUFFER_OVERFLOW_ERROR;
    CHECK(more || U_SUCCESS(error));
    std::u16string_view chunk(wide.data(), static_cast<std::size_t>(target - wide.data()));
    carried = more && !chunk.empty() && (chunk.back() & 0xFC00) == 0xD800 ? 1 : 0;
    chunk.remove_suffix(carried);
    AppendUtf16(chunk, out);
    if (carried != 0) wide[0] = *(target - 1);
  }
}

}  // namespace

/// Opened when first needed, kept for the next page.
class Decoder::Converters {
 public:
  Converters() = default;
  ~Converters() {
    for (UConverter* converter : open_) {
      if (converter != nullptr) ucnv_close(converter);
    }
  }
  Converters(const Converters&) = delete;
  Converters& operator=(const Converters&) = delete;

  UConverter* Get(Encoding encoding) {
    UConverter*& converter = open_[static_cast<std::size_t>(encoding)];
    if (converter == nullptr) {
      UErrorCode error = U_ZERO_ERROR;
      converter = ucnv_open(IcuName(encoding), &error);
      CHECK(U_SUCCESS(error));  // every name above is in ICU's own data
      if (IsMultiByte(encoding)) {
        ucnv_setToUCallBack(converter, Substitute, MeaningOf80(encoding), nullptr, nullptr,
                            &error);
        CHECK(U_SUCCESS(error));
      }
    }
    return converter;
  }

  /// Appends what `text`, none of it ASCII, is in a query of a page in `encoding`.
  void AppendEncoded(std::string_view text, Encoding encoding, std::string* out) {
    std::string bytes;
    if (IsMultiByte(encoding) && AppendBytes(text, encoding, &bytes)) {
      AppendEscaped(bytes, out);
      return;
    }
    for (std::size_t at = 0; at < text.size();) {
      std::size_t next = at;
      UChar32 character = 0;
      U8_NEXT(text.data(), next, text.size(), character);
      bytes.clear();
      if (AppendBytes(text.substr(at, next - at), encoding, &bytes)) {
        AppendEscaped(bytes, out);
      } else {
        out->append("%26%23").append(std::to_string(character)).append("%3B");
      }
      at = next;
    }
  }

  const HighHalf& Table(Encoding encoding) {
    std::unique_ptr<HighHalf>& half = halves_[static_cast<std::size_t>(encoding)];
    if (half == nullptr) half = std::make_unique<HighHalf>(MakeTable(encoding));
    return *half;
  }

 private:
  /// False where the encoding has no bytes for some of `text`; of a single-byte encoding, one
  /// character.
  bool AppendBytes(std::string_view text, Encoding encoding, std::string* bytes) {
    std::array<UChar, 2 * kPieceMax> units{};
    std::array<char, 8 * kPieceMax> encoded{};
    if (text.size() > kPieceMax) return false;
    std::int32_t length = 0;
    UErrorCode error = U_ZERO_ERROR;
    u_strFromUTF8(units.data(), static_cast<std::int32_t>(units.size()), &length, text.data(),
                  static_cast<std::int32_t>(text.size()), &error);
    CHECK(U_SUCCESS(error));
    if (!IsMultiByte(encoding)) {
      const HighHalf& half = Table(encoding);
      const auto* const found = std::find(half.begin(), half.end(), units[0]);
      if (length != 1 || found == half.end() || *found == kReplacementCharacter) return false;
      *bytes += static_cast<char>(0x80 + (found - half.begin()));
      return true;
    }
    UConverter* const converter = Get(encoding);
    ucnv_setFromUCallBack(converter, UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &error);
    const std::int32_t written =
        ucnv_fromUChars(converter, encoded.data(), static_cast<std::int32_t>(encoded.size()),
                        units.data(), length, &error);
    if (U_FAILURE(error)) return false;
    bytes->append(encoded.data(), static_cast<std::size_t>(written));
    return true;
  }

  static void AppendEscaped(std::string_view bytes, std::string* out) {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      const bool stays = byte > 0x20 && byte < 0x7F &&
                         std::string_view("\"#<>'").find(c) == std::string_view::npos;
      if (stays) {
        *out += c;
      } else {
        base::AppendPercentEscape(byte, *out);
      }
    }
  }

  HighHalf MakeTable(Encoding encoding) {
    if (encoding == Encoding::kIso8859_16) return kIso8859_16;
    HighHalf half{};
    if (encoding == Encoding::kXUserDefined) {
      for (std::size_t i = 0; i < half.size(); ++i) half[i] = static_cast<char16_t>(0xF780 + i);
      return half;
    }
    UConverter* converter = Get(encoding);
    for (std::size_t i = 0; i < half.size(); ++i) {
      const char byte = static_cast<char>(0x80 + i);
      const char* source = &byte;
      UErrorCode error = U_ZERO_ERROR;
      const UChar32 meaning = ucnv_getNextUChar(converter, &source, source + 1, &error);
      half[i] = U_SUCCESS(error) ? static_cast<char16_t>(meaning) : kReplacementCharacter;
    }
    Correct(encoding, &half);
    return half;
  }

  static constexpr std::size_t kCount = static_cast<std::size_t>(Encoding::kUnknown);
  std::array<UConverter*, kCount> open_{};
  std::array<std::unique_ptr<HighHalf>, kCount> halves_;
};

Decoder::Decoder() : converters_(std::make_unique<Converters>()) {}
Decoder::~Decoder() = default;

std::string_view Decoder::Decode(std::string_view body, const CharsetChoice& choice,
                                 std::string* buffer) {
  body.remove_prefix(choice.mark_bytes);
  buffer->clear();
  if (choice.encoding == Encoding::kReplacement) return {};
  if (choice.encoding == Encoding::kUtf8 || choice.encoding == Encoding::kUnknown) {
    if (IsWellFormedUtf8(body)) return body;
    AppendRepairedUtf8(body, buffer);
  } else if (IsMultiByte(choice.encoding)) {
    AppendMultiByte(body, converters_->Get(choice.encoding), buffer);
  } else {
    if (AsciiPrefix(body) == body.size()) return body;
    AppendSingleByte(body, converters_->Table(choice.encoding), buffer);
  }
  return *buffer;
}

void Decoder::EncodeQuery(Encoding encoding, std::string* href) {
  const std::string_view all = *href;
  const std::size_t end = std::min(all.find('#'), all.size());
  const std::size_t begin = std::min(all.find('?'), end);
  const std::string_view query = all.substr(begin, end - begin);
  const bool unicode = encoding == Encoding::kUtf8 || encoding == Encoding::kUtf16Be ||
                       encoding == Encoding::kUtf16Le || encoding == Encoding::kReplacement ||
                       encoding == Encoding::kUnknown;
  if (unicode || AsciiPrefix(query) == query.size()) return;
  std::string out(all.substr(0, begin));
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t ascii = AsciiPrefix(query.substr(at));
    out += query.substr(at, ascii);
    at += ascii;
    std::size_t next = at;
    while (next < query.size() && static_cast<unsigned char>(query[next]) >= 0x80) ++next;
    converters_->AppendEncoded(query.substr(at, next - at), encoding, &out);
    at = next;
  }
  *href = out.append(all.substr(end));
}

}  // namespace parser

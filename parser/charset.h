#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "parser/document.h"

namespace parser {

/// The encodings of the WHATWG Encoding Standard, section 4.2.
enum class Encoding : std::uint8_t {
  kUtf8,
  kIbm866,
  kIso8859_2,
  kIso8859_3,
  kIso8859_4,
  kIso8859_5,
  kIso8859_6,
  kIso8859_7,
  kIso8859_8,
  kIso8859_8I,
  kIso8859_10,
  kIso8859_13,
  kIso8859_14,
  kIso8859_15,
  kIso8859_16,
  kKoi8R,
  kKoi8U,
  kMacintosh,
  kWindows874,
  kWindows1250,
  kWindows1251,
  kWindows1252,
  kWindows1253,
  kWindows1254,
  kWindows1255,
  kWindows1256,
  kWindows1257,
  kWindows1258,
  kXMacCyrillic,
  kGbk,
  kGb18030,
  kBig5,
  kEucJp,
  kIso2022Jp,
  kShiftJis,
  kEucKr,
  kReplacement,
  kUtf16Be,
  kUtf16Le,
  kXUserDefined,
  kUnknown,  // no encoding of the standard
};

/// The standard's name, e.g. "UTF-8", "windows-1252"; "" for kUnknown. The view is static.
std::string_view Name(Encoding encoding);

/// The encoding that `label` means ("latin1" is windows-1252), white space around it and case
/// ignored; kUnknown for no label of the standard.
Encoding EncodingForLabel(std::string_view label);

/// The encoding that <meta> or an XML declaration declares in the first `bytes_max` bytes of
/// `body` (HTML Standard, "prescan a byte stream to determine its encoding", which asks for
/// 1,024), or kUnknown.
Encoding PrescanMeta(std::string_view body, std::size_t bytes_max);

/// The label in the content of <meta http-equiv=content-type> (HTML Standard, "extracting a
/// character encoding from a meta element"), or "".
std::string_view CharsetInMetaContent(std::string_view content);

/// An encoding and how it became known.
struct CharsetChoice {
  Encoding encoding = Encoding::kUtf8;
  CharsetSource source = CharsetSource::kDefault;
  /// Bytes of byte order mark at the start of the body.
  std::uint8_t mark_bytes = 0;
};

/// What the byte order mark of `body` says: UTF-8, UTF-16BE or UTF-16LE with source
/// kByteOrderMark, else kUnknown.
CharsetChoice ChooseByMark(std::string_view body);

/// UTF-16 without a byte order mark, by the zero bytes of its ASCII in the first 1,024 bytes, or
/// kUnknown.
Encoding Utf16ByZeroBytes(std::string_view body);

/// The encoding of `body`: byte order mark, else `http_charset`, else <meta> (in the first 1,024
/// bytes, else in the first 64 KiB), else UTF-16 by
/// its zero bytes, else well-formed UTF-8, else a guess from the bytes, else windows-1252.
/// Plain text has no <meta>: give `html` = false.
///
/// Thread safety: yes. Cost: one pass over `body` when nothing is declared; the guess looks at no
/// more than a few KiB.
CharsetChoice ChooseCharset(std::string_view body, std::string_view http_charset,
                            bool html = true);

/// Turns bytes of any encoding into well-formed UTF-8.
///
///     parser::Decoder decoder;                                      // one per thread, kept
///     parser::CharsetChoice choice = parser::ChooseCharset(body, "shift_jis");
///     std::string buffer;
///     std::string_view text = decoder.Decode(body, choice, &buffer);
///
/// Bytes that mean nothing become U+FFFD, one per maximal subpart (Unicode 15, section 3.9).
/// The "replacement" encoding decodes to nothing: such a page has no text that could be judged.
///
/// Thread safety: none; one object per thread.
/// Cost: well-formed UTF-8 is checked, not copied; ICU's speed for multi-byte encodings.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// The text of `body` without its byte order mark: a view of `body` when that is well-formed
  /// UTF-8 already, else of `*buffer`, which is overwritten.
  std::string_view Decode(std::string_view body, const CharsetChoice& choice, std::string* buffer);

  /// Makes the query of `*href`, of a page in `encoding`, what browsers ask for: what is not ASCII
  /// there stands for the bytes of the page's encoding, percent-encoded, and as "%26%23...%3B"
  /// where it has none (URL Standard, "percent-encode after encoding"). All else, and all of
  /// UTF-8 and UTF-16 pages, stays as it is. REQUIRES: well-formed UTF-8. Cost: linear.
  void EncodeQuery(Encoding encoding, std::string* href);

 private:
  class Converters;
  std::unique_ptr<Converters> converters_;
};

}  // namespace parser

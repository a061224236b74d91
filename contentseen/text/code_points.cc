#include "contentseen/text/code_points.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>

#include <memory>

#include "base/check.h"
#include "contentseen/text/nfkc_casefold.h"

namespace contentseen {
namespace {

// Longest NFKC_Casefold of one code point is 18 units (U+FDFA).
constexpr int kUnitsMax = 32;

bool IsUnspacedGlyphScript(UChar32 c) {
  return uscript_hasScript(c, USCRIPT_HAN) || uscript_hasScript(c, USCRIPT_HIRAGANA) ||
         uscript_hasScript(c, USCRIPT_KATAKANA) || uscript_hasScript(c, USCRIPT_HANGUL) ||
         uscript_hasScript(c, USCRIPT_BOPOMOFO) || uscript_hasScript(c, USCRIPT_YI);
}

CharClass ClassOf(UChar32 c) {
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) == 0) return CharClass::kSeparator;
  // Script extensions: the prolonged sound mark, for one, is common to both kana.
  const bool inherited = u_getIntPropertyValue(c, UCHAR_SCRIPT) == USCRIPT_INHERITED;
  if (!inherited && IsUnspacedGlyphScript(c)) return CharClass::kBigram;
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) {
    return CharClass::kTrigram;
  }
  return (category & U_GC_M_MASK) != 0 ? CharClass::kMark : CharClass::kWord;
}

CodePoint Look(UChar32 c) {
  UChar in[2];
  int in_units = 0;
  U16_APPEND_UNSAFE(in, in_units, c);
  UChar out[kUnitsMax];
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t units =
      unorm2_normalize(NfkcCasefold(), in, in_units, out, kUnitsMax, &error);
  CHECK(U_SUCCESS(error));
  UChar32 folded = 0;
  std::int32_t used = 0;
  if (units > 0) U16_NEXT(out, used, units, folded);
  const bool joins = !unorm2_hasBoundaryBefore(NfkcCasefold(), c);
  const bool simple = units > 0 && used == units && !joins;
  const UChar32 shown = simple ? folded : c;
  const bool space = u_isUWhiteSpace(shown) || u_charType(shown) == U_CONTROL_CHAR;
  return {static_cast<char32_t>(simple ? folded : 0), simple, space, joins, ClassOf(c)};
}

}  // namespace

constinit std::array<std::atomic<const CodePoints::Table*>, 0x1100> CodePoints::tables_{};

const CodePoints::Table* CodePoints::Make(char32_t block) {
  auto table = std::make_unique<Table>();
  for (char32_t i = 0; i < table->size(); ++i) {
    const char32_t c = block << 8 | i;
    // Surrogates are no characters: nothing that decodes UTF-8 asks for them.
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    (*table)[i] = surrogate ? CodePoint() : Look(static_cast<UChar32>(c));
  }
  const Table* expected = nullptr;
  // Release publishes the contents; whoever comes second takes the first one's table.
  if (tables_[block].compare_exchange_strong(expected, table.get(), std::memory_order_acq_rel)) {
    return table.release();
  }
  return expected;
}

}  // namespace contentseen

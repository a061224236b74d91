#include "contentseen/text/nfkc_casefold.h"

#include <unicode/unorm2.h>

#include "base/check.h"

namespace contentseen {

const UNormalizer2* NfkcCasefold() {
  static const UNormalizer2* const normalizer = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2* instance = unorm2_getNFKCCasefoldInstance(&error);
    CHECK(U_SUCCESS(error));
    return instance;
  }();
  return normalizer;
}

}  // namespace contentseen

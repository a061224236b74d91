#pragma once

struct UNormalizer2;

namespace contentseen {

/// ICU's NFKC_Casefold. Thread safety: yes. Ownership: ICU's.
const UNormalizer2* NfkcCasefold();

}  // namespace contentseen

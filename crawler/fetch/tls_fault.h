#pragma once

#include <string_view>

namespace crawler {

/// What OpenSSL found wrong with a certificate, by its result of verification, in one word:
/// "expired", "not-yet-valid", "self-signed", "unknown-issuer", "revoked", "weak" or
/// "bad-certificate"; empty when it found nothing, or came to look at none.
///
/// Thread safety: pure.
std::string_view CertificateFault(long verify_result);

}  // namespace crawler

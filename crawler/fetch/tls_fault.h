#pragma once

#include <string>
#include <string_view>

namespace crawler {

/// What OpenSSL found wrong with a certificate, by its result of verification, in one word:
/// "expired", "not-yet-valid", "self-signed", "unknown-issuer", "revoked", "weak" or
/// "bad-certificate"; empty when it found nothing, or came to look at none.
///
/// Thread safety: pure.
std::string_view CertificateFault(long verify_result);

/// Whether certificates in PEM can be read from `file`, one at least.
///
/// Thread safety: pure but for the file. Cost: all of it is read.
bool HoldsCertificates(const std::string& file);

}  // namespace crawler

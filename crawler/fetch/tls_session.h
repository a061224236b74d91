#pragma once

#include <string>

namespace crawler {

/// What a TLS connection agreed on.
struct TlsSession {
  /// "1.2", "1.3"; empty when there is no TLS.
  std::string version;
  /// As IANA spells it: "TLS_AES_128_GCM_SHA256".
  std::string cipher_suite;
};

/// Of a connection's SSL object as OpenSSL has it (libcurl's CURLINFO_TLS_SSL_PTR); nothing of
/// null. REQUIRES: the handshake is over.
///
/// Thread safety: that of `ssl`. Cost: two look-ups.
TlsSession TlsSessionOf(const void* ssl);

/// Whether bytes wait in it that came and were not read yet; of null never. No socket tells of
/// them.
bool HasUnread(const void* ssl);

}  // namespace crawler

#include "crawler/fetch/tls_session.h"

#include <openssl/ssl.h>

#include <string_view>

namespace crawler {

TlsSession TlsSessionOf(const void* ssl) {
  if (ssl == nullptr) return {};
  const auto* connection = static_cast<const SSL*>(ssl);
  TlsSession session;
  std::string_view version = SSL_get_version(connection);  // "TLSv1.3", and "TLSv1" for 1.0
  if (version.starts_with("TLSv")) version.remove_prefix(4);
  session.version = version == "1" ? "1.0" : version;
  if (const SSL_CIPHER* cipher = SSL_get_current_cipher(connection)) {
    const char* name = SSL_CIPHER_standard_name(cipher);
    session.cipher_suite = name != nullptr ? name : "";
  }
  return session;
}

bool HasUnread(const void* ssl) {
  return ssl != nullptr && SSL_pending(static_cast<const SSL*>(ssl)) > 0;
}

}  // namespace crawler

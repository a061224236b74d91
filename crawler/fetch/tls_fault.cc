#include "crawler/fetch/tls_fault.h"

#include <openssl/x509_vfy.h>

#include <memory>

namespace crawler {

std::string_view CertificateFault(long verify_result) {
  switch (verify_result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "not-yet-valid";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "self-signed";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "unknown-issuer";
    case X509_V_ERR_CERT_REVOKED:
      return "revoked";
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return "weak";
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED:  // no certificate was looked at
      return {};
    default:
      return "bad-certificate";
  }
}

bool HoldsCertificates(const std::string& file) {
  const std::unique_ptr<X509_STORE, void (*)(X509_STORE*)> store(X509_STORE_new(),
                                                                 X509_STORE_free);
  return store != nullptr && X509_STORE_load_file(store.get(), file.c_str()) == 1;
}

}  // namespace crawler

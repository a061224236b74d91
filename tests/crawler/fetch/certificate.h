#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/check.h"

namespace tests {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

/// A certificate for `name` signed by itself, valid for the hour before or after now.
class Certificate {
 public:
  Certificate(const std::string& name, bool expired)
      : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509* x = certificate_.get();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -7200);
    X509_gmtime_adj(X509_getm_notAfter(x), expired ? -3600 : 3600);
    X509_set_pubkey(x, key_.get());
    X509_NAME* subject = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(x, subject);
    X509_EXTENSION* alternative =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("DNS:" + name).c_str());
    X509_add_ext(x, alternative, -1);
    X509_EXTENSION_free(alternative);
    CHECK(X509_sign(x, key_.get(), EVP_sha256()) > 0);
  }

  X509* x509() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }

  void Save(const std::string& path) const {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"),
                                                         &std::fclose);
    CHECK(file != nullptr && PEM_write_X509(file.get(), x509()) == 1);
  }

 private:
  const std::unique_ptr<EVP_PKEY, FreeKey> key_;
  const std::unique_ptr<X509, FreeCertificate> certificate_;
};

}  // namespace tests

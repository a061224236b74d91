// hostile-inputs.md row 27: certificates that are not to be trusted, each by its cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "tests/crawler/fetch/fetch_one.h"

namespace crawler {
namespace {

using ::testing::HasSubstr;

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

/// An https server with that certificate, known to the fetcher as "secure.test".
class TlsServer {
 public:
  explicit TlsServer(const Certificate& certificate)
      : server_(certificate.x509(), certificate.key()) {
    server_.Get("/", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("hello", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~TlsServer() {
    server_.stop();
    thread_.join();
  }

  FetchResponse Fetch(FetcherOptions options) const {
    const std::string port = std::to_string(port_);
    options.resolve = {"secure.test:" + port + ":127.0.0.1"};
    return tests::FetchOne("https://secure.test:" + port + "/", std::move(options));
  }

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::thread thread_;
};

class CurlFetcherTlsTest : public ::testing::Test {
 protected:
  ~CurlFetcherTlsTest() override {
    std::error_code ignored;  // absent in tests that trust nothing
    std::filesystem::remove(pem_, ignored);
  }

  FetcherOptions Trusting(const Certificate& certificate) {
    certificate.Save(pem_);
    FetcherOptions options = tests::LoopbackOptions();
    options.ca_file = pem_;
    return options;
  }

  const std::string pem_ = testing::TempDir() + "fetch_tls_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".pem";
};

TEST_F(CurlFetcherTlsTest, ATrustedCertificateIsTaken) {
  const Certificate good("secure.test", /*expired=*/false);
  const TlsServer server(good);
  const FetchResponse response = server.Fetch(Trusting(good));
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body, "hello");
}

TEST_F(CurlFetcherTlsTest, Row27_SelfSigned) {
  const Certificate good("secure.test", /*expired=*/false);
  const TlsServer server(good);
  const FetchResponse response = server.Fetch(tests::LoopbackOptions());
  EXPECT_EQ(response.error, FetchError::kTls);
  EXPECT_THAT(response.error_detail, HasSubstr("self-signed"));
  EXPECT_EQ(response.body, "");
}

TEST_F(CurlFetcherTlsTest, Row27_Expired) {
  const Certificate expired("secure.test", /*expired=*/true);
  const TlsServer server(expired);
  const FetchResponse response = server.Fetch(Trusting(expired));
  EXPECT_EQ(response.error, FetchError::kTls);
  EXPECT_THAT(response.error_detail, HasSubstr("expired"));
}

TEST_F(CurlFetcherTlsTest, Row27_WrongName) {
  const Certificate other("other.test", /*expired=*/false);
  const TlsServer server(other);
  const FetchResponse response = server.Fetch(Trusting(other));
  EXPECT_EQ(response.error, FetchError::kTls);
  EXPECT_THAT(response.error_detail, HasSubstr("secure.test"));
}

TEST_F(CurlFetcherTlsTest, Row27_InsecureOnRequest) {
  const Certificate other("other.test", /*expired=*/true);
  const TlsServer server(other);
  FetcherOptions options = tests::LoopbackOptions();
  options.insecure = true;
  EXPECT_EQ(server.Fetch(options).body, "hello");
}

}  // namespace
}  // namespace crawler

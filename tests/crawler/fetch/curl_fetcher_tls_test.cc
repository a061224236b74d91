// hostile-inputs.md row 27: certificates that are not to be trusted, each by its cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>
#include <thread>

#include "tests/crawler/fetch/certificate.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace crawler {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::Certificate;

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
  EXPECT_THAT(response.error_detail, StartsWith("self-signed: "));
  EXPECT_EQ(response.body, "");
}

TEST_F(CurlFetcherTlsTest, Row27_Expired) {
  const Certificate expired("secure.test", /*expired=*/true);
  const TlsServer server(expired);
  const FetchResponse response = server.Fetch(Trusting(expired));
  EXPECT_EQ(response.error, FetchError::kTls);
  EXPECT_THAT(response.error_detail, StartsWith("expired: "));
}

TEST_F(CurlFetcherTlsTest, Row27_WrongName) {
  const Certificate other("other.test", /*expired=*/false);
  const TlsServer server(other);
  const FetchResponse response = server.Fetch(Trusting(other));
  EXPECT_EQ(response.error, FetchError::kTls);
  EXPECT_THAT(response.error_detail, StartsWith("wrong-name: "));
  EXPECT_THAT(response.error_detail, HasSubstr("secure.test"));
}

// Who has lost the connection knows nothing against the server, and may try again.
TEST(TlsHandshakeTest, AConnectionLostInTheHandshakeIsNoFaultOfItsTls) {
  for (const bool reset : {true, false}) {
    tests::RawServer server([reset](tests::RawServer::Connection& client) {
      char byte = 0;
      ASSERT_EQ(recv(client.socket(), &byte, 1, 0), 1);
      if (reset) return client.Reset();
      shutdown(client.socket(), SHUT_WR);
      client.WaitForClose();
    });
    const FetchResponse response =
        tests::FetchOne("https://127.0.0.1:" + std::to_string(server.port()) + "/");
    EXPECT_EQ(response.error, FetchError::kReset) << response.error_detail;
  }
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

// hostile-inputs.md row 16: what comes on a connection on which nothing was asked is no answer.
// Each server says more between two requests; its bytes are there when the second begins.

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>

#include "tests/crawler/fetch/certificate.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace crawler {
namespace {

using tests::Certificate;
using tests::RawServer;

constexpr char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr char kEvil[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

/// One connection of a server, with TLS where there is a context.
class Peer {
 public:
  Peer(RawServer::Connection& plain, SSL_CTX* context) : plain_(plain) {
    if (context == nullptr) return;
    tls_.reset(SSL_new(context));
    SSL_set_fd(tls_.get(), plain.socket());
    SSL_accept(tls_.get());
  }
  std::string ReadRequest() {
    if (!tls_) return plain_.ReadRequest();
    std::string request;
    for (char byte = 0; !request.ends_with("\r\n\r\n"); request.push_back(byte)) {
      if (SSL_read(tls_.get(), &byte, 1) != 1) return {};
    }
    return request;
  }
  /// In one piece of TLS.
  void Send(const std::string& bytes) {
    if (tls_) {
      SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
    } else {
      plain_.Send(bytes);
    }
  }
  /// TLS says so before.
  void Close() {
    if (tls_) SSL_shutdown(tls_.get());
    shutdown(plain_.socket(), SHUT_WR);
  }

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  RawServer::Connection& plain_;
  std::unique_ptr<SSL, Free> tls_;
};

class IdleConnectionTest : public testing::TestWithParam<bool> {
 protected:
  IdleConnectionTest() {
    SSL_CTX_use_certificate(context_.get(), certificate_.x509());
    SSL_CTX_use_PrivateKey(context_.get(), certificate_.key());
  }

  /// Asks twice a server whose first connection answers with `first` and, when that was taken,
  /// does `later`.
  void FetchTwice(const std::function<void(Peer&)>& first,
                  const std::function<void(Peer&)>& later) {
    std::atomic<int> connections{0};
    std::binary_semaphore go_on{0}, done{0};
    RawServer server([&](RawServer::Connection& connection) {
      const bool is_first = ++connections == 1;
      Peer client(connection, GetParam() ? context_.get() : nullptr);
      if (client.ReadRequest().empty()) return;
      if (is_first) {
        first(client);
        go_on.acquire();
        later(client);
        done.release();
      } else {
        client.Send(kHello);
      }
      while (!client.ReadRequest().empty()) client.Send(kHello);
    });
    FetcherOptions options = tests::LoopbackOptions();
    options.transfers_max = 1;
    options.insecure = true;
    const std::string url =
        (GetParam() ? "https" : "http") + server.Url().substr(std::string("http").size());
    responses_ = tests::FetchAll({url, url}, options, [&] {
      go_on.release();
      done.acquire();
    });
    connections_ = connections.load();
  }

  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  const Certificate certificate_{"secure.test", /*expired=*/false};
  const std::unique_ptr<SSL_CTX, Free> context_{SSL_CTX_new(TLS_server_method())};
  std::map<std::uint64_t, FetchResponse> responses_;
  int connections_ = 0;
};

INSTANTIATE_TEST_SUITE_P(PlainAndTls, IdleConnectionTest, testing::Bool(),
                         [](const auto& with) { return with.param ? "Tls" : "Plain"; });

// (With TLS 1.3 the server's tickets come before its answer.)
TEST_P(IdleConnectionTest, OneOnWhichNothingComesIsUsedAgain) {
  FetchTwice([](Peer& client) { client.Send(kHello); }, [](Peer&) {});
  EXPECT_EQ(responses_[1].body, "hello") << responses_[1].error_detail;
  EXPECT_EQ(connections_, 1);
}

TEST_P(IdleConnectionTest, Row16_WhatComesUnaskedIsNoAnswer) {
  const std::string much = std::string(60'000, 'x');
  for (const std::string& unasked : {std::string(kEvil), std::string("rest of a body"), much}) {
    FetchTwice([](Peer& client) { client.Send(kHello); },
               [&](Peer& client) { client.Send(unasked); });
    EXPECT_EQ(responses_[1].error, FetchError::kNone) << responses_[1].error_detail;
    EXPECT_EQ(responses_[1].body, "hello");
    EXPECT_EQ(connections_, 2);
  }
}

TEST_P(IdleConnectionTest, Row16_WhatComesBehindABodyIsNoAnswer) {
  FetchTwice(
      [](Peer& client) {
        client.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        client.Send(std::string("hello") + kEvil);
      },
      [](Peer&) {});
  EXPECT_EQ(responses_[0].body, "hello");
  EXPECT_EQ(responses_[1].body, "hello") << responses_[1].error_detail;
  EXPECT_EQ(connections_, 2);
}

TEST_P(IdleConnectionTest, Row121_ATimeoutThatIsSaidBeforeTheCloseIsNoAnswer) {
  FetchTwice([](Peer& client) { client.Send(kHello); },
             [](Peer& client) {
               client.Send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
               client.Close();
             });
  EXPECT_EQ(responses_[1].status, 200);
  EXPECT_EQ(connections_, 2);
}

}  // namespace
}  // namespace crawler

// The fetcher behind proxies on loopback: HTTP, HTTPS and SOCKS5.

#include "tests/crawler/fetch/proxy_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <thread>

#include "tests/crawler/fetch/certificate.h"
#include "tests/crawler/fetch/fetch_one.h"

namespace crawler {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using tests::FetchOne;
using tests::LoopbackOptions;
using tests::ProxyServer;
using tests::RawServer;

constexpr char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class ProxyTest : public ::testing::Test {
 protected:
  // A web behind the proxy, whatever the host: it notes what it is asked.
  ProxyTest()
      : web_([this](RawServer::Connection& client) {
          for (std::string head; !(head = client.ReadRequest()).empty();) {
            base::MutexLock lock(mutex_);
            heads_.push_back(head);
            client.Send(kHello);
          }
        }) {}

  static FetcherOptions Through(const std::string& proxy) {
    FetcherOptions options;  // no allow_networks: the proxy stands on loopback all the same
    options.proxy = proxy;
    return options;
  }
  std::string At(const std::string& scheme, const ProxyServer& proxy) const {
    return scheme + "://127.0.0.1:" + std::to_string(proxy.port());
  }
  std::vector<std::string> heads() {
    base::MutexLock lock(mutex_);
    return heads_;
  }

  base::Mutex mutex_;
  std::vector<std::string> heads_ GUARDED_BY(mutex_);
  RawServer web_;
};

TEST_F(ProxyTest, HttpProxiesAreAskedForTheWholeUrl) {
  ProxyServer proxy(ProxyServer::Kind::kHttp, web_.port());
  const FetchResponse response = FetchOne("http://a.test/path?x", Through(At("http", proxy)));
  EXPECT_EQ(response.body, "hello") << response.error_detail;
  EXPECT_THAT(proxy.asked(), ElementsAre(StartsWith("GET http://a.test/path?x HTTP/1.1\r\n")));
  EXPECT_TRUE(response.proxied);
}

TEST_F(ProxyTest, SocksProxiesResolveTheName) {
  ProxyServer proxy(ProxyServer::Kind::kSocks5, web_.port());
  EXPECT_EQ(FetchOne("http://a.test/", Through(At("socks5h", proxy))).body, "hello");
  EXPECT_THAT(proxy.asked(), ElementsAre("SOCKS a.test"));
  EXPECT_THAT(heads(), ElementsAre(StartsWith("GET / HTTP/1.1\r\nHost: a.test\r\n")));
}

/// An https server that answers any path, and a file that has it trusted.
class TlsWeb {
 public:
  explicit TlsWeb(const std::string& name)
      : certificate_(name, false),
        pem_("proxy-test-" + name + "-" + std::to_string(getpid()) + ".pem"),
        server_(certificate_.x509(), certificate_.key()) {
    certificate_.Save(pem_);
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      asked_ = request.path;
      response.set_content("hello", "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~TlsWeb() {
    server_.stop();
    thread_.join();
    std::filesystem::remove(pem_);
  }
  int port() const { return port_; }
  const std::string& pem() const { return pem_; }
  const std::string& asked() const { return asked_; }

 private:
  const tests::Certificate certificate_;
  const std::string pem_;
  httplib::SSLServer server_;
  std::string asked_;  // written before the response that a test waits for
  int port_ = 0;
  std::thread thread_;
};

TEST(TlsProxyTest, HttpsGoesThroughATunnelWhoseHeadersAreNotTheServers) {
  TlsWeb web("secure.test");
  ProxyServer proxy(ProxyServer::Kind::kHttp, web.port());
  FetcherOptions options;
  options.proxy = "http://user:hunter2@127.0.0.1:" + std::to_string(proxy.port());
  options.ca_file = web.pem();
  options.http2 = false;
  options.keep_raw = true;
  options.basic_auth = {"secure.test me:secret"};
  const FetchResponse response = FetchOne("https://secure.test/page", options);
  EXPECT_EQ(response.body, "hello") << response.error_detail;
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.Header("x-proxy").has_value());
  ASSERT_THAT(proxy.asked(), SizeIs(1));
  EXPECT_THAT(proxy.asked()[0],
              AllOf(StartsWith("CONNECT secure.test:443 HTTP/1.1\r\n"),
                    HasSubstr("Proxy-Authorization: Basic"), Not(HasSubstr("\r\nAuthorization:"))))
      << "what is meant for the server is not told the proxy, nor the other way round";
  ASSERT_TRUE(response.raw.has_value());
  EXPECT_THAT(response.raw->request,
              AllOf(StartsWith("GET /page HTTP/1.1\r\n"), Not(HasSubstr("Proxy-"))));
  EXPECT_THAT(response.raw->response_head, Not(HasSubstr("of-the-tunnel")));
}

TEST(TlsProxyTest, AProxyThatSpeaksTlsItself) {
  TlsWeb proxy("proxy.test");
  FetcherOptions options;
  const std::string port = std::to_string(proxy.port());
  options.proxy = "https://proxy.test:" + port;
  options.resolve = {"proxy.test:" + port + ":127.0.0.1"};
  EXPECT_EQ(FetchOne("http://a.test/x", options).error, FetchError::kTls)
      << "a proxy's certificate is looked at, too";
  options.ca_file = proxy.pem();
  const FetchResponse response = FetchOne("http://a.test/x", options);
  EXPECT_EQ(response.body, "hello") << response.error_detail;
  EXPECT_THAT(proxy.asked(), HasSubstr("/x"));
}

TEST_F(ProxyTest, WhatTheUrlItselfSaysOfPrivateNetworksIsNeverAsked) {
  for (const auto kind : {ProxyServer::Kind::kHttp, ProxyServer::Kind::kSocks5}) {
    ProxyServer proxy(kind, web_.port());
    const auto options = Through(At(kind == ProxyServer::Kind::kHttp ? "http" : "socks5h", proxy));
    for (const char* url :
         {"http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/",
          "http://localhost/", "http://intranet/", "http://2130706433/", "http://a.test:6379/"}) {
      EXPECT_EQ(FetchOne(url, options).error, FetchError::kAddressDenied) << url;
    }
    EXPECT_EQ(proxy.connections(), 0);
  }
}

TEST_F(ProxyTest, TheEnvironmentCannotMakeAnExceptionOfAHost) {
  ProxyServer proxy(ProxyServer::Kind::kHttp, web_.port());
  ASSERT_EQ(setenv("no_proxy", "a.test,*", 1), 0);
  const FetchResponse response = FetchOne("http://a.test/", Through(At("http", proxy)));
  ASSERT_EQ(unsetenv("no_proxy"), 0);
  EXPECT_EQ(response.body, "hello") << response.error_detail;
  EXPECT_EQ(proxy.connections(), 1);
}

TEST_F(ProxyTest, SecretsOfAHostGoToThatHostOnlyAndAProxysToTheProxy) {
  ProxyServer proxy(ProxyServer::Kind::kHttp, web_.port());
  FetcherOptions options =
      Through("http://user:hunter2@127.0.0.1:" + std::to_string(proxy.port()));
  options.basic_auth = {"a.test u:p"};
  options.host_headers = {"a.test X-Key: k"};
  options.transfers_max = 1;
  for (const char* url : {"http://a.test/", "http://b.test/", "http://a.test/again"}) {
    EXPECT_EQ(FetchOne(url, options).body, "hello");
  }
  ASSERT_THAT(proxy.asked(), SizeIs(3));
  EXPECT_THAT(proxy.asked(), Each(HasSubstr("Proxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n")));
  EXPECT_THAT(proxy.asked()[0], AllOf(HasSubstr("\r\nAuthorization: Basic dTpw\r\n"),
                                      HasSubstr("\r\nX-Key: k\r\n")));
  EXPECT_THAT(proxy.asked()[1],
              AllOf(Not(HasSubstr("\r\nAuthorization:")), Not(HasSubstr("X-Key"))));
}

TEST_F(ProxyTest, AProxyThatFailsIsNoFaultOfTheHost) {
  int nobody = 0;
  {
    RawServer gone([](RawServer::Connection&) {});
    nobody = gone.port();
  }
  RawServer asks([](RawServer::Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n");
  });
  const std::string broken =
      "HTTP/1.1 407 Who are you\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nno gzip";
  const std::string endless =
      "HTTP/1.1 407 Who are you\r\n\r\n" + std::string(LoopbackOptions().body_bytes_max + 1, 'x');
  const auto says = [](const std::string& answer) {
    return [&answer](RawServer::Connection& client) {
      client.ReadRequest();
      client.Send(answer);
    };
  };
  RawServer asks_brokenly(says(broken));
  RawServer asks_endlessly(says(endless));
  RawServer no_socks([](RawServer::Connection& client) { client.Send("garbage"); });
  const std::string here = "://u:hunter2@127.0.0.1:";
  for (const std::string& proxy :
       {"http" + here + std::to_string(nobody), "socks5h" + here + std::to_string(nobody),
        "http" + here + std::to_string(asks.port()),
        "http" + here + std::to_string(asks_brokenly.port()),
        "http" + here + std::to_string(asks_endlessly.port()),
        "socks5h" + here + std::to_string(no_socks.port())}) {
    for (const char* url : {"http://a.test/", "https://a.test/"}) {
      const FetchResponse response = FetchOne(url, Through(proxy));
      EXPECT_EQ(response.error, FetchError::kProxy) << proxy << ": " << response.error_detail;
      EXPECT_THAT(response.error_detail, Not(HasSubstr("hunter2")));
    }
  }
}

TEST_F(ProxyTest, AGatewaysErrorIsTheHosts) {
  RawServer gateway([](RawServer::Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 502 no such host\r\nContent-Length: 0\r\n\r\n");
  });
  const auto options = Through(gateway.Url(""));
  EXPECT_EQ(FetchOne("http://a.test/", options).status, 502);
  EXPECT_EQ(FetchOne("https://a.test/", options).error, FetchError::kConnect);
}

TEST(ProxyOptionTest, WhatIsNoProxyIsRefusedWithoutShowingIt) {
  for (const char* proxy : {"u:hunter2@host:1", "ftp://u:hunter2@host", "http://",
                            "http://u:hunter2 @host", "socks4://u:hunter2@host"}) {
    FetcherOptions options;
    options.proxy = proxy;
    const base::Status valid = Validate(options);
    ASSERT_FALSE(valid) << proxy;
    EXPECT_THAT(valid.error().message, Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace crawler

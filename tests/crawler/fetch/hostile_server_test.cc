// hostile-inputs.md sections A and C as far as they are the fetcher's, by row. The servers speak
// raw bytes; nothing here waits longer than the limits set.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <atomic>
#include <string>
#include <utility>

#include "frontier/url.h"
#include "tests/crawler/fetch/compress.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using tests::FetchOne;
using tests::Gzip;
using tests::LoopbackOptions;
using tests::RawServer;

using Connection = RawServer::Connection;

std::string Answer(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// What comes back when the server answers the first request with these bytes and closes.
FetchResponse FetchAnswer(const std::string& bytes, FetcherOptions options = LoopbackOptions()) {
  RawServer server([&](Connection& client) {
    client.ReadRequest();
    client.Send(bytes);
  });
  return FetchOne(server.Url(), std::move(options));
}

/// Likewise, but the connection stays open until the client leaves.
FetchResponse FetchStalling(const std::string& bytes, FetcherOptions options) {
  RawServer server([&](Connection& client) {
    client.ReadRequest();
    client.Send(bytes);
    client.WaitForClose();
  });
  return FetchOne(server.Url(), std::move(options));
}

FetcherOptions Impatient() {
  FetcherOptions options = LoopbackOptions();
  options.total_timeout = milliseconds(150);
  return options;
}

TEST(HostileServerTest, Row1_GzipBomb) {
  const std::string bomb = Gzip(std::string(std::size_t{100} * 1024 * 1024, '\0'));
  const FetchResponse response = FetchAnswer(Answer("Content-Encoding: gzip\r\n", bomb));
  EXPECT_EQ(response.error, FetchError::kBomb);
  EXPECT_THAT(response.error_detail, HasSubstr("bytes decode to more than"));
  EXPECT_LE(response.body.size(), 2u * 1024 * 1024);
}

TEST(HostileServerTest, Row2_NestedGzip) {
  const std::string nested = Gzip(Gzip("hello"));
  for (const char* fields : {"Content-Encoding: gzip, gzip\r\n",
                             "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"}) {
    const FetchResponse response = FetchAnswer(Answer(fields, nested));
    EXPECT_EQ(response.error, FetchError::kBadEncoding);
    EXPECT_THAT(response.error_detail, HasSubstr("gzip, gzip"));
    EXPECT_EQ(response.body, "");
  }
}

TEST(HostileServerTest, Row3_EndlessChunkedBody) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.SendForever("4000\r\n" + std::string(0x4000, 'x') + "\r\n");
  });
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_TRUE(response.body_cut);
  EXPECT_EQ(response.body.size(), LoopbackOptions().body_bytes_max);
}

TEST(HostileServerTest, Row4_StalledBody) {
  const FetchResponse response =
      FetchStalling("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx", Impatient());
  EXPECT_EQ(response.error, FetchError::kTimeout) << response.error_detail;
}

TEST(HostileServerTest, Row4_LowSpeed) {
  FetcherOptions options = LoopbackOptions();
  options.low_speed_time = std::chrono::seconds(1);
  const FetchResponse response =
      FetchStalling("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx", options);
  EXPECT_EQ(response.error, FetchError::kTimeout) << response.error_detail;
  EXPECT_THAT(response.error_detail, HasSubstr("too slow"));
}

TEST(HostileServerTest, Row5_StalledHeader) {
  const FetchResponse response = FetchStalling("HTTP/1.1 200 OK\r\nX-A: ", Impatient());
  EXPECT_EQ(response.error, FetchError::kTimeout) << response.error_detail;
}

TEST(HostileServerTest, Row6_AcceptsAndNeverAnswers) {
  const FetchResponse response = FetchStalling("", Impatient());
  EXPECT_EQ(response.error, FetchError::kTimeout) << response.error_detail;
  EXPECT_EQ(response.status, 0);
}

TEST(HostileServerTest, Row7_NobodyListens) {
  int port = 0;
  {
    RawServer gone([](Connection&) {});
    port = gone.port();
  }
  const FetchResponse response = FetchOne("http://127.0.0.1:" + std::to_string(port) + "/");
  EXPECT_EQ(response.error, FetchError::kConnect) << response.error_detail;
}

TEST(HostileServerTest, Row8_EndlessHeaders) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\n");
    client.SendForever("X-Flood: " + std::string(1000, 'x') + "\r\n");
  });
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_EQ(response.error, FetchError::kHeadersTooLarge) << response.error_detail;
}

TEST(HostileServerTest, Row9_HeaderLineOfTwoMegabytes) {
  const FetchResponse response =
      FetchAnswer(Answer("X-Long: " + std::string(2'000'000, 'x') + "\r\n", "hello"));
  EXPECT_EQ(response.error, FetchError::kHeadersTooLarge) << response.error_detail;
}

TEST(HostileServerTest, Row10_EndlessContinue) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.SendForever("HTTP/1.1 100 Continue\r\n\r\n");
  });
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_EQ(response.error, FetchError::kProtocol) << response.error_detail;
  EXPECT_THAT(response.error_detail, HasSubstr("interim"));
}

TEST(HostileServerTest, Row11_EndlessTrailers) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n");
    client.SendForever("X-Trailer: " + std::string(1000, 'x') + "\r\n");
  });
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_THAT(response.error, AnyOf(FetchError::kHeadersTooLarge, FetchError::kProtocol))
      << response.error_detail;
}

TEST(HostileServerTest, Row12_Http09) {
  const FetchResponse response = FetchAnswer("<html>no head at all</html>");
  EXPECT_EQ(response.error, FetchError::kProtocol) << response.error_detail;
  EXPECT_EQ(response.body, "");
}

TEST(HostileServerTest, Row13_NulInHeader) {
  const FetchResponse response = FetchAnswer(Answer(std::string("X-Nul: a\0b\r\n", 12), "hello"));
  EXPECT_EQ(response.error, FetchError::kProtocol) << response.error_detail;
}

TEST(HostileServerTest, Row14_SloppyHeadersAreTaken) {
  const FetchResponse response =
      FetchAnswer("HTTP/1.1 200 OK\nServer : x\nX-Folded: one\n two\nContent-Length: 5\n\nhello");
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.Header("server"), "x");
  EXPECT_EQ(response.Header("x-folded"), "one two");
}

TEST(HostileServerTest, Row15_ContentLengthTooLarge) {
  const FetchResponse response =
      FetchAnswer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
  EXPECT_EQ(response.error, FetchError::kReset) << response.error_detail;
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.status, 200);
}

TEST(HostileServerTest, Row16_ContentLengthTooSmall) {
  RawServer server([](Connection& client) {
    while (!client.ReadRequest().empty()) {
      client.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello world");
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  const auto responses = tests::FetchAll({server.Url(), server.Url()}, options);
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
    EXPECT_EQ(response.body, "he");
  }
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileServerTest, Row17_TwoDifferentContentLengths) {
  const FetchResponse response =
      FetchAnswer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello");
  EXPECT_EQ(response.error, FetchError::kProtocol);
  EXPECT_THAT(response.error_detail, HasSubstr("Content-Length"));
}

TEST(HostileServerTest, Row18_ContentLengthAndChunked) {
  RawServer server([](Connection& client) {
    while (!client.ReadRequest().empty()) {
      client.Send(
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
          "5\r\nhello\r\n0\r\n\r\n");
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  const auto responses = tests::FetchAll({server.Url(), server.Url()}, options);
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
    EXPECT_EQ(response.body, "hello");
  }
  EXPECT_EQ(server.connections(), 2) << "the connection is not to be used again";
}

TEST(HostileServerTest, Row19_AbsurdContentLengths) {
  for (const char* length : {"-5", "five", "100000000000000000000000"}) {
    const FetchResponse response =
        FetchAnswer("HTTP/1.1 200 OK\r\nContent-Length: " + std::string(length) + "\r\n\r\nhello");
    EXPECT_EQ(response.error, FetchError::kProtocol) << length << ": " << response.error_detail;
  }
}

TEST(HostileServerTest, Row20_BrokenChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* chunk : {"fffffffffffffffff1\r\nhello", "zz\r\nhello\r\n0\r\n\r\n"}) {
    const FetchResponse response = FetchAnswer(head + chunk);
    EXPECT_EQ(response.error, FetchError::kProtocol) << chunk << ": " << response.error_detail;
  }
  const FetchResponse early_end = FetchAnswer(head + "5\r\nhello\r\n");
  EXPECT_EQ(early_end.error, FetchError::kReset) << early_end.error_detail;
  EXPECT_EQ(early_end.body, "hello");
}

// An archive keeps what came; of a head that broke off nobody knows what it would have said.
TEST(HostileServerTest, AHeadThatIsRefusedForWhatItSaysIsKeptWhole) {
  FetcherOptions options = LoopbackOptions();
  options.keep_raw = true;
  for (const std::string fields :
       {"Content-Encoding: gzip, gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n"}) {
    const std::string head = "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
    const FetchResponse response = FetchAnswer(head + "body", options);
    EXPECT_NE(response.error, FetchError::kNone);
    ASSERT_TRUE(response.raw.has_value());
    EXPECT_EQ(response.raw->response_head, head);
  }
  options.header_bytes_max = 4096;
  const FetchResponse endless =
      FetchAnswer("HTTP/1.1 200 OK\r\nX: " + std::string(5000, 'x') + "\r\n\r\n", options);
  EXPECT_EQ(endless.error, FetchError::kHeadersTooLarge);
  EXPECT_EQ(endless.raw->response_head, "HTTP/1.1 200 OK\r\n");
}

TEST(HostileServerTest, Row21_TruncatedGzip) {
  const std::string whole = Gzip("A page that is long enough to be cut within its text.");
  const FetchResponse response =
      FetchAnswer(Answer("Content-Encoding: gzip\r\n", whole.substr(0, whole.size() - 9)));
  EXPECT_EQ(response.error, FetchError::kReset);
  EXPECT_THAT(response.error_detail, HasSubstr("compressed body"));
}

TEST(HostileServerTest, Row22_FalseOrUnknownCodingIsRetriedWithIdentity) {
  for (const char* coding : {"gzip", "br", "deflate", "zstd", "utf-8"}) {
    RawServer server([&](Connection& client) {
      for (std::string request; !(request = client.ReadRequest()).empty();) {
        const bool identity = request.find("Accept-Encoding: identity\r\n") != std::string::npos;
        const std::string field = "Content-Encoding: " + std::string(coding) + "\r\n";
        client.Send(Answer(identity ? "" : field, "<html>plain</html>"));
      }
    });
    const FetchResponse response = FetchOne(server.Url());
    EXPECT_EQ(response.error, FetchError::kNone) << coding << ": " << response.error_detail;
    EXPECT_EQ(response.body, "<html>plain</html>");
  }
}

TEST(HostileServerTest, Row22_OneRetryOnly) {
  std::atomic<int> requests{0};
  std::atomic<int> with_identity{0};
  const RawServer::Script script = [&](Connection& client) {
    for (std::string request; !(request = client.ReadRequest()).empty();) {
      ++requests;
      if (request.find("Accept-Encoding: identity\r\n") != std::string::npos) ++with_identity;
      client.Send(Answer("Content-Encoding: gzip\r\n", "<html>plain</html>"));
    }
  };
  RawServer server(script);
  RawServer other(script);
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  const auto responses =
      tests::FetchAll({server.Url("/a"), server.Url("/b"), other.Url("/a")}, options);
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.error, FetchError::kBadEncoding) << response.error_detail;
  }
  // The first page of an origin twice, what follows at once without coding; another origin begins
  // with all codings again.
  EXPECT_EQ(requests.load(), 5);
  EXPECT_EQ(with_identity.load(), 3);
}

// Of what is no page the head says all: what its body suffers from is noted and counts for
// nothing.
TEST(HostileServerTest, ABodyThatNobodyNeedsIsNoFault) {
  const std::string gzip = "Content-Encoding: gzip\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  const std::string cut = Gzip("A page that is long enough to be cut within its text.");
  const std::string bomb = Gzip(std::string(std::size_t{20} * 1024 * 1024, '\0'));
  std::string trailers = chunked + "0\r\n";
  for (int i = 0; i < 100; ++i) trailers += "T: " + std::string(1000, 'x') + "\r\n";
  const std::pair<std::string, FetchError> bodies[] = {
      {gzip + "Content-Length: 5\r\n\r\nhello", FetchError::kBadEncoding},
      {"Content-Encoding: zz\r\nContent-Length: 5\r\n\r\nhello", FetchError::kBadEncoding},
      {"Content-Encoding: gzip, gzip\r\nContent-Length: 5\r\n\r\nhello", FetchError::kBadEncoding},
      {"Transfer-Encoding: zz\r\n\r\nhello", FetchError::kBadEncoding},
      {gzip + "\r\n" + cut.substr(0, cut.size() - 9), FetchError::kReset},
      {gzip + "\r\n" + bomb, FetchError::kBomb},
      {"Content-Length: 178\r\n\r\n", FetchError::kReset},
      {chunked + "5\r\nhello\r\n", FetchError::kReset},
      {chunked + "zz\r\nhello\r\n0\r\n\r\n", FetchError::kProtocol},
      {trailers, FetchError::kHeadersTooLarge}};
  for (const char* status : {"404 Not Found", "301 Moved", "429 Slow", "503 Down", "206 Part"}) {
    for (const auto& [body, error] : bodies) {
      const std::string answer =
          "HTTP/1.1 " + std::string(status) + "\r\nLocation: /new\r\n" + body;
      std::atomic<int> requests{0};
      RawServer server([&](Connection& client) {
        while (!client.ReadRequest().empty()) {
          ++requests;
          client.Send(answer);
          shutdown(client.socket(), SHUT_WR);
        }
      });
      const FetchResponse response = FetchOne(server.Url());
      EXPECT_EQ(response.error, FetchError::kNone) << answer << response.error_detail;
      EXPECT_EQ(response.body_error, error) << answer;
      EXPECT_EQ(response.status, std::stoi(status));
      EXPECT_EQ(response.Header("location"), "/new");
      EXPECT_EQ(requests.load(), 1) << "a body that decodes would say no more";
    }
  }
}

TEST(HostileServerTest, ABodyThatNobodyNeedsMayStall) {
  const FetchResponse response =
      FetchStalling("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nx", Impatient());
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body_error, FetchError::kTimeout);
  EXPECT_EQ(response.status, 404);
}

// Where it says two things nobody knows what it says.
TEST(HostileServerTest, AHeadThatContradictsItselfIsRefusedWhateverItsStatus) {
  const FetchResponse response =
      FetchAnswer("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello");
  EXPECT_EQ(response.error, FetchError::kProtocol);
}

TEST(HostileServerTest, Row23_ResetInMidBody) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello");
    client.Reset();
  });
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_EQ(response.error, FetchError::kReset) << response.error_detail;
}

TEST(HostileServerTest, Row24_OddStatus) {
  const FetchResponse odd = FetchAnswer("HTTP/1.1 999 Denied\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(odd.error, FetchError::kNone);
  EXPECT_EQ(odd.status, 999);
  const FetchResponse letters = FetchAnswer("HTTP/1.1 abc\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(letters.error, FetchError::kProtocol) << letters.error_detail;
}

TEST(HostileServerTest, Row26_CookiesAreNotKept) {
  std::atomic<int> cookies{0};
  std::string flood;
  for (int i = 0; i < 500; ++i) flood += "Set-Cookie: c" + std::to_string(i) + "=1\r\n";
  RawServer server([&](Connection& client) {
    for (std::string request; !(request = client.ReadRequest()).empty();) {
      if (request.find("Cookie:") != std::string::npos) ++cookies;
      client.Send(Answer(flood, "hello"));
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  EXPECT_EQ(tests::FetchAll({server.Url(), server.Url()}, options).size(), 2u);
  EXPECT_EQ(cookies.load(), 0);
}

TEST(HostileServerTest, Row28_TlsToAPlainServer) {
  RawServer server([](Connection& client) {
    client.Send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    client.WaitForClose();
  });
  const FetchResponse response =
      FetchOne("https://127.0.0.1:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(response.error, FetchError::kTls) << response.error_detail;
  EXPECT_THAT(response.error_detail, testing::StartsWith("handshake: "));
}

TEST(HostileServerTest, Row29_TheEnvironmentsProxyIsNotUsed) {
  RawServer proxy([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "from the proxy"));
  });
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "hello"));
  });
  const std::string proxy_url = proxy.Url();
  ASSERT_EQ(setenv("http_proxy", proxy_url.c_str(), 1), 0);
  EXPECT_EQ(FetchOne(server.Url()).body, "hello");
  ASSERT_EQ(unsetenv("http_proxy"), 0);
  EXPECT_EQ(proxy.connections(), 0);

  FetcherOptions options = LoopbackOptions();
  options.proxy = proxy_url;
  EXPECT_EQ(FetchOne(server.Url(), options).body, "from the proxy");
}

TEST(HostileServerTest, Row30_AltSvcAndHstsAreNotFollowed) {
  // A server that points elsewhere: to another port, and to https from now on.
  RawServer other([](Connection& client) { client.ReadRequest(); });
  RawServer server([&](Connection& client) {
    while (!client.ReadRequest().empty()) {
      client.Send(Answer("Alt-Svc: h2=\":" + std::to_string(other.port()) +
                             "\"; ma=86400\r\nStrict-Transport-Security: max-age=86400\r\n"
                             "Refresh: 0\r\n",
                         "hello"));
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  for (const auto& [ticket, response] :
       tests::FetchAll(std::vector<std::string>(3, server.Url()), options)) {
    EXPECT_EQ(response.body, "hello") << response.error_detail;
    EXPECT_EQ(response.http_version, "1.1");
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST(HostileServerTest, Row33_OnlyHttp) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"}) {
    const FetchResponse response = FetchOne(url);
    EXPECT_EQ(response.error, FetchError::kProtocol) << url;
    EXPECT_EQ(response.body, "");
  }
}

TEST(HostileServerTest, Row40To44_LoopbackUnderEverySpelling) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "secret"));
  });
  // libcurl maps Unicode hosts only where the locale is a Unicode one.
  ASSERT_NE(setlocale(LC_ALL, "C.UTF-8"), nullptr);
  const std::string port = ":" + std::to_string(server.port()) + "/";
  for (const char* host :
       {"127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "127.1", "0", "0.0.0.0",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "localhost", "foo.localhost",
        "\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.\xe2\x93\xaa.\xe2\x93\xaa.\xe2\x91\xa0",
        ("127\xe3\x80\x82"
         "0\xe3\x80\x82"
         "0\xe3\x80\x82"
         "1")}) {
    const FetchResponse response = FetchOne("http://" + std::string(host) + port, {});
    EXPECT_EQ(response.error, FetchError::kAddressDenied) << host << ": " << response.error_detail;
    EXPECT_EQ(response.body, "") << host;
  }
  setlocale(LC_ALL, "C");
  EXPECT_EQ(server.connections(), 0);
}

TEST(HostileServerTest, Row40_TheDetailNamesTheAddress) {
  const FetchResponse response = FetchOne("http://10.1.2.3/", {});
  EXPECT_EQ(response.error, FetchError::kAddressDenied);
  EXPECT_EQ(response.error_detail, "10.1.2.3 is private network (10.0.0.0/8)");
}

TEST(HostileServerTest, Row46_EveryAddressOfANameIsJudged) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "hello"));
  });
  const std::string port = std::to_string(server.port());
  FetcherOptions options = LoopbackOptions();
  options.resolve = {"mixed.test:" + port + ":10.0.0.1,127.0.0.1",
                     "bad.test:" + port + ":10.0.0.1,192.168.0.1,169.254.169.254"};
  const FetchResponse mixed = FetchOne("http://mixed.test:" + port + "/", options);
  EXPECT_EQ(mixed.body, "hello") << mixed.error_detail;
  EXPECT_EQ(mixed.address, "127.0.0.1");
  const FetchResponse bad = FetchOne("http://bad.test:" + port + "/", options);
  EXPECT_EQ(bad.error, FetchError::kAddressDenied) << bad.error_detail;
}

TEST(HostileServerTest, Row47_NamesOfThisMachineOrNetwork) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "secret"));
  });
  const std::string port = std::to_string(server.port());
  // Even if such a name resolved to a public address.
  for (const std::string host : {"localhost", "LOCALHOST.", "x.localhost", "intranet", "wpad",
                                 "printer.local", "metadata.google.internal", "nas.home.arpa"}) {
    FetcherOptions options;
    const std::string url = "http://" + host + ":" + port + "/";
    const std::string in_urls(frontier::Url::Parse(url)->host());
    options.resolve = {in_urls + ":" + port + ":203.0.114.1"};
    const FetchResponse response = FetchOne(url, options);
    EXPECT_EQ(response.error, FetchError::kAddressDenied) << host << ": " << response.error_detail;
    EXPECT_THAT(response.error_detail, HasSubstr("name"));
    EXPECT_EQ(response.started, base::Time{})
        << "nothing was sent, so nothing is to be waited for";
  }
  EXPECT_EQ(server.connections(), 0);
  // Who opens his network means its names as well.
  EXPECT_EQ(FetchOne("http://localhost:" + port + "/").body, "secret");
}

TEST(HostileServerTest, Row48_PortsOfOtherProtocols) {
  for (const int port : {0, 21, 22, 25, 110, 143, 3306, 5060, 6000, 6379, 6667, 11211}) {
    const FetchResponse response = FetchOne("http://127.0.0.1:" + std::to_string(port) + "/");
    EXPECT_EQ(response.error, FetchError::kAddressDenied) << port << response.error_detail;
    EXPECT_THAT(response.error_detail, HasSubstr("port"));
  }
  FetcherOptions options = LoopbackOptions();
  options.allow_ports = {"6000"};
  EXPECT_EQ(FetchOne("http://127.0.0.1:6000/", options).error, FetchError::kConnect);
  options.allow_ports = {"6000x"};
  const base::SystemClock clock;
  auto refused = CurlFetcher::Create(options, clock);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("allow_ports"));
}

TEST(HostileServerTest, Row52_TheCrawlersOwnServices) {
  // On this machine by address, and where loopback is open still by port.
  EXPECT_THAT(FetchOne("http://127.0.0.1:8080/", {}).error_detail, HasSubstr("loopback"));
  EXPECT_THAT(FetchOne("http://127.0.0.1:6379/").error_detail, HasSubstr("port"));
}

TEST(HostileServerTest, Row49_CredentialsAreNeverSent) {
  RawServer server([](Connection& client) {
    client.ReadRequest();
    client.Send(Answer("", "hello"));
  });
  const FetchResponse response =
      FetchOne("http://user:pass@127.0.0.1:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(response.error, FetchError::kProtocol);
  EXPECT_EQ(server.connections(), 0);
}

TEST(HostileServerTest, AHandleForgetsTheFailureBefore) {
  // One handle, in turn: a bomb, a cut body, a good page, a reset, a good page.
  const std::string bomb = Gzip(std::string(std::size_t{50} * 1024 * 1024, '\0'));
  RawServer server([&](Connection& client) {
    for (std::string request; !(request = client.ReadRequest()).empty();) {
      if (request.starts_with("GET /bomb")) {
        client.Send(Answer("Content-Encoding: gzip\r\n", bomb));
      } else if (request.starts_with("GET /long")) {
        client.Send(Answer("", std::string(10'000, 'x')));
      } else if (request.starts_with("GET /reset")) {
        client.Send("HTTP/1.1 200 OK\r\nX-Reset: 1\r\nContent-Length: 100\r\n\r\nhello");
        client.Reset();
        return;
      } else {
        client.Send(Answer("X-Good: 1\r\n", "good"));
      }
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  options.body_bytes_max = 4096;
  auto responses =
      tests::FetchAll({server.Url("/bomb"), server.Url("/good"), server.Url("/long"),
                       server.Url("/good"), server.Url("/reset"), server.Url("/good")},
                      options);
  EXPECT_TRUE(responses[0].body_cut);  // 4096 bytes are reached before the ratio counts
  EXPECT_TRUE(responses[2].body_cut);
  EXPECT_EQ(responses[2].body.size(), 4096u);
  EXPECT_EQ(responses[4].error, FetchError::kReset);
  for (const int good : {1, 3, 5}) {
    const FetchResponse& response = responses[static_cast<std::uint64_t>(good)];
    EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
    EXPECT_EQ(response.error_detail, "");
    EXPECT_EQ(response.body, "good");
    EXPECT_FALSE(response.body_cut);
    EXPECT_EQ(response.headers.size(), 2u);
  }
}

}  // namespace
}  // namespace crawler

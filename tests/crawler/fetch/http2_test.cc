// hostile-inputs.md row 120: HTTP/2 that ends early or floods. The server speaks frames by hand
// over OpenSSL, so that it can break them as it likes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "tests/crawler/fetch/certificate.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace crawler {
namespace {

using tests::Certificate;
using tests::RawServer;

enum FrameType : unsigned char {
  kData = 0,
  kHeaders = 1,
  kRstStream = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kContinuation = 9,
};
constexpr std::size_t kFrameBytesMax = 16'384;

/// RFC 9113 section 4.1.
std::string Frame(FrameType type, unsigned char flags, unsigned stream, const std::string& body) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(body.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame + body;
}

std::string Word(unsigned value) {
  std::string word;
  for (const int shift : {24, 16, 8, 0}) word += static_cast<char>(value >> shift);
  return word;
}

/// A literal field that is not indexed, names and values without Huffman coding (RFC 7541).
std::string Field(const std::string& name, const std::string& value) {
  std::string field(1, '\0');
  for (const std::string* text : {&name, &value}) {
    std::size_t left = text->size();
    if (left < 0x7f) {
      field += static_cast<char>(left);
    } else {
      field += '\x7f';
      for (left -= 0x7f; left >= 0x80; left >>= 7) field += static_cast<char>(left | 0x80);
      field += static_cast<char>(left);
    }
    field += *text;
  }
  return field;
}

/// A response whose head takes a little more than `kilobytes`, in as many frames as it needs.
std::string ResponseWithHead(unsigned stream, int kilobytes, const std::string& body) {
  std::string block = "\x88";
  for (int i = 0; i < kilobytes; ++i)
    block += Field("x-" + std::to_string(i), std::string(1'020, 'a'));
  std::string frames;
  for (std::size_t at = 0; at < block.size(); at += kFrameBytesMax) {
    const bool last = at + kFrameBytesMax >= block.size();
    frames += Frame(at == 0 ? kHeaders : kContinuation, last ? 0x4 : 0, stream,
                    block.substr(at, kFrameBytesMax));
  }
  return frames + Frame(kData, 0x1, stream, body);
}

/// ":status: 200" (entry 8 of HPACK's static table), then a body.
std::string Response(unsigned stream, const std::string& body) {
  return Frame(kHeaders, 0x4, stream, "\x88") + Frame(kData, 0x1, stream, body);
}

/// One TLS connection whose client has sent its preface and its first request.
class H2Connection {
 public:
  H2Connection(SSL_CTX* context, int socket) : ssl_(SSL_new(context)) {
    SSL_set_fd(ssl_, socket);
    open_ = SSL_accept(ssl_) == 1;
    if (!open_) return;
    ReadExactly(24);  // "PRI * HTTP/2.0..."
    Send(Frame(kSettings, 0, 0, ""));
    WaitForRequest();
  }
  ~H2Connection() {
    if (open_) SSL_shutdown(ssl_);
    SSL_free(ssl_);
  }
  H2Connection(const H2Connection&) = delete;
  H2Connection& operator=(const H2Connection&) = delete;

  bool Send(const std::string& bytes) {
    if (open_) open_ = SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
    return open_;
  }
  void WaitForClose() {
    while (open_) ReadFrameType();
  }
  void WaitForRequest() {
    while (open_ && ReadFrameType() != kHeaders) {
    }
  }

 private:
  std::string ReadExactly(std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t got = 0;
    while (open_ && got < size) {
      const int count = SSL_read(ssl_, bytes.data() + got, static_cast<int>(size - got));
      if (count <= 0) {
        open_ = false;
      } else {
        got += static_cast<std::size_t>(count);
      }
    }
    return bytes;
  }
  int ReadFrameType() {
    const std::string head = ReadExactly(9);
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
    ReadExactly(std::size_t{byte(0)} << 16 | std::size_t{byte(1)} << 8 | byte(2));
    return byte(3);
  }

  SSL* const ssl_;
  bool open_ = false;
};

class Http2Test : public testing::Test {
 protected:
  using Script = std::function<void(H2Connection&, int nth)>;

  Http2Test() {
    SSL_CTX_use_certificate(context_, certificate_.x509());
    SSL_CTX_use_PrivateKey(context_, certificate_.key());
    SSL_CTX_set_alpn_select_cb(
        context_,
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*, unsigned,
           void*) {
          *out = reinterpret_cast<const unsigned char*>("h2");
          *size = 2;
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
  }
  ~Http2Test() override { SSL_CTX_free(context_); }

  /// Fetches from a server that does `script` on each connection.
  FetchResponse Fetch(const Script& script) { return std::move(FetchAll(1, script, {})[0]); }

  /// So often, one after the other, with a call in between.
  std::map<std::uint64_t, FetchResponse> FetchAll(std::size_t times, const Script& script,
                                                  std::function<void()> between) {
    connections_ = 0;
    RawServer server([&](RawServer::Connection& client) {
      H2Connection connection(context_, client.socket());
      script(connection, ++connections_);
    });
    FetcherOptions options = tests::LoopbackOptions();
    options.insecure = true;
    options.total_timeout = std::chrono::seconds(5);
    options.transfers_max = 1;
    const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
    return tests::FetchAll(std::vector<std::string>(times, url), options, std::move(between));
  }

  const Certificate certificate_{"secure.test", /*expired=*/false};
  SSL_CTX* const context_ = SSL_CTX_new(TLS_server_method());
  std::atomic<int> connections_{0};
};

TEST_F(Http2Test, APageComesOverHttp2) {
  const FetchResponse response = Fetch([](H2Connection& client, int) {
    client.Send(Response(1, "hello"));
    client.WaitForClose();
  });
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.http_version, "2");
}

// Unlike bytes on a connection of HTTP/1, they are nothing that a next request could be harmed by.
TEST_F(Http2Test, AConnectionOnWhichFramesComeIsUsedAgain) {
  std::binary_semaphore go_on{0}, done{0};
  auto responses = FetchAll(
      2,
      [&](H2Connection& client, int nth) {
        client.Send(Response(1, "hello"));
        if (nth == 1) {
          go_on.acquire();
          client.Send(Frame(kPing, 0, 0, "12345678"));
          done.release();
        }
        client.WaitForRequest();
        client.Send(Response(3, "again"));
        client.WaitForClose();
      },
      [&] {
        go_on.release();
        done.acquire();
      });
  EXPECT_EQ(responses[0].body, "hello");
  EXPECT_EQ(responses[1].body, "again") << responses[1].error_detail;
  EXPECT_EQ(connections_.load(), 1);
}

// libcurl takes such a head in pieces, of which no event announces the second.
TEST_F(Http2Test, AHeadMayBeAsLongAsTheLimitSays) {
  for (const int kilobytes : {15, 17, 33, 62}) {
    const FetchResponse response = Fetch([&](H2Connection& client, int) {
      client.Send(ResponseWithHead(1, kilobytes, "hello"));
      client.WaitForClose();
    });
    EXPECT_EQ(response.error, FetchError::kNone) << kilobytes << response.error_detail;
    EXPECT_EQ(response.headers.size(), static_cast<std::size_t>(kilobytes)) << kilobytes;
    EXPECT_EQ(response.body, "hello") << kilobytes;
  }
}

TEST_F(Http2Test, AHeadThatIsLongerIsRefusedNotWaitedFor) {
  for (const int kilobytes : {65, 70, 120}) {
    const FetchResponse response = Fetch([&](H2Connection& client, int) {
      client.Send(ResponseWithHead(1, kilobytes, "hello"));
      client.WaitForClose();
    });
    EXPECT_EQ(response.error, FetchError::kHeadersTooLarge) << kilobytes << response.error_detail;
  }
}

TEST_F(Http2Test, Row120_GoAwayBeforeTheRequestIsTriedOnANewConnection) {
  const FetchResponse response = Fetch([](H2Connection& client, int nth) {
    if (nth == 1) {
      client.Send(Frame(kGoAway, 0, 0, Word(0) + Word(0)));
      return;
    }
    client.Send(Response(1, "hello"));
    client.WaitForClose();
  });
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(connections_.load(), 2);
}

TEST_F(Http2Test, Row120_GoAwayForEverIsGivenUp) {
  const FetchResponse response = Fetch(
      [](H2Connection& client, int) { client.Send(Frame(kGoAway, 0, 0, Word(0) + Word(0))); });
  EXPECT_EQ(response.error, FetchError::kReset) << response.error_detail;
  EXPECT_LE(connections_.load(), 10);
}

TEST_F(Http2Test, Row120_AStreamThatIsResetMayBeTriedAgainLater) {
  const FetchResponse response = Fetch([](H2Connection& client, int) {
    client.Send(Frame(kHeaders, 0x4, 1, "\x88") + Frame(kData, 0, 1, "hel") +
                Frame(kRstStream, 0, 1, Word(2)));
    client.WaitForClose();
  });
  EXPECT_EQ(response.error, FetchError::kReset) << response.error_detail;
}

TEST_F(Http2Test, Row120_FloodsOfPingsAndSettingsEnd) {
  for (const std::string& frame :
       {Frame(kPing, 0, 0, "12345678"), Frame(kSettings, 0, 0, std::string("\0\3\0\0\0\1", 6))}) {
    std::string many;
    for (int i = 0; i < 1'000; ++i) many += frame;
    const FetchResponse response = Fetch([&](H2Connection& client, int) {
      while (client.Send(many)) {
      }
    });
    EXPECT_THAT(response.error,
                testing::AnyOf(FetchError::kReset, FetchError::kTimeout, FetchError::kProtocol))
        << response.error_detail;
  }
}

TEST_F(Http2Test, Row120_FramesThatAreNone) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 200 OK\r\n\r\nhello"), Frame(kData, 0x1, 1, "no headers"),
        Frame(kHeaders, 0x4, 1, "\xff\xff\xff\xff\xff\xff"), Frame(kGoAway, 0, 0, "x")}) {
    const FetchResponse response = Fetch([&](H2Connection& client, int) { client.Send(bytes); });
    EXPECT_NE(response.error, FetchError::kNone);
  }
}

}  // namespace
}  // namespace crawler

#include "crawler/fetch/curl_fetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <latch>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace {

// So many of this thread's calls of socket() succeed, then one does not; -1: all do.
thread_local int sockets_before_shortage = -1;

}  // namespace

// Stands before the C library's.
extern "C" int socket(int domain, int type, int protocol) noexcept {
  if (sockets_before_shortage >= 0 && sockets_before_shortage-- == 0) {
    errno = EMFILE;
    return -1;
  }
  return static_cast<int>(syscall(SYS_socket, domain, type, protocol));
}

namespace crawler {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using tests::FetchAll;
using tests::FetchOne;
using tests::LoopbackOptions;
using tests::RawServer;

constexpr char kHello[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello";

/// Answers every request on a connection with the same bytes.
RawServer::Script Always(std::string answer) {
  return [answer = std::move(answer)](RawServer::Connection& client) {
    while (!client.ReadRequest().empty() && client.Send(answer)) {
    }
  };
}

/// cpp-httplib on an ephemeral port.
class WebServer {
 public:
  httplib::Server& routes() { return server_; }
  std::string Start() {
    server_.set_keep_alive_max_count(1000);
    server_.set_tcp_nodelay(true);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    return "http://127.0.0.1:" + std::to_string(port_);
  }
  ~WebServer() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(CurlFetcherTest, BringsStatusHeadersAndBody) {
  WebServer server;
  server.routes().Get("/a", [](const httplib::Request& request, httplib::Response& response) {
    response.set_header("X-Agent", request.get_header_value("User-Agent"));
    response.set_header("X-Codings", request.get_header_value("Accept-Encoding"));
    response.set_content("<p>hello</p>", "text/html; charset=utf-8");
  });
  const std::string base = server.Start();
  FetcherOptions options = LoopbackOptions();
  options.contact_url = "https://example.org/bot";
  const FetchResponse response = FetchOne(base + "/a", options);
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "<p>hello</p>");
  EXPECT_EQ(response.Header("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(response.Header("x-agent"), "ContentSeen/0.1 (+https://example.org/bot)");
  EXPECT_EQ(response.Header("x-codings"), "gzip, deflate, br");
  EXPECT_FALSE(response.body_cut);
  EXPECT_EQ(response.address, "127.0.0.1");
  EXPECT_EQ(response.http_version, "1.1");
  EXPECT_GT(response.started, base::Time{});
  EXPECT_EQ(FetchOne(base + "/absent").status, 404);
}

TEST(CurlFetcherTest, DecodesWhatAnotherServerCompressed) {
  WebServer server;
  const std::string page(20'000, 'x');
  server.routes().Get("/a", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content("<p>" + page + "</p>", "text/html");
  });
  const FetchResponse response = FetchOne(server.Start() + "/a");
  EXPECT_EQ(response.error, FetchError::kNone) << response.error_detail;
  EXPECT_EQ(response.body, "<p>" + page + "</p>");
  EXPECT_TRUE(response.Header("content-encoding").has_value());
  EXPECT_LT(response.wire_bytes, 2000u);
}

TEST(CurlFetcherTest, CountsTheBytesThatCameWithTheHead) {
  const std::string answer = "HTTP/1.1 200 OK\r\nX-Padding: " + std::string(9'000, 'x') +
                             "\r\nContent-Length: 4\r\n\r\nbody";
  const std::string moved = "HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n";
  for (const std::string& sent : {answer, moved}) {
    RawServer server(Always(sent));
    EXPECT_EQ(FetchOne(server.Url()).wire_bytes, sent.size());
  }
}

TEST(CurlFetcherTest, RedirectsAreNotFollowed) {
  RawServer server(Always("HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"));
  const FetchResponse response = FetchOne(server.Url());
  EXPECT_EQ(response.error, FetchError::kNone);
  EXPECT_EQ(response.status, 301);
  EXPECT_EQ(response.Header("location"), "/b");
}

TEST(CurlFetcherTest, ConnectionsAreKeptAliveAndReused) {
  RawServer server(Always(kHello));
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  const auto responses = FetchAll(std::vector<std::string>(50, server.Url()), options);
  ASSERT_EQ(responses.size(), 50u);
  for (const auto& [ticket, response] : responses) EXPECT_EQ(response.body, "hello") << ticket;
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlFetcherTest, ManyTransfersAtTheSameTime) {
  // Each answer waits until all requests are there: fewer transfers at once would hang.
  constexpr int kAtOnce = 200;
  std::latch all_there(kAtOnce);
  RawServer server([&](RawServer::Connection& client) {
    if (client.ReadRequest().empty()) return;
    all_there.arrive_and_wait();
    client.Send(kHello);
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = kAtOnce;
  const auto responses = FetchAll(std::vector<std::string>(kAtOnce, server.Url()), options);
  ASSERT_EQ(responses.size(), static_cast<std::size_t>(kAtOnce));
  for (const auto& [ticket, response] : responses) EXPECT_EQ(response.body, "hello") << ticket;
}

TEST(CurlFetcherTest, NoMoreTransfersThanAllowed) {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  RawServer server([&](RawServer::Connection& client) {
    while (!client.ReadRequest().empty()) {
      const int mine = ++now;
      int seen = most.load();
      while (seen < mine && !most.compare_exchange_weak(seen, mine)) {
      }
      --now;
      client.Send(kHello);
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 3;
  options.connections_max = 3;
  const auto responses = FetchAll(std::vector<std::string>(100, server.Url()), options);
  EXPECT_EQ(responses.size(), 100u);
  EXPECT_LE(most.load(), 3);
  EXPECT_LE(server.connections(), 3);
}

/// A source that a test feeds while the fetcher runs, counting how often it is asked.
class FedSource final : public FetchSource {
 public:
  void Feed(FetchRequest request) {
    base::MutexLock lock(mutex_);
    requests_.push(std::move(request));
  }
  void Finish() {
    base::MutexLock lock(mutex_);
    finish_ = true;
  }
  /// Waits until the fetcher has found nothing `times` times.
  void AwaitIdle(int times) {
    base::MutexLock lock(mutex_);
    while (idle_ < times) changed_.Wait(mutex_);
  }
  /// Waits for that many responses in all.
  void AwaitResponses(std::size_t count) {
    base::MutexLock lock(mutex_);
    while (responses_.size() < count) changed_.Wait(mutex_);
  }
  std::vector<FetchResponse> responses() {
    base::MutexLock lock(mutex_);
    return responses_;
  }
  int asked() {
    base::MutexLock lock(mutex_);
    return asked_;
  }

  Next NextFetch() override {
    base::MutexLock lock(mutex_);
    ++asked_;
    if (!requests_.empty()) {
      FetchRequest request = std::move(requests_.front());
      requests_.pop();
      return request;
    }
    if (finish_) return Finished{};
    ++idle_;
    changed_.NotifyAll();
    return WaitForWake{};
  }
  void Fetched(FetchRequest, FetchResponse response) override {
    base::MutexLock lock(mutex_);
    responses_.push_back(std::move(response));
    changed_.NotifyAll();
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  std::queue<FetchRequest> requests_ GUARDED_BY(mutex_);
  std::vector<FetchResponse> responses_ GUARDED_BY(mutex_);
  bool finish_ GUARDED_BY(mutex_) = false;
  int idle_ GUARDED_BY(mutex_) = 0;
  int asked_ GUARDED_BY(mutex_) = 0;
};

/// A fetcher with its thread.
class Running {
 public:
  Running(FetchSource& source, FetcherOptions options = LoopbackOptions()) {
    auto made = CurlFetcher::Create(std::move(options), clock_);
    CHECK(made.has_value());
    fetcher = std::move(*made);
    thread_ = std::thread([this, &source] { fetcher->Run(source); });
  }
  ~Running() { Join(); }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  std::unique_ptr<CurlFetcher> fetcher;

 private:
  const base::SystemClock clock_;
  std::thread thread_;
};

TEST(CurlFetcherTest, WakeBringsNewWork) {
  RawServer server(Always(kHello));
  FedSource source;
  Running running(source);
  source.AwaitIdle(1);
  source.Feed({1, server.Url()});
  running.fetcher->Wake();
  source.AwaitResponses(1);
  source.AwaitIdle(2);  // asked again after the completion
  source.Feed({2, server.Url()});
  running.fetcher->Wake();
  source.AwaitResponses(2);
  source.Finish();
  running.fetcher->Wake();
  running.Join();
  EXPECT_EQ(source.responses().size(), 2u);
  // Asked on start, wakes and completions only, each until it had nothing.
  EXPECT_LE(source.asked(), 9);
}

TEST(CurlFetcherTest, ASlowTransferDoesNotMakeItAskInALoop) {
  // The body drips in many pieces; each piece wakes the loop, none is a reason to ask.
  RawServer server([&](RawServer::Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n");
    for (int i = 0; i < 2000; ++i) client.Send("x");
    client.WaitForClose();
  });
  FedSource source;
  source.Feed({1, server.Url()});
  Running running(source);
  source.AwaitResponses(1);
  source.Finish();
  running.fetcher->Wake();
  running.Join();
  EXPECT_EQ(source.responses()[0].body.size(), 2000u);
  EXPECT_LE(source.asked(), 6);
}

/// Says WaitUntil some milliseconds ahead, then finishes.
class WaitingSource final : public FetchSource {
 public:
  explicit WaitingSource(const base::Clock& clock) : clock_(clock) {}
  Next NextFetch() override {
    ++asked;
    const base::Time now = clock_.Now();
    if (until == base::Time{}) until = now + milliseconds(30);
    if (now < until) return WaitUntil{until};
    return Finished{};
  }
  void Fetched(FetchRequest, FetchResponse) override {}

  int asked = 0;
  base::Time until{};

 private:
  const base::Clock& clock_;
};

TEST(CurlFetcherTest, WaitUntilIsKept) {
  const base::SystemClock clock;
  WaitingSource source(clock);
  auto fetcher = CurlFetcher::Create({}, clock);
  ASSERT_TRUE(fetcher.has_value());
  (*fetcher)->Run(source);
  EXPECT_GE(clock.Now(), source.until);
  EXPECT_EQ(source.asked, 2);
}

TEST(CurlFetcherTest, StopEndsWhatIsInFlight) {
  constexpr int kInFlight = 20;
  std::latch all_there(kInFlight);
  RawServer server([&](RawServer::Connection& client) {
    client.ReadRequest();
    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    all_there.count_down();
    client.WaitForClose();
  });
  FedSource source;
  for (int i = 0; i < kInFlight; ++i) source.Feed({static_cast<std::uint64_t>(i), server.Url()});
  Running running(source);
  all_there.wait();
  source.Feed({99, server.Url()});  // must not be taken any more
  running.fetcher->Stop();
  running.Join();
  const auto responses = source.responses();
  ASSERT_EQ(responses.size(), static_cast<std::size_t>(kInFlight));
  for (const FetchResponse& response : responses) EXPECT_EQ(response.error, FetchError::kStopped);

  tests::ListSource later({server.Url()});
  running.fetcher->Run(later);
  EXPECT_TRUE(later.responses.empty());
}

/// One request that is never answered and a second one for the same address, which bears one.
class CrowdedFetchTest : public ::testing::Test {
 protected:
  CrowdedFetchTest() {
    options_.connecting_per_address_max = 1;
    options_.total_timeout = milliseconds(300);
    for (const char* name : {"dead.test:", "dead6.test:", "alone.test:"}) {
      const std::string others = name[4] == '.' ? "127.0.0.2," : name[4] == '6' ? "[::1]," : "";
      options_.resolve.push_back(name + port_ + ":" + others + "127.0.0.1");
    }
  }
  std::vector<std::string> Urls(const std::string& second) const {
    return {"http://127.0.0.1:" + port_ + "/silent", "http://" + second + ":" + port_ + "/"};
  }

  RawServer server_{[](RawServer::Connection& client) {
    if (client.ReadRequest().starts_with("GET /silent")) return client.WaitForClose();
    client.Send(kHello);
  }};
  const std::string port_ = std::to_string(server_.port());
  FetcherOptions options_ = LoopbackOptions();
};

// Nobody listens at the other addresses.
TEST_F(CrowdedFetchTest, AHostWaitsForItsAddressAlsoWhereAnotherOneIsDead) {
  for (const char* host : {"alone.test", "dead.test", "dead6.test"}) {
    auto responses = FetchAll(Urls(host), options_);
    EXPECT_EQ(responses[0].error, FetchError::kTimeout) << responses[0].error_detail;
    EXPECT_EQ(responses[1].body, "hello") << host << ": " << responses[1].error_detail;
    EXPECT_GE(responses[1].crowds, 1u) << host;
  }
}

TEST_F(CrowdedFetchTest, WhatWaitsWhenTheSourceHasStoppedIsGivenBackUnasked) {
  options_.transfers_max = 2;  // so that there is no room to ask it anything more
  const base::SystemClock clock;
  auto fetcher = CurlFetcher::Create(options_, clock);
  ASSERT_TRUE(fetcher.has_value());
  tests::ListSource source(Urls("alone.test"), /*stopping=*/true);
  (*fetcher)->Run(source);
  EXPECT_EQ(source.responses[0].error, FetchError::kTimeout) << "it was under way";
  EXPECT_EQ(source.responses[1].error, FetchError::kStopped);
  EXPECT_EQ(server_.connections(), 1);
}

// The server keeps the first request until the second is there, whose host has a good address
// behind bad ones: were they waited for, the first would end as too slow before that.
TEST(ManyAddressesTest, WhatIsRefusedOrDeniedIsNotWaitedFor) {
  for (const char* others :
       {"127.0.0.2,127.0.0.3,127.0.0.4,", "10.0.0.1,10.0.0.2,10.0.0.3,",
        "10.0.0.1,127.0.0.2,10.0.0.3,127.0.0.4,", "[::1],10.0.0.1,10.0.0.2,"}) {
    std::latch second_there(1);
    RawServer server([&](RawServer::Connection& client) {
      if (client.ReadRequest().starts_with("GET /first")) {
        second_there.wait();
      } else {
        second_there.count_down();
      }
      client.Send(kHello);
    });
    const std::string port = std::to_string(server.port());
    FetcherOptions options = LoopbackOptions();
    options.low_speed_time = std::chrono::seconds(2);
    options.connect_timeout = std::chrono::seconds(30);
    options.resolve = {"many.test:" + port + ":" + others + "127.0.0.1"};
    auto responses = FetchAll({server.Url("/first"), "http://many.test:" + port + "/"}, options);
    EXPECT_EQ(responses[0].body, "hello") << others << responses[0].error_detail;
    EXPECT_EQ(responses[1].body, "hello") << others << responses[1].error_detail;
  }
}

TEST(ManyAddressesTest, DeniedOnesAreNoConnectionThatTookTooLong) {
  FetcherOptions options;
  std::string entry = "many.test:80:10.0.0.0";
  for (int i = 1; i < 200; ++i) entry += ",10.0.0." + std::to_string(i);
  options.resolve = {entry};
  options.connect_timeout = milliseconds(30);
  const FetchResponse response = tests::FetchOne("http://many.test/", options);
  EXPECT_EQ(response.error, FetchError::kAddressDenied) << response.error_detail;
  EXPECT_TRUE(response.error_detail.starts_with("10.0.0.0 is private")) << response.error_detail;
}

TEST(CurlFetcherTest, AfterAShortageItCarriesMoreAgainAndAgain) {
  // The last two wait for one another.
  std::latch both_there(2);
  RawServer server([&](RawServer::Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      if (head.starts_with("GET /last")) both_there.arrive_and_wait();
      client.Send(kHello);
    }
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 2;
  options.total_timeout = std::chrono::seconds(2);
  std::vector<std::string> urls(120, server.Url());
  urls.push_back(server.Url("/last/1"));
  urls.push_back(server.Url("/last/2"));
  sockets_before_shortage = 1;
  auto responses = FetchAll(urls, options);
  std::uint32_t shortages = 0;
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.body, "hello") << ticket << ": " << response.error_detail;
    shortages += response.shortages;
  }
  EXPECT_EQ(shortages, 1u);
}

TEST(CurlFetcherTest, RunsAgainAfterItsSourceFinished) {
  RawServer server(Always(kHello));
  const base::SystemClock clock;
  auto fetcher = CurlFetcher::Create(LoopbackOptions(), clock);
  ASSERT_TRUE(fetcher.has_value());
  for (int i = 0; i < 3; ++i) {
    tests::ListSource source({server.Url(), server.Url()});
    (*fetcher)->Run(source);
    EXPECT_EQ(source.responses.size(), 2u);
  }
}

TEST(CurlFetcherTest, OneServerManyLoops) {
  RawServer server(Always(kHello));
  std::vector<std::thread> loops;
  loops.reserve(4);
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i) {
    loops.emplace_back([&] {
      FetcherOptions options = LoopbackOptions();
      options.transfers_max = 8;
      for (const auto& [ticket, response] :
           FetchAll(std::vector<std::string>(50, server.Url()), options)) {
        if (response.body == "hello") ++good;
      }
    });
  }
  for (std::thread& loop : loops) loop.join();
  EXPECT_EQ(good.load(), 200);
}

TEST(CurlFetcherTest, Row121_AKeptConnectionThatTheServerClosedIsTriedAnew) {
  // The answer says keep-alive, the connection is closed all the same.
  RawServer server([](RawServer::Connection& client) {
    client.ReadRequest();
    client.Send(kHello);
  });
  FetcherOptions options = LoopbackOptions();
  options.transfers_max = 1;
  const auto responses = FetchAll(std::vector<std::string>(5, server.Url()), options);
  for (const auto& [ticket, response] : responses) {
    EXPECT_EQ(response.body, "hello") << response.error_detail;
  }
  EXPECT_EQ(server.connections(), 5);
}

TEST(CurlFetcherTest, ResolveGivesNamesFixedAddresses) {
  RawServer server(Always(kHello));
  const std::string port = std::to_string(server.port());
  FetcherOptions options = LoopbackOptions();
  options.resolve = {"www.example.test:" + port + ":127.0.0.1",
                     "mixed.example.test:" + port + ":10.0.0.1,127.0.0.1"};
  EXPECT_EQ(FetchOne("http://www.example.test:" + port + "/", options).body, "hello");
  // hostile-inputs.md row 46: every address is judged for itself.
  const FetchResponse mixed = FetchOne("http://mixed.example.test:" + port + "/", options);
  EXPECT_EQ(mixed.body, "hello") << mixed.error_detail;
  EXPECT_EQ(mixed.address, "127.0.0.1");
}

TEST(CurlFetcherTest, RefusesOptionsOutOfRangeByName) {
  const base::SystemClock clock;
  auto complaint = [&](auto change) {
    FetcherOptions options;
    change(options);
    auto fetcher = CurlFetcher::Create(options, clock);
    return fetcher ? std::string() : fetcher.error().message;
  };
  EXPECT_EQ(complaint([](FetcherOptions&) {}), "");
  EXPECT_THAT(complaint([](auto& o) { o.transfers_max = 0; }), HasSubstr("transfers_max"));
  EXPECT_THAT(complaint([](auto& o) { o.total_timeout = milliseconds(1); }),
              HasSubstr("total_timeout = 1 is out of its range 10 to 3600000 ms"));
  EXPECT_THAT(complaint([](auto& o) { o.body_bytes_max = 10; }), HasSubstr("body_bytes_max"));
  EXPECT_THAT(complaint([](auto& o) { o.user_agent = "a\r\nX: y"; }), HasSubstr("user_agent"));
  EXPECT_THAT(complaint([](auto& o) { o.contact_url = "\n"; }), HasSubstr("contact_url"));
  EXPECT_THAT(complaint([](auto& o) { o.allow_networks = {"lan"}; }), HasSubstr("allow_networks"));
  EXPECT_THAT(complaint([](auto& o) { o.bind_address = "eth0"; }), HasSubstr("bind_address"));
  EXPECT_THAT(complaint([](auto& o) { o.ca_file = "/absent.pem"; }), HasSubstr("ca_file"));
}

}  // namespace
}  // namespace crawler

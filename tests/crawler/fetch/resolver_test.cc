// hostile-inputs.md rows 45 and 108: name servers that change their answer, or give none; and a
// system that has no thread to ask them. This program's own getaddrinfo() stands before the C
// library's, also for libcurl.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace {

std::mutex hanging_mutex;
std::condition_variable hanging_ended;
bool hanging = false;
std::atomic<int> rebinds{0};

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using Resolve = int(const char*, const char*, const addrinfo*, addrinfo**);
  static auto* const real = reinterpret_cast<Resolve*>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const std::string host = name == nullptr ? "" : name;
  if (host == "rebind.test") {
    name = ++rebinds == 1 ? "127.0.0.1" : "127.0.0.2";
  } else if (host == "here.test") {
    name = "127.0.0.1";
  } else if (host == "hang.test") {
    std::unique_lock lock(hanging_mutex);
    hanging_ended.wait(lock, [] { return !hanging; });
    return EAI_AGAIN;
  }
  return real(name, service, hints, result);
}

namespace crawler {
namespace {

using tests::RawServer;

constexpr char kHello[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";

void Answer(RawServer::Connection& client) {
  client.ReadRequest();
  client.Send(kHello);
}

TEST(ResolverTest, Row45_ANameThatIsBoundAnew) {
  RawServer server(Answer);
  FetcherOptions options;
  options.allow_networks = {"127.0.0.1/32"};
  options.dns_cache_time = std::chrono::seconds(0);
  options.transfers_max = 1;
  rebinds = 0;
  const std::string url = "http://rebind.test:" + std::to_string(server.port()) + "/";
  auto responses = tests::FetchAll({url, url}, options);
  EXPECT_EQ(responses[0].body, "hello") << responses[0].error_detail;
  EXPECT_EQ(responses[1].error, FetchError::kAddressDenied) << responses[1].error_detail;
  EXPECT_THAT(responses[1].error_detail, testing::HasSubstr("127.0.0.2"));
  EXPECT_EQ(server.connections(), 1);
}

TEST(ResolverTest, Row108_ANameThatIsNeverResolved) {
  {
    const std::lock_guard lock(hanging_mutex);
    hanging = true;
  }
  RawServer server(Answer);
  FetcherOptions options = tests::LoopbackOptions();
  options.connect_timeout = std::chrono::milliseconds(300);
  auto responses = tests::FetchAll(
      {"http://hang.test/", server.Url(), "http://hang.test/", server.Url()}, options);
  EXPECT_EQ(responses[0].error, FetchError::kDns) << responses[0].error_detail;
  EXPECT_EQ(responses[1].body, "hello") << responses[1].error_detail;
  EXPECT_EQ(responses[2].error, FetchError::kDns) << responses[2].error_detail;
  EXPECT_EQ(responses[3].body, "hello");
  const std::lock_guard lock(hanging_mutex);
  hanging = false;
  hanging_ended.notify_all();
}

// While it stands no thread starts: none has room for its stack.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

// Its URLs at once, and no thread before the first of them has ended.
class FewThreadsSource final : public FetchSource {
 public:
  explicit FewThreadsSource(std::vector<std::string> urls) : urls_(std::move(urls)) {}

  Next NextFetch() override {
    if (next_ == urls_.size()) return Finished{};
    const std::size_t ticket = next_++;
    return FetchRequest{ticket, urls_[ticket]};
  }
  void Fetched(FetchRequest request, FetchResponse response) override {
    no_threads_.reset();
    responses[request.ticket] = std::move(response);
  }

  std::map<std::uint64_t, FetchResponse> responses;

 private:
  std::optional<NoThreads> no_threads_{std::in_place};
  const std::vector<std::string> urls_;
  std::size_t next_ = 0;
};

TEST(ResolverTest, ANameThatNoThreadLooksUpWaitsAndItsHostIsNotBlamed) {
  RawServer server(Answer);
  std::string closed;  // a server that was
  {
    const RawServer gone(Answer);
    closed = gone.Url();
  }
  const base::SystemClock clock;
  auto fetcher = CurlFetcher::Create(tests::LoopbackOptions(), clock);
  ASSERT_TRUE(fetcher);
  FewThreadsSource source({"http://here.test:" + std::to_string(server.port()) + "/", closed});
  (*fetcher)->Run(source);
  EXPECT_EQ(source.responses[0].body, "hello") << source.responses[0].error_detail;
  EXPECT_GT(source.responses[0].shortages, 0U);
  EXPECT_EQ(source.responses[1].error, FetchError::kConnect);
}

}  // namespace
}  // namespace crawler

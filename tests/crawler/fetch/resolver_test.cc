// hostile-inputs.md rows 45 and 108: name servers that change their answer, or give none. This
// program's own getaddrinfo() stands before the C library's, also for libcurl.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

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

}  // namespace
}  // namespace crawler

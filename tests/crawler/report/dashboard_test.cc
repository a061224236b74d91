#include "crawler/report/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "store/rocks_store.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::TempFolder;

class DashboardTest : public testing::Test {
 protected:
  void SetUp() override {
    SkipRecord page;
    page.kind = contentseen::Kind::kNear;
    page.url = "http://b.example/edited";
    page.original_url = "http://a.example/1";
    page.title = "</script><script>alert(1)</script>";
    page.distance = 2;
    page.k = 3;
    page.original_text_id = 1;
    page.text_id = 2;
    SkipRecord bare = page;
    bare.text_id = bare.original_text_id = 0;
    tests::WriteFile(folder_ / kSkipLogName, LogLine(page) + LogLine(bare) + "{\"torn");
    {
      auto store = store::OpenRocksStore(folder_ / kTextStoreName, {});
      ASSERT_TRUE(store) << store.error().message;
      store::Batch texts;
      PutText(1, "The harbour opens at nine.", 1000, texts);
      PutText(2, "The harbour opens at ten.", 1000, texts);
      ASSERT_TRUE((*store)->Write(texts, store::Durability::kProcess));
    }
    statistics_.Ended(Disposition::kStored, "a.example");
    auto bound = Dashboard::Bind({.listen = "127.0.0.1:0", .hosts = {"crawler.example"}});
    ASSERT_TRUE(bound) << bound.error().message;
    dashboard_ = std::move(*bound);
    dashboard_->Serve({.snapshot =
                           [this] {
                             CrawlSnapshot snapshot;
                             snapshot.statistics = statistics_.Snapshot();
                             snapshot.paused = "no space left";
                             snapshot.frontier.queued = 9;
                             snapshot.frontier.queued_given_up = 3;
                             snapshot.frontier.queued_out_of_scope = 4;
                             return snapshot;
                           },
                       .busiest = [this](std::size_t count) { return statistics_.Busiest(count); },
                       .data = folder_.path(),
                       .k = 3});
  }

  // A socket that is connected to the dashboard, or -1.
  static int ConnectedTo(const std::string& address) {
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int port = std::stoi(address.substr(address.rfind(':') + 1));
    peer.sin_port = htons(static_cast<std::uint16_t>(port));
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0) {
      return socket;
    }
    ::close(socket);
    return -1;
  }

  // Whether the other side has not closed it yet; reads what it has said.
  static bool IsOpen(int socket) {
    std::array<char, 4096> bytes;
    ssize_t got = 1;
    while (got > 0) got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    return got < 0 && errno == EAGAIN;
  }

  httplib::Client Client() const { return httplib::Client("http://" + dashboard_->address()); }
  httplib::Result Get(const std::string& path) const { return Client().Get(path); }

  TempFolder folder_;
  Statistics statistics_;
  std::unique_ptr<Dashboard> dashboard_;
};

TEST_F(DashboardTest, ServesThePageAndItsFigures) {
  auto page = Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, HasSubstr("<title>ContentSeen live</title>"));
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("frame-ancestors"));
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));

  auto live = nlohmann::json::parse(Get("/live.json")->body);
  EXPECT_EQ(live["pages"], 1);
  EXPECT_EQ(live["paused"], "no space left");
  EXPECT_EQ(live["queued"], 9);
  EXPECT_EQ(live["queued_given_up"], 3);
  EXPECT_EQ(live["queued_out_of_scope"], 4);
  EXPECT_EQ(live["memory_warning"], "");
  EXPECT_EQ(live["busiest"][0]["host"], "a.example");
  ASSERT_EQ(live["recent"].size(), 2U) << "without the torn line";
  EXPECT_EQ(live["recent"][1]["id"], "1-0") << "newest first";
  EXPECT_THAT(Get("/metrics")->body, HasSubstr("contentseen_pages_total"));
}

TEST_F(DashboardTest, ComparesASkippedPageWithItsOriginal) {
  auto diff = Get("/diff?id=1-0");
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->status, 200);
  EXPECT_THAT(diff->body, HasSubstr("\"text\":\"The harbour opens at nine.\""));
  EXPECT_THAT(diff->body, HasSubstr("\"delta\":[4,-1,\"ten.\"]"));
  EXPECT_THAT(diff->body, Not(HasSubstr("<script>alert")));
  auto live = nlohmann::json::parse(Get("/live.json")->body);
  std::string bare = live["recent"][0]["id"];
  EXPECT_THAT(Get("/diff?id=" + bare)->body, HasSubstr("was not kept"));
  for (const char* wrong : {"", "1", "1-1", "9-0", "1-99999", "../1-0", "1-0x"}) {
    EXPECT_EQ(Get(std::string("/diff?id=") + wrong)->status, 404) << wrong;
  }
}

TEST_F(DashboardTest, RefusesNamesThatAreNotOurs) {
  auto with_host = [&](const std::string& host) {
    return Client().Get("/live.json", httplib::Headers{{"Host", host}})->status;
  };
  EXPECT_EQ(with_host("evil.example"), 403);
  EXPECT_EQ(with_host("127.0.0.1.evil.example"), 403);
  EXPECT_EQ(with_host("crawler.example:9464"), 200);
  EXPECT_EQ(with_host("localhost"), 200);
}

TEST_F(DashboardTest, OnlyReads) {
  EXPECT_EQ(Client().Post("/", "x", "text/plain")->status, 405);
  EXPECT_EQ(Client().Delete("/")->status, 405);
  EXPECT_EQ(Client().Options("/")->status, 405);
  EXPECT_EQ(Client().Head("/")->status, 200);
  EXPECT_EQ(Get("/nothing")->status, 404);
  EXPECT_EQ(Get("/../../etc/passwd")->status, 404);
}

// Else who opens connections and says nothing leaves the crawl no descriptor to fetch with.
TEST_F(DashboardTest, HoweverManyConnectItHoldsFewOfThem) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = descriptors();
  std::vector<int> silent(100);
  for (int& socket : silent) {
    socket = ConnectedTo(dashboard_->address());
    ASSERT_GE(socket, 0);
  }
  // Until the first has said nothing for too long; by then what is ever accepted was.
  std::array<char, 1> byte;
  EXPECT_EQ(::recv(silent[0], byte.data(), byte.size(), 0), 0);
  EXPECT_LE(descriptors(), before + std::ssize(silent) + 40);
  for (const int socket : silent) ::close(socket);
  EXPECT_TRUE(Get("/live.json"));
}

TEST_F(DashboardTest, StopsWithConnectionsOpenAndFreesItsPort) {
  const std::string address = dashboard_->address();
  // One that says nothing, and one that does not end what it says.
  const int silent = ConnectedTo(address);
  const int slow = ConnectedTo(address);
  ASSERT_GE(silent, 0);
  ASSERT_GE(slow, 0);
  ASSERT_EQ(::send(slow, "GET / HT", 8, 0), 8);
  ASSERT_TRUE(Get("/live.json"));  // they were accepted before it
  const auto begun = std::chrono::steady_clock::now();
  dashboard_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  for (const int socket : {silent, slow}) {
    EXPECT_FALSE(IsOpen(socket));
    ::close(socket);
  }
  auto again = Dashboard::Bind({.listen = address, .hosts = {}});
  ASSERT_TRUE(again) << again.error().message;
  auto taken = Dashboard::Bind({.listen = address, .hosts = {}});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("is the port taken?"));
}

}  // namespace
}  // namespace crawler

#include "crawler/demo/demo_web.h"

#include <algorithm>
#include <cstddef>
#include <latch>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/mutex.h"
#include "crawler/io/gzip_member.h"
#include "crawler/io/http_server.h"
#include "crawler/io/http_threads.h"

namespace crawler {
namespace {

constexpr std::size_t kThreadsMax = 256;
constexpr int kKeepAliveSeconds = 1;
constexpr int kRequestsPerConnection = 10'000;

std::string HostOf(const httplib::Request& request) {
  std::string host = request.get_header_value("Host");
  host.resize(std::min(host.size(), host.find(':')));
  host = base::ToLower(host);
  return host.ends_with(".localhost") ? host : "directory.localhost";
}

}  // namespace

class DemoWeb::Server {
 public:
  /// Nothing when the port is taken.
  static std::unique_ptr<Server> Listen(const std::string& address, int port) {
    auto server = std::make_unique<Server>();
    const auto listening = server->http_.Listen(address, port);
    if (!listening) return nullptr;
    server->port_ = *listening;
    return server;
  }

  ~Server() {
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void Serve() {
    site_ = std::make_unique<const DemoSite>(port_);
    http_.set_tcp_nodelay(true);
    http_.set_keep_alive_timeout(kKeepAliveSeconds);
    http_.set_keep_alive_max_count(kRequestsPerConnection);
    http_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
    });
    // Asked for when the server runs; only then does its stop() stop it.
    std::latch running(1);
    http_.new_task_queue = [&running] {
      running.count_down();
      return new HttpThreads(kThreadsMax);
    };
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    running.wait();
  }

  int port() const { return port_; }
  const DemoSite& site() const { return *site_; }

  std::uint64_t RequestsTo(std::string_view url) const {
    base::MutexLock lock(mutex_);
    const auto found = counts_.find(url);
    return found == counts_.end() ? 0 : found->second;
  }
  std::uint64_t requests() const {
    base::MutexLock lock(mutex_);
    return requests_;
  }

 private:
  void Answer(const httplib::Request& request, httplib::Response& response) {
    const std::string host = HostOf(request);
    Count("http://" + host + ":" + std::to_string(port_) + request.target);
    const DemoPage* page = site_->Find(host, request.target);
    if (page == nullptr) {
      response.status = 404;
      response.set_content("<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>",
                           "text/html; charset=utf-8");
      return;
    }
    response.status = page->status;
    if (!page->location.empty()) response.set_header("Location", page->location);
    Send(request, page->body, page->content_type, response);
  }

  static void Send(const httplib::Request& request, const std::string& body,
                   const std::string& content_type, httplib::Response& response) {
    constexpr int kGzipLevel = 6;
    const bool gzip =
        request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    if (gzip) response.set_header("Content-Encoding", "gzip");
    SendBody(gzip ? GzipMember(body, kGzipLevel) : body, content_type, response);
  }

  void Count(const std::string& url) {
    base::MutexLock lock(mutex_);
    ++requests_;
    ++counts_[url];
  }

  // Constant once it serves.
  HttpServer http_;
  int port_ = 0;
  std::unique_ptr<const DemoSite> site_;
  std::thread thread_;

  mutable base::Mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_ GUARDED_BY(mutex_);
  std::uint64_t requests_ GUARDED_BY(mutex_) = 0;
};

DemoWeb::DemoWeb() = default;
DemoWeb::~DemoWeb() { Stop(); }

base::Result<int> DemoWeb::Start(const std::string& address, int port) {
  CHECK(server_ == nullptr);
  auto server = Server::Listen(address, port);
  if (!server) {
    return base::Fail("cannot serve on " + address + " port " + std::to_string(port) +
                      ": is it taken? Choose another with --port, or 0 for any");
  }
  server->Serve();
  server_ = std::move(server);
  return server_->port();
}

void DemoWeb::Stop() { server_.reset(); }

const DemoSite& DemoWeb::site() const {
  CHECK(server_ != nullptr);
  return server_->site();
}

std::uint64_t DemoWeb::RequestsTo(std::string_view url) const {
  CHECK(server_ != nullptr);
  return server_->RequestsTo(url);
}

std::uint64_t DemoWeb::requests() const {
  CHECK(server_ != nullptr);
  return server_->requests();
}

}  // namespace crawler

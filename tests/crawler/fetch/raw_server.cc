#include "tests/crawler/fetch/raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "base/check.h"

namespace tests {

std::string RawServer::Connection::ReadRequest() {
  std::string request;
  char byte = 0;
  while (!request.ends_with("\r\n\r\n")) {
    if (recv(socket_, &byte, 1, 0) != 1) return {};
    request.push_back(byte);
  }
  return request;
}

bool RawServer::Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawServer::Connection::SendForever(std::string_view bytes) {
  while (Send(bytes)) {
  }
}

void RawServer::Connection::WaitForClose() {
  char bytes[4096];
  while (recv(socket_, bytes, sizeof bytes, 0) > 0) {
  }
}

void RawServer::Connection::Reset() {
  const linger abort{.l_onoff = 1, .l_linger = 0};
  CHECK(setsockopt(socket_, SOL_SOCKET, SO_LINGER, &abort, sizeof abort) == 0);
}

RawServer::RawServer(Script script) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(listen(listener_, 512) == 0);
  socklen_t length = sizeof address;
  CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

RawServer::~RawServer() {
  std::vector<std::thread> threads;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    for (const int open : open_) shutdown(open, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    base::MutexLock lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  close(listener_);
}

std::string RawServer::Url(std::string_view path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
}

int RawServer::connections() {
  base::MutexLock lock(mutex_);
  return static_cast<int>(threads_.size());
}

void RawServer::Accept() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    base::MutexLock lock(mutex_);
    if (stopping_) {
      close(client);
      return;
    }
    open_.insert(client);
    threads_.emplace_back([this, client] { Serve(client); });
  }
}

void RawServer::Serve(int client) {
  // A script's TLS writes to a client that has gone must fail, not end the program.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  Connection connection(client);
  script_(connection);
  base::MutexLock lock(mutex_);
  open_.erase(client);
  close(client);
}

}  // namespace tests

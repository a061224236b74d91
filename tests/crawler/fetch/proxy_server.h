#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "tests/crawler/fetch/raw_server.h"

namespace tests {

/// A proxy on loopback: HTTP with absolute request lines and CONNECT, or SOCKS5. Wherever a
/// request wants to go, it is led to the one port of loopback that the test gives.
///
/// Thread safety: all methods.
class ProxyServer {
 public:
  enum class Kind { kHttp, kSocks5 };
  ProxyServer(Kind kind, int target_port)
      : kind_(kind), target_port_(target_port), server_([this](auto& client) { Serve(client); }) {}

  int port() const { return server_.port(); }
  int connections() { return server_.connections(); }
  /// What each client asked for: heads of requests, and "SOCKS host:port".
  std::vector<std::string> asked() {
    base::MutexLock lock(mutex_);
    return asked_;
  }

 private:
  using Connection = RawServer::Connection;

  void Note(std::string what) {
    base::MutexLock lock(mutex_);
    asked_.push_back(std::move(what));
  }

  void Serve(Connection& client) { kind_ == Kind::kHttp ? ServeHttp(client) : ServeSocks(client); }

  void ServeHttp(Connection& client) {
    const std::string head = client.ReadRequest();
    Note(head);
    const int target = Connect();
    if (head.starts_with("CONNECT ")) {
      client.Send("HTTP/1.1 200 Connection established\r\nX-Proxy: of-the-tunnel\r\n\r\n");
    } else {
      CHECK(send(target, head.data(), head.size(), MSG_NOSIGNAL) > 0);
    }
    Pump(client.socket(), target);
  }

  void ServeSocks(Connection& client) {  // RFC 1928, without authentication
    const std::string greeting = Read(client.socket(), 2);
    if (greeting.size() < 2) return;
    Read(client.socket(), static_cast<unsigned char>(greeting[1]));
    client.Send(std::string("\5\0", 2));
    const std::string request = Read(client.socket(), 4);
    if (request.size() < 4) return;
    std::string host;
    if (request[3] == 3) {
      host = Read(client.socket(), static_cast<unsigned char>(Read(client.socket(), 1)[0]));
    } else {
      char text[INET_ADDRSTRLEN];
      const std::string bytes = Read(client.socket(), 4);
      host = inet_ntop(AF_INET, bytes.data(), text, sizeof text);
    }
    Read(client.socket(), 2);
    Note("SOCKS " + host);
    client.Send(std::string("\5\0\0\1\0\0\0\0\0\0", 10));
    Pump(client.socket(), Connect());
  }

  static std::string Read(int socket, std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t done = 0; done < count;) {
      const ssize_t got = recv(socket, bytes.data() + done, count - done, 0);
      if (got <= 0) return {};
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  int Connect() const {
    const int target = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(target_port_));
    CHECK(connect(target, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    return target;
  }

  // Both ways until either side is gone.
  static void Pump(int client, int target) {
    pollfd sides[] = {{client, POLLIN, 0}, {target, POLLIN, 0}};
    for (bool open = true; open;) {
      CHECK(poll(sides, 2, -1) > 0);
      for (int i = 0; i < 2 && open; ++i) {
        if (sides[i].revents == 0) continue;
        char bytes[4096];
        const ssize_t got = recv(sides[i].fd, bytes, sizeof bytes, 0);
        open = got > 0 &&
               send(sides[1 - i].fd, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
      }
    }
    close(target);
  }

  const Kind kind_;
  const int target_port_;
  base::Mutex mutex_;
  std::vector<std::string> asked_ GUARDED_BY(mutex_);
  RawServer server_;
};

}  // namespace tests

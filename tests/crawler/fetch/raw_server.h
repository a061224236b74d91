#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace tests {

/// A TCP server on loopback that a test scripts byte by byte, to break HTTP as it likes.
///
///     RawServer server([](RawServer::Connection& client) {
///       client.ReadRequest();
///       client.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
///     });
///     Fetch("http://127.0.0.1:" + std::to_string(server.port()) + "/");
///
/// Thread safety: the script runs in one thread a connection, several at once.
/// Ownership: the destructor breaks all connections and waits for the scripts.
class RawServer {
 public:
  /// The server's end of one connection; closed after the script returns.
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) {}
    /// Bytes up to the empty line that ends a request; empty when the client is gone.
    std::string ReadRequest();
    /// False when the client is gone.
    bool Send(std::string_view bytes);
    /// Sends the same bytes until the client is gone.
    void SendForever(std::string_view bytes);
    /// Reads until the client closes.
    void WaitForClose();
    /// Has the close that follows sent as a reset.
    void Reset();
    int socket() const { return socket_; }

   private:
    const int socket_;
  };
  using Script = std::function<void(Connection&)>;

  explicit RawServer(Script script);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT" + path.
  std::string Url(std::string_view path = "/") const;
  /// Connections taken so far.
  int connections() EXCLUDES(mutex_);

 private:
  void Accept();
  void Serve(int socket);

  const Script script_;
  int listener_ = 0;
  int port_ = 0;
  base::Mutex mutex_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::set<int> open_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace tests

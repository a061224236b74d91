#pragma once

#include <httplib.h>
#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace crawler {

/// cpp-httplib's server as we want it: it shares no port unawares, and its queue of connections is
/// long enough for a crawler; its own has five places, and Linux lets what does not fit hang in
/// the client's SYN or first request.
class HttpServer final : public httplib::Server {
 public:
  HttpServer() {
    // Without SO_REUSEPORT, its default, which lets two servers share a port.
    set_socket_options([](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
  }

  /// The port, 0 asking for any; nothing when it is taken.
  std::optional<int> Listen(const std::string& address, int port) {
    if (port == 0) {
      port = bind_to_any_port(address);
      if (port < 0) return std::nullopt;
    } else if (!bind_to_port(address, port)) {
      return std::nullopt;
    }
    // Listening again changes the length of the queue, and nothing else.
    constexpr int kQueuedConnectionsMax = 1024;
    if (::listen(svr_sock_, kQueuedConnectionsMax) != 0) return std::nullopt;
    return port;
  }
};

/// Answers with `body` through a content provider: cpp-httplib compresses what is simply set as
/// content with brotli at its highest and slowest level.
inline void SendBody(std::string body, const std::string& content_type,
                     httplib::Response& response) {
  if (body.empty()) return;
  const auto sent = std::make_shared<const std::string>(std::move(body));
  response.set_content_provider(
      sent->size(), content_type,
      [sent](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(sent->data() + offset, length);
      });
}

}  // namespace crawler

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "crawler/fetch/tls_session.h"

namespace crawler {

/// An HTTP exchange as its bytes went over the wire: what an archive keeps, and a crawl otherwise
/// forgets. HTTP/2 is in the words libcurl gives for it, those of HTTP/1.1 ("HTTP/2 200 ").
struct RawExchange {
  /// The request's line and fields with the empty line.
  std::string request;
  /// Status line and fields of the final response with the empty line, line ends and folds as
  /// they came. Cut short, or empty, where the head did not arrive whole.
  std::string response_head;
  /// The body with Transfer-Encoding removed and Content-Encoding kept. Empty, and
  /// FetchResponse::body holds the very bytes, when no content coding was there.
  std::string coded_body;
  bool coded = false;
  /// Both empty where there was no TLS.
  TlsSession tls;
};

/// Collects a RawExchange while it goes on.
///
///     ExchangeRecorder recorder;
///     recorder.AddRequest("GET / HTTP/1.1\r\n...\r\n\r\n");
///     recorder.AddHeadLine("HTTP/1.1 200 OK\r\n");
///     RawExchange exchange = recorder.Take();
///
/// Of several requests (a proxy's CONNECT, one sent again) and of several heads (1xx) the last is
/// kept. Thread safety: none. Cost: a copy of the bytes; its caller bounds them.
class ExchangeRecorder {
 public:
  /// Forgets everything.
  void Start() { exchange_ = {}; }
  void AddRequest(std::string_view bytes) { Add(bytes, exchange_.request); }
  /// REQUIRES: no trailer.
  void AddHeadLine(std::string_view line) { Add(line, exchange_.response_head); }
  void AddCodedBody(std::string_view bytes) {
    exchange_.coded = true;
    exchange_.coded_body.append(bytes);
  }
  void SetTls(TlsSession tls) { exchange_.tls = std::move(tls); }
  RawExchange Take() { return std::exchange(exchange_, {}); }

 private:
  static void Add(std::string_view bytes, std::string& head) {
    if (head.ends_with("\r\n\r\n") || head.ends_with("\n\n") || head.ends_with("\n\r\n")) {
      head.clear();
    }
    head.append(bytes);
  }

  RawExchange exchange_;
};

}  // namespace crawler

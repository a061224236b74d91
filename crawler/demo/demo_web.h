#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crawler/demo/demo_site.h"

namespace crawler {

/// Serves the demo web (DemoSite) over HTTP on one port, its hosts told apart by the Host header;
/// clients resolve names under .localhost to loopback by themselves (RFC 6761 section 6.3).
///
///     DemoWeb web;
///     auto port = web.Start("127.0.0.1", 8090);   // 0: any free port
///     if (!port) return Complain(port.error());
///     std::cout << web.seeds()[0] << '\n';        // http://directory.localhost:8090/
///     web.Stop();
///
/// Promises: a host it does not know gets the directory's pages, so that an address in a browser
/// works too. Pages are compressed for who accepts that. Requests are counted by URL.
///
/// Thread safety: Start() and Stop() from one thread; all else from any once started.
/// Ownership: the destructor stops.
/// Cost: a thread for each open connection, at most 256; idle connections close after a second.
class DemoWeb {
 public:
  DemoWeb();
  ~DemoWeb();
  DemoWeb(const DemoWeb&) = delete;
  DemoWeb& operator=(const DemoWeb&) = delete;

  /// Listens on a numeric `address` and serves from now on; gives the port. Fails when the port is
  /// taken. REQUIRES: not started.
  base::Result<int> Start(const std::string& address, int port);
  /// Ends serving; what is being answered is answered. Does nothing when not started.
  void Stop();

  /// REQUIRES: started.
  const DemoSite& site() const;
  const std::vector<DemoCase>& cases() const { return site().cases(); }
  const std::vector<std::string>& seeds() const { return site().seeds(); }

  /// How often `url` (as it stands in cases()) was asked for.
  std::uint64_t RequestsTo(std::string_view url) const;
  /// Requests in all, robots.txt and unknown pages included.
  std::uint64_t requests() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace crawler

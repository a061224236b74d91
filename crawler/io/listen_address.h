#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace crawler {

/// Where to listen: a numeric address and a port.
struct ListenAddress {
  std::string host;  // without brackets
  int port = 0;      // 0: any free one

  /// As it stands in a URL: "127.0.0.1:9464", "[::1]:9464".
  std::string Text() const;
};

/// Reads "127.0.0.1:9464", "[::1]:9464" or "localhost:9464" (which is 127.0.0.1).
///
/// Thread safety: pure.
base::Result<ListenAddress> ParseListenAddress(std::string_view text);

/// Whether a request with this Host header was meant for us: a numeric address, a name under
/// localhost, or one of `names`. A page of somebody else's that had its own name resolved to our
/// address (DNS rebinding) sends that name, and is refused.
///
/// Thread safety: pure.
bool IsOwnHost(std::string_view host_header, const std::vector<std::string>& names);

}  // namespace crawler

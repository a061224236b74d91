#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace crawler {

/// The largest values of FetcherOptions, and its least time for connecting.
struct FetcherLimits {
  static constexpr int kTransfers = 10'000;
  static constexpr int kConnections = 20'000;
  static constexpr std::chrono::milliseconds kTimeoutMin{10};
  static constexpr std::chrono::minutes kConnectTimeout{10};
  static constexpr std::chrono::hours kTotalTimeout{1};
  static constexpr std::size_t kLowSpeedBytes = std::size_t{1} << 20;
  static constexpr std::chrono::minutes kLowSpeedTime{10};
  static constexpr std::chrono::hours kDnsCacheTime{1};
  static constexpr std::size_t kBytesMin = std::size_t{1} << 10;
  static constexpr std::size_t kHeaderBytes = std::size_t{256} << 10;
  static constexpr std::size_t kBodyBytes = std::size_t{1} << 30;
  static constexpr std::size_t kUserAgentBytes = 200;
  static constexpr std::size_t kContactUrlBytes = 500;
};

/// What a fetcher may do and how long and how much it takes. All limits are per transfer but for
/// the two named "a loop"; one loop is one CurlFetcher.
struct FetcherOptions {
  /// Product token sent as User-Agent; visible ASCII, 1 to 200 bytes.
  std::string user_agent = "ContentSeen/0.1";
  /// Page that tells a site owner who crawls: sent as "USER_AGENT (+URL)". Empty: not sent.
  std::string contact_url;
  /// Transfers at the same time in a loop; 1 to 10000.
  int transfers_max = 256;
  /// Connections open in a loop, idle ones for reuse included; 1 to 20000. Raised to
  /// transfers_max where it is less.
  int connections_max = 512;
  /// Name lookup, TCP connect and TLS handshake together; 10 ms to 10 min.
  std::chrono::milliseconds connect_timeout{10'000};
  /// From the start to the last byte; 10 ms to 1 h.
  std::chrono::milliseconds total_timeout{60'000};
  /// A transfer that stays below this many bytes a second ...
  std::size_t low_speed_bytes = 100;
  /// ... for this many seconds is given up; 1 s to 10 min.
  std::chrono::seconds low_speed_time{20};
  /// How long a resolved name is used again; 0 s to 1 h.
  std::chrono::seconds dns_cache_time{60};
  /// Status lines, header fields and trailers together, in bytes; 1 KiB to 256 KiB (libcurl
  /// itself takes 300 KiB and lines of 100 KiB).
  std::size_t header_bytes_max = std::size_t{64} * 1024;
  /// Decoded body in bytes; what is longer is cut there. 1 KiB to 1 GiB.
  std::size_t body_bytes_max = std::size_t{2} * 1024 * 1024;
  /// Networks in CIDR form ("127.0.0.0/8", "fd00::/8") that may be connected to although they
  /// are not public. See AddressRules.
  std::vector<std::string> allow_networks;
  /// Ports that may be asked although they belong to other protocols ("6379"). See AddressRules.
  std::vector<std::string> allow_ports;
  /// Offers HTTP/2 (ALPN, https only).
  bool http2 = true;
  /// Accepts any certificate. Only for tests and for sites one knows.
  bool insecure = false;
  /// PEM file of trusted certificates instead of the system's; empty: the system's.
  std::string ca_file;
  /// Fixed addresses, "host:port:address[,address...]" as curl's --resolve.
  std::vector<std::string> resolve;
  /// Local address to connect from; empty: the system chooses.
  std::string bind_address;
  /// Fields sent to every host, "Name: value". See RequestFields.
  std::vector<std::string> headers;
  /// Fields sent to one host only, "HOST Name: value"; what HOST may be, RequestFields says.
  /// Secrets.
  std::vector<std::string> host_headers;
  /// Credentials sent to one host only, "HOST USER:PASSWORD". Secrets.
  std::vector<std::string> basic_auth;
  /// Proxy URL (http, https, socks5, socks5h); "" for none: the environment is not asked. With a
  /// proxy it is the proxy that resolves and connects: of a target only what the URL says (port,
  /// name, numeric address) is held against the address rules, and the proxy itself against none.
  /// But with socks5:// libcurl resolves here, and that address goes to the proxy unjudged: prefer
  /// socks5h://.
  /// May hold credentials: a secret.
  std::string proxy;
  /// Requests under way in a loop that connected to one address anew; what is more waits. Not
  /// counted behind a proxy. 1 to 10000.
  int connecting_per_address_max = 10'000;
  /// "off"; "memory": cookies are kept as long as the jar given to CurlFetcher::Create() lives;
  /// else the name of a file that they are read from and written to.
  std::string cookies = "off";
  /// Keeps each exchange as it went over the wire (FetchResponse::raw), for an archive.
  bool keep_raw = false;
};

/// Fails, naming the option, when a value is out of its range or cannot be used.
base::Status Validate(const FetcherOptions& options);

/// What is wrong with the URL of a proxy, as "is ..."; empty when nothing. Never shows it.
std::string ProxyFault(const std::string& url);
/// What is wrong with an entry of FetcherOptions::resolve, as "is ..."; empty when nothing.
std::string ResolveFault(const std::string& entry);

}  // namespace crawler

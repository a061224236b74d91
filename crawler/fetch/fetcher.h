#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "crawler/fetch/raw_exchange.h"

namespace crawler {

/// One URL to be fetched.
struct FetchRequest {
  /// The caller's name for this fetch, given back with its response.
  std::uint64_t ticket = 0;
  /// Canonical absolute http or https URL without fragment and user info.
  std::string url;
  /// Bytes of decoded body kept; nothing: as many as the fetcher keeps by its own options.
  std::optional<std::size_t> body_bytes_max = std::nullopt;
};

/// Why a fetch brought no complete response, as far as one is needed.
enum class FetchError : std::uint8_t {
  kNone,
  kDns,            // name not resolved
  kConnect,        // refused, unreachable, connect time-out
  kAddressDenied,  // the address connected to lies in a network we do not go to
  kTls,            // certificate or handshake; the cause stands in `error_detail`
  kTimeout,        // total time or low speed
  kReset,          // connection lost in the handshake or mid-response, or a truncated body
  kProtocol,       // not HTTP as we accept it
  kHeadersTooLarge,
  kBadEncoding,  // Content-Encoding unknown, nested or corrupt
  kBomb,         // decodes to far more than it is
  kProxy,        // the proxy: not reached, or it refuses us
  kStopped,      // the crawl was stopped while this was in flight
};

/// The name of an error as logs and statistics spell it, e.g. "address-denied".
std::string_view Name(FetchError error);

/// A status of a whole page. (206 is of a part, for which nobody has asked.) Of any other one the
/// head says all there is to say.
bool IsOfAPage(int status);

/// What came back. Redirects are not followed: a 3xx is a response like any other.
struct FetchResponse {
  FetchError error = FetchError::kNone;
  /// One line in words, for logs; empty without an error.
  std::string error_detail;
  /// HTTP status of the final response, 0 when none arrived.
  int status = 0;
  /// In order of arrival, names in lower case, values trimmed.
  std::vector<std::pair<std::string, std::string>> headers;
  /// The body with transfer and content encodings removed, at most the configured size.
  std::string body;
  /// The body was longer than the limit; `body` holds its beginning.
  bool body_cut = false;
  /// What the body suffered from where nobody needs it: the whole head came, and its status is not
  /// of a page. That is no `error`; `body` is what came before it.
  FetchError body_error = FetchError::kNone;
  /// Bytes of heads, body and trailers as they came over the wire: before content decoding,
  /// without the framing of chunks and of TLS.
  std::uint64_t wire_bytes = 0;
  /// Numeric address connected to, empty when none was; and whether it is a proxy's.
  std::string address;
  bool proxied = false;
  /// Times it was put off: for want of descriptors or memory for a connection, and because too
  /// many other requests to its address were under way.
  std::uint32_t shortages = 0;
  std::uint32_t crowds = 0;
  /// "1.0", "1.1" or "2".
  std::string http_version;
  base::Time started{};
  /// From the first byte sent to the last received.
  std::chrono::microseconds duration{0};
  /// The exchange as it went over the wire, where the fetcher was asked to keep it.
  std::optional<RawExchange> raw = std::nullopt;

  /// The first header of that (lower-case) name.
  std::optional<std::string_view> Header(std::string_view name) const;
  /// The one type that all Content-Type headers together say; empty where they say none.
  std::string ContentType() const;
};

/// The last MIME type of all Content-Type headers among `headers` (names in lower case) and of the
/// lists in them, as the Fetch standard extracts it: what is no type is passed over, and a charset
/// said before of the same type holds where the last one says none. Linear in their bytes.
std::string ContentTypeOf(const std::vector<std::pair<std::string, std::string>>& headers);

/// Where a fetcher gets its work and leaves its results; the pipeline implements it.
///
/// Thread safety: called from several fetcher threads at once.
class FetchSource {
 public:
  struct WaitUntil {
    base::Time when;
  };
  /// Nothing now and no time is known: ask again after Fetcher::Wake().
  struct WaitForWake {};
  /// Nothing will ever come again.
  struct Finished {};
  using Next = std::variant<FetchRequest, WaitUntil, WaitForWake, Finished>;

  /// `next`, but whoever waits comes by at `when` at the latest.
  static Next WaitNoLonger(Next next, base::Time when) {
    if (std::holds_alternative<WaitForWake>(next)) return WaitUntil{when};
    if (auto* wait = std::get_if<WaitUntil>(&next)) wait->when = std::min(wait->when, when);
    return next;
  }

  virtual ~FetchSource() = default;
  /// The next URL to fetch. Waits for no other request and no response; but it may make a commit,
  /// or wait for another thread's: as long as the disk takes, and the pages being judged to the
  /// end of their turn. Whoever calls it between transfers stands still meanwhile.
  virtual Next NextFetch() = 0;
  /// Takes the response to `request`. Never blocks: room was reserved when it was handed out.
  virtual void Fetched(FetchRequest request, FetchResponse response) = 0;
  /// A stop was asked for, and a Wake() follows: what was put off, and not begun yet, is to be
  /// given back as FetchError::kStopped.
  virtual bool stopping() const { return false; }
};

/// Fetches what a source names, many transfers at a time.
///
///     CurlFetcher fetcher(options, clock);
///     fetcher.Run(pipeline);   // in a thread of its own
///
/// Thread safety: Run() from one thread; Wake() and Stop() from any.
class Fetcher {
 public:
  virtual ~Fetcher() = default;
  /// Fetches until `source` is Finished and nothing is in flight any more.
  virtual void Run(FetchSource& source) = 0;
  /// Makes Run() ask its source again: a page was finished, room was made, or a stop was asked.
  virtual void Wake() = 0;
  /// Ends every transfer in flight with FetchError::kStopped, now; each gets its response. Run()
  /// then returns without asking its source again. Final: a later Run() returns at once.
  virtual void Stop() = 0;
};

}  // namespace crawler

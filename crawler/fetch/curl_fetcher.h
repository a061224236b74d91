#pragma once

#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/fetch/fetcher_options.h"

namespace crawler {

class CookieJar;

/// Fetches with libcurl's multi interface on epoll: one object is one event loop, run by one
/// thread, that carries up to `transfers_max` transfers.
///
///     auto fetcher = CurlFetcher::Create(options, clock);
///     if (!fetcher) return Complain(fetcher.error());
///     std::thread loop([&] { (*fetcher)->Run(pipeline); });
///     (*fetcher)->Stop();
///     loop.join();
///
/// Promises: each request handed out gets exactly one response, also under Stop(). Connections are
/// kept alive and reused, but not where something came on them unasked; redirects are not
/// followed; no cookies without a jar, no credentials but those of the options, no proxy from the
/// environment. Limits are kept in our own callbacks: what is held of one response is at most
/// body_bytes_max + header_bytes_max, a decoder's window and libcurl's receive buffer
/// (header_bytes_max, 16 KiB at least), whatever the server sends. Only addresses that
/// AddressRules allows are connected to, checked on the address itself at connect time. A page
/// whose Content-Encoding is unknown or corrupt is asked for once more with "Accept-Encoding:
/// identity"; a response whose HTTP/2 connection ended before it began, once more on a new
/// connection. A request for which this machine has no descriptor left, or whose address has too
/// many under way, waits for another's end; in the first case fewer are carried from then on, and
/// again more when nothing has been wanting for a while.
///
/// The clock must be one that runs by itself (base::SystemClock): libcurl has no other.
///
/// Thread safety: Run() from one thread at a time; Wake() and Stop() from any. Stop() is final:
/// Run() returns after it, and every later Run() returns at once.
/// Ownership: `clock` must outlive the fetcher, `source` its Run().
/// Cost: two descriptors besides the connections; about 22 us of CPU time a transfer (8 KB page,
/// kept-alive loopback, 2-core VM, libcurl 7.88). Never spins: sleeps in epoll until a socket, a
/// timer of libcurl, the source's WaitUntil or a Wake() has work.
class CurlFetcher final : public Fetcher {
 public:
  /// Fails, naming the option, when a value is out of its range or cannot be parsed.
  /// Where there is a jar, fetchers share it: cookies are taken into it and sent from it.
  static base::Result<std::unique_ptr<CurlFetcher>> Create(
      FetcherOptions options, const base::Clock& clock,
      std::shared_ptr<CookieJar> cookies = nullptr);
  ~CurlFetcher() override;
  CurlFetcher(const CurlFetcher&) = delete;
  CurlFetcher& operator=(const CurlFetcher&) = delete;

  void Run(FetchSource& source) override;
  void Wake() override;
  void Stop() override;

 private:
  class Loop;
  explicit CurlFetcher(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "crawler/fetch/address_crowd.h"
#include "crawler/fetch/address_rules.h"
#include "crawler/fetch/body_decoder.h"
#include "crawler/fetch/curl_handles.h"
#include "crawler/fetch/curl_settings.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/fetch/raw_exchange.h"
#include "crawler/fetch/response_head.h"
#include "crawler/fetch/uncoded_origins.h"
#include "frontier/url.h"

namespace crawler::curl {

/// One transfer at a time through one easy handle, which is kept for the next: what does not
/// change from page to page is set once.
///
/// Thread safety: none. Ownership: what it is made with must outlive it.
class Transfer {
 public:
  /// Sets `address_skipped` where an address is not connected to, by rule or for want of room: the
  /// host may have others.
  Transfer(const Settings& settings, AddressCrowd& crowd, UncodedOrigins& uncoded,
           bool& address_skipped);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  static Transfer& Of(CURL* easy);

  CURL* easy() const { return easy_.get(); }
  bool busy() const { return busy_; }

  /// Prepares the handle for `request`; without content coding where its origin's did not decode.
  void Begin(FetchRequest request, const base::Clock& clock);

  /// Why what ended with `code` must wait and then be begun anew.
  enum class Wait : std::uint8_t { kNo, kDescriptors, kCrowd };
  Wait MustWait(CURLcode code);

  /// Whether a transfer that had to wait may be begun: its address has room again, if it was that.
  bool MayBegin() const { return !crowded_ || crowd_.HasRoom(*crowded_); }

  /// Prepares it for its next try after a wait, which does not count as its time.
  void BeginAfterWait(base::Time now);

  /// Whether what failed with `code` is to be tried once more at once, and then prepares it:
  /// without content coding where that was unknown or corrupt; on a new connection where an HTTP/2
  /// one was ended (GOAWAY, reset) before a response began. (Of HTTP/1 connections that the server
  /// closed meanwhile, libcurl tries anew by itself, once.)
  bool BeginAgain(CURLcode code, base::Time now);

  /// The response, after libcurl finished with `code`.
  FetchResponse End(CURLcode code, base::WallTime now);

  /// The response to what was stopped in flight.
  FetchResponse EndStopped();

  FetchRequest TakeRequest() { return std::move(request_); }

 private:
  void SetIdentity();
  void AskWithoutCoding();

  /// Each request anew, for the handle's last one may have gone to a host with secrets.
  void SetFields(const base::Result<frontier::Url>& url);

  /// The same for cookies. libcurl's own engine is left alone: its jar has no bound.
  void SetCookies(const base::Result<frontier::Url>& url, const base::Clock& clock);

  void TakeCookies(const FetchResponse& response, base::WallTime now) const;
  void SetLimits();
  void SetTotalTimeout();
  void SetConnection();
  void SetProxy();
  void SetCallbacks();

  /// Forgets the response so far.
  void Rewind();

  /// Makes the handle as it was before Begin().
  void Recycle();

  void ForbidReuse();

  void LeaveCrowd();

  /// No address of its host could be connected to.
  bool IsUnconnected(CURLcode code) const;

  /// The SSL object of its connection; null without one.
  const void* Tls() const;

  void Fail(FetchError error, std::string detail);

  /// The body is at fault. Only of a page is that an end: what else came says all in its head.
  void FailBody(FetchError error, std::string detail);

  // libcurl's callbacks. A return of less than `bytes` ends the transfer.
  static std::size_t OnHeaderLine(char* data, std::size_t, std::size_t bytes, void* self);
  bool AddHeaderLine(std::string_view line);
  static int OnDebug(CURL*, curl_infotype what, char* data, std::size_t bytes, void* self);
  void RecordHeadLine(std::string_view line);
  static std::size_t OnBody(char* data, std::size_t, std::size_t bytes, void* self);
  bool AddBody(std::string_view wire);
  std::size_t BodyBytesMax() const;
  bool BeginBody();
  static curl_socket_t OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address);

  /// The only door to the network: each address libcurl is about to connect to comes through here,
  /// whatever name, redirect or DNS answer brought it.
  curl_socket_t OpenSocket(const curl_sockaddr& target);

  bool MayConnect(const std::optional<IpAddress>& address);

  /// Settles error_ by what libcurl and our callbacks say.
  void Judge(CURLcode code);

  FetchResponse Collect();

  const Settings& settings_;
  AddressCrowd& crowd_;
  UncodedOrigins& uncoded_;
  bool& address_skipped_;
  const std::unique_ptr<CURL, CloseEasy> easy_;
  char error_words_[CURL_ERROR_SIZE] = {};

  // Of the request in flight.
  FetchRequest request_;
  base::Time started_{};
  bool busy_ = false;
  bool identity_only_ = false;     // asked without content coding
  bool fresh_connection_ = false;  // asked again on a new connection
  bool forbid_reuse_ = false;
  std::uint32_t shortages_ = 0;  // waits so far, and those of the kind below
  std::uint32_t crowds_ = 0;

  // Of the response so far.
  ResponseHead head_;
  std::uint64_t head_bytes_ = 0;  // of interim heads and trailers, too
  BodyDecoder decoder_;
  ExchangeRecorder recorder_;  // idle unless keep_raw
  bool secret_field_ = false;  // what was recorded last
  std::string body_;
  bool decoding_ = false;  // decoder_ was started
  bool body_cut_ = false;
  bool identity_may_help_ = false;
  FetchError body_error_ = FetchError::kNone;  // of a body that nobody needs
  FetchError error_ = FetchError::kNone;
  std::string error_detail_;
  std::string denied_;                // the first address we refused to connect to, and why
  bool tried_allowed_ = false;        // some address was not refused
  bool shortage_ = false;             // there was no descriptor or memory for a connection
  std::optional<IpAddress> crowded_;  // had too many requests under way
  std::vector<IpAddress> entered_;
};

}  // namespace crawler::curl

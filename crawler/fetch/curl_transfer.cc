#include "crawler/fetch/curl_transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/ascii.h"
#include "base/check.h"
#include "base/descriptor.h"
#include "crawler/fetch/curl_faults.h"

namespace crawler::curl {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Room taken for a body ahead of its bytes, however long it claims to be.
constexpr std::size_t kReserveMax = std::size_t{256} * 1024;

// A request for which there is no descriptor, or no thread to look up its name, is tried again so
// often; and so one whose host has an address that does not answer beside one that has too many
// under way.
constexpr std::uint32_t kWaitsMax = 240;

// Seconds that a connection may be idle and still be used: libcurl's own value, and one for when
// descriptors are short.
constexpr long kMaxAge = 118;
constexpr long kMaxAgeWhenShort = 1;

/// Whether `error` says that this process or machine has no room for another connection.
bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// Whether there is no descriptor left at this moment.
bool NoDescriptorLeft() {
  const base::Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return !probe.ok() && IsShortage(errno);
}

/// Bytes that libcurl may read at a time; made for each transfer under way, but what nothing was
/// read into takes no memory. libcurl hands an HTTP/2 head up in pieces of it, and none of its
/// events comes for the second: so any head that is within its limit must be one piece, and of a
/// longer one the first piece must be too long.
long ReceiveBuffer(std::size_t header_bytes_max) {
  return static_cast<long>(std::max<std::size_t>(CURL_MAX_WRITE_SIZE, header_bytes_max + 1));
}

std::string_view HttpVersion(CURL* easy) {
  switch (HttpVersionOf(easy)) {
    case CURL_HTTP_VERSION_1_0:
      return "1.0";
    case CURL_HTTP_VERSION_1_1:
      return "1.1";
    case CURL_HTTP_VERSION_2_0:
      return "2";
    default:
      return {};
  }
}

}  // namespace

Transfer::Transfer(const Settings& settings, AddressCrowd& crowd, UncodedOrigins& uncoded,
                   bool& address_skipped)
    : settings_(settings),
      crowd_(crowd),
      uncoded_(uncoded),
      address_skipped_(address_skipped),
      easy_(curl_easy_init()) {
  CHECK(easy_ != nullptr);
  SetIdentity();
  SetLimits();
  SetConnection();
  SetCallbacks();
}

Transfer& Transfer::Of(CURL* easy) {
  void* self = nullptr;
  CHECK(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self) == CURLE_OK && self != nullptr);
  return *static_cast<Transfer*>(self);
}

void Transfer::Begin(FetchRequest request, const base::Clock& clock) {
  request_ = std::move(request);
  started_ = clock.Now();
  busy_ = true;
  shortages_ = crowds_ = 0;
  Set(easy(), CURLOPT_URL, request_.url.c_str());
  if (settings_.by_host()) {
    const auto url = frontier::Url::Parse(request_.url, frontier::UrlRules::Longest());
    SetFields(url);
    SetCookies(url, clock);
  }
  if (uncoded_.Has(request_.url)) AskWithoutCoding();
  Rewind();
}

Transfer::Wait Transfer::MustWait(CURLcode code) {
  if (code == CURLE_OK || error_ != FetchError::kNone || head_.status() != 0) return Wait::kNo;
  if (tried_allowed_ && !shortage_ && !crowded_) return Wait::kNo;
  LeaveCrowd();
  if (crowded_ && (!tried_allowed_ || (IsUnconnected(code) && crowds_ < kWaitsMax))) {
    ++crowds_;
    return Wait::kCrowd;
  }
  const bool unresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_OUT_OF_MEMORY ||
                          code == CURLE_COULDNT_RESOLVE_PROXY;
  const bool short_of = shortage_ || IsWantOfThread(code, error_words_);
  if (!short_of && !(unresolved && NoDescriptorLeft())) return Wait::kNo;
  if (shortages_ >= kWaitsMax) return Wait::kNo;
  ++shortages_;
  return Wait::kDescriptors;
}

bool Transfer::IsUnconnected(CURLcode code) const {
  return code == CURLE_COULDNT_CONNECT ||
         (code == CURLE_OPERATION_TIMEDOUT && Number(easy(), CURLINFO_CONNECT_TIME_T) == 0);
}

void Transfer::BeginAfterWait(base::Time now) {
  started_ = now;
  // Idle connections hold descriptors: let libcurl close them.
  if (shortage_) Set(easy(), CURLOPT_MAXAGE_CONN, kMaxAgeWhenShort);
  Rewind();
}

bool Transfer::BeginAgain(CURLcode code, base::Time now) {
  const bool without_coding =
      error_ == FetchError::kBadEncoding && identity_may_help_ && !identity_only_;
  const bool anew = error_ == FetchError::kNone && head_.status() == 0 && !fresh_connection_ &&
                    (code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM);
  if (!without_coding && !anew) return false;
  const auto left = settings_.options.total_timeout - (now - started_);
  const auto left_millis = std::chrono::floor<milliseconds>(left).count();
  if (left_millis <= 0) return false;
  if (without_coding) {
    uncoded_.Add(request_.url);
    AskWithoutCoding();
  } else {
    fresh_connection_ = true;
    Set(easy(), CURLOPT_FRESH_CONNECT, 1L);
  }
  Set(easy(), CURLOPT_TIMEOUT_MS, static_cast<long>(left_millis));
  Rewind();
  return true;
}

FetchResponse Transfer::End(CURLcode code, base::WallTime now) {
  Judge(code);
  FetchResponse response = Collect();
  TakeCookies(response, now);
  Recycle();
  return response;
}

FetchResponse Transfer::EndStopped() {
  Fail(FetchError::kStopped, "stopped in flight");
  FetchResponse response = Collect();
  Recycle();
  return response;
}

void Transfer::SetIdentity() {
  Set(easy(), CURLOPT_PRIVATE, static_cast<void*>(this));
  Set(easy(), CURLOPT_ERRORBUFFER, error_words_);
  Set(easy(), CURLOPT_USERAGENT, settings_.user_agent.c_str());
  Set(easy(), CURLOPT_HTTPHEADER, settings_.headers.get());
  Set(easy(), CURLOPT_ACCEPT_ENCODING, kAcceptEncoding);
  Set(easy(), CURLOPT_HTTP_CONTENT_DECODING, 0L);  // BodyDecoder does it, within limits
  Set(easy(), CURLOPT_PROTOCOLS_STR, "http,https");
  Set(easy(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  Set(easy(), CURLOPT_FOLLOWLOCATION, 0L);
  Set(easy(), CURLOPT_HTTP09_ALLOWED, 0L);
  Set(easy(), CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  Set(easy(), CURLOPT_NOSIGNAL, 1L);
  // A name look-up that hangs must not hold up the loop when its transfer is given up.
  Set(easy(), CURLOPT_QUICK_EXIT, 1L);
}

void Transfer::AskWithoutCoding() {
  identity_only_ = true;
  Set(easy(), CURLOPT_ACCEPT_ENCODING, "identity");
}

void Transfer::SetFields(const base::Result<frontier::Url>& url) {
  const auto& by_origin = settings_.headers_by_origin;
  if (by_origin.empty()) return;
  const auto own =
      url ? by_origin.find(FieldOrigin(url->scheme(), url->host(), url->port())) : by_origin.end();
  Set(easy(), CURLOPT_HTTPHEADER,
      own == by_origin.end() ? settings_.headers.get() : own->second.get());
}

void Transfer::SetCookies(const base::Result<frontier::Url>& url, const base::Clock& clock) {
  if (settings_.cookies == nullptr) return;
  const std::string field =
      url ? settings_.cookies->FieldFor(*url, clock.WallNow()) : std::string();
  Set(easy(), CURLOPT_COOKIE, field.empty() ? nullptr : field.c_str());
}

void Transfer::TakeCookies(const FetchResponse& response, base::WallTime now) const {
  if (settings_.cookies == nullptr) return;
  const auto url = frontier::Url::Parse(request_.url, frontier::UrlRules::Longest());
  if (!url) return;
  for (const auto& [name, value] : response.headers) {
    if (name == "set-cookie") settings_.cookies->Set(*url, value, now);
  }
}

void Transfer::SetLimits() {
  const FetcherOptions& options = settings_.options;
  Set(easy(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  SetTotalTimeout();
  Set(easy(), CURLOPT_BUFFERSIZE, ReceiveBuffer(options.header_bytes_max));
  Set(easy(), CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(options.low_speed_bytes));
  Set(easy(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.low_speed_time.count()));
  Set(easy(), CURLOPT_DNS_CACHE_TIMEOUT, static_cast<long>(options.dns_cache_time.count()));
}

void Transfer::SetTotalTimeout() {
  Set(easy(), CURLOPT_TIMEOUT_MS, static_cast<long>(settings_.options.total_timeout.count()));
}

void Transfer::SetConnection() {
  const FetcherOptions& options = settings_.options;
  const bool has_http2 = (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
  Set(easy(), CURLOPT_HTTP_VERSION,
      static_cast<long>(options.http2 && has_http2 ? CURL_HTTP_VERSION_2TLS
                                                   : CURL_HTTP_VERSION_1_1));
  SetProxy();
  if (!options.bind_address.empty()) {
    Set(easy(), CURLOPT_INTERFACE, ("host!" + options.bind_address).c_str());
  }
  if (settings_.resolve) Set(easy(), CURLOPT_RESOLVE, settings_.resolve.get());
  if (!options.ca_file.empty()) Set(easy(), CURLOPT_CAINFO, options.ca_file.c_str());
  Set(easy(), CURLOPT_SSL_VERIFYPEER, options.insecure ? 0L : 1L);
  Set(easy(), CURLOPT_SSL_VERIFYHOST, options.insecure ? 0L : 2L);
}

void Transfer::SetProxy() {
  const FetcherOptions& options = settings_.options;
  // Empty ones also silence the environment.
  Set(easy(), CURLOPT_PROXY, options.proxy.c_str());
  Set(easy(), CURLOPT_NOPROXY, "");
  // The proxy's own answer is not the target's.
  Set(easy(), CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  Set(easy(), CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  if (!options.ca_file.empty()) Set(easy(), CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
  Set(easy(), CURLOPT_PROXY_SSL_VERIFYPEER, options.insecure ? 0L : 1L);
  Set(easy(), CURLOPT_PROXY_SSL_VERIFYHOST, options.insecure ? 0L : 2L);
}

void Transfer::SetCallbacks() {
  Set(easy(), CURLOPT_HEADERFUNCTION, &Transfer::OnHeaderLine);
  Set(easy(), CURLOPT_HEADERDATA, static_cast<void*>(this));
  Set(easy(), CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  Set(easy(), CURLOPT_WRITEDATA, static_cast<void*>(this));
  Set(easy(), CURLOPT_OPENSOCKETFUNCTION, &Transfer::OnOpenSocket);
  Set(easy(), CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  if (!settings_.options.keep_raw) return;
  Set(easy(), CURLOPT_VERBOSE, 1L);  // no other way shows the request as it was sent
  Set(easy(), CURLOPT_DEBUGFUNCTION, &Transfer::OnDebug);
  Set(easy(), CURLOPT_DEBUGDATA, static_cast<void*>(this));
}

void Transfer::Rewind() {
  head_.Start(settings_.options.header_bytes_max);
  head_bytes_ = 0;
  recorder_.Start();
  secret_field_ = false;
  body_.clear();
  decoding_ = false;
  body_cut_ = false;
  identity_may_help_ = false;
  body_error_ = FetchError::kNone;
  error_ = FetchError::kNone;
  error_detail_.clear();
  error_words_[0] = '\0';
  denied_.clear();
  tried_allowed_ = false;
  shortage_ = false;
  crowded_.reset();
}

void Transfer::Recycle() {
  busy_ = false;
  LeaveCrowd();
  if (shortages_ > 0) Set(easy(), CURLOPT_MAXAGE_CONN, kMaxAge);
  if (identity_only_ || fresh_connection_) SetTotalTimeout();
  if (identity_only_) {
    identity_only_ = false;
    Set(easy(), CURLOPT_ACCEPT_ENCODING, kAcceptEncoding);
  }
  if (fresh_connection_) {
    fresh_connection_ = false;
    Set(easy(), CURLOPT_FRESH_CONNECT, 0L);
  }
  if (forbid_reuse_) {
    forbid_reuse_ = false;
    Set(easy(), CURLOPT_FORBID_REUSE, 0L);
  }
}

void Transfer::ForbidReuse() {
  if (std::exchange(forbid_reuse_, true)) return;
  Set(easy(), CURLOPT_FORBID_REUSE, 1L);
}

void Transfer::LeaveCrowd() {
  for (const IpAddress& address : entered_) crowd_.Leave(address);
  entered_.clear();
}

void Transfer::Fail(FetchError error, std::string detail) {
  error_ = error;
  error_detail_ = std::move(detail);
}

void Transfer::FailBody(FetchError error, std::string detail) {
  if (!head_.ended() || IsOfAPage(head_.status())) return Fail(error, std::move(detail));
  body_error_ = error;
}

std::size_t Transfer::OnHeaderLine(char* data, std::size_t, std::size_t bytes, void* self) {
  return static_cast<Transfer*>(self)->AddHeaderLine({data, bytes}) ? bytes : 0;
}

bool Transfer::AddHeaderLine(std::string_view line) {
  const bool is_trailer = head_.ended();
  head_bytes_ += line.size();
  const FetchError error = head_.AddLine(line);
  // A head that is refused for what it says came whole none the less.
  const bool came = error == FetchError::kNone || head_.ended();
  if (settings_.options.keep_raw && !is_trailer && came) RecordHeadLine(line);
  if (error != FetchError::kNone) {
    if (is_trailer || error == FetchError::kBadEncoding) {
      FailBody(error, head_.fault());
    } else {
      Fail(error, head_.fault());
    }
    return false;
  }
  if (head_.ended() && head_.ambiguous_length()) ForbidReuse();
  return true;
}

int Transfer::OnDebug(CURL*, curl_infotype what, char* data, std::size_t bytes, void* self) {
  const std::string_view text(data, bytes);
  // What is said to a proxy on the way is no part of the exchange.
  if (what == CURLINFO_HEADER_OUT && !text.starts_with("CONNECT ")) {
    static_cast<Transfer*>(self)->recorder_.AddRequest(text);
  }
  return 0;
}

void Transfer::RecordHeadLine(std::string_view line) {
  // A cookie that will be sent back is a credential, and archives are handed on.
  const bool folded = line.starts_with(' ') || line.starts_with('\t');  // the last field goes on
  if (!folded) {
    // Blanks before the colon are let pass where fields are read, too.
    const std::string_view name = base::Trim(line.substr(0, line.find(':')));
    secret_field_ = settings_.cookies != nullptr && base::EqualsIgnoreCase(name, "set-cookie");
  }
  if (!secret_field_) {
    recorder_.AddHeadLine(line);
  } else if (!folded) {
    recorder_.AddHeadLine("Set-Cookie: ***\r\n");
  }
  if (head_.ended()) recorder_.SetTls(TlsSessionOf(Tls()));
}

const void* Transfer::Tls() const {
  curl_tlssessioninfo* tls = nullptr;
  const CURLcode known = curl_easy_getinfo(easy(), CURLINFO_TLS_SSL_PTR, &tls);
  const bool openssl = tls != nullptr && tls->backend == CURLSSLBACKEND_OPENSSL;
  return known == CURLE_OK && openssl ? tls->internals : nullptr;
}

std::size_t Transfer::OnBody(char* data, std::size_t, std::size_t bytes, void* self) {
  return static_cast<Transfer*>(self)->AddBody({data, bytes}) ? bytes : bytes + 1;
}

bool Transfer::AddBody(std::string_view wire) {
  if (!decoding_ && !BeginBody()) return false;
  if (settings_.options.keep_raw && head_.coding() != ContentCoding::kIdentity) {
    recorder_.AddCodedBody(wire);
  }
  switch (decoder_.Write(wire, body_)) {
    case BodyDecoder::State::kMore:
      // libcurl reads a body as far as its length goes: what came behind it in one piece of TLS
      // would begin the next answer.
      if (head_.content_length() == decoder_.wire_bytes() && HasUnread(Tls())) ForbidReuse();
      return true;
    case BodyDecoder::State::kFull:
      body_cut_ = true;
      return false;
    case BodyDecoder::State::kCorrupt:
      identity_may_help_ = true;
      FailBody(FetchError::kBadEncoding,
               "body is not the \"" + head_.content_encoding() + "\" it claims to be");
      return false;
    case BodyDecoder::State::kBomb:
      FailBody(FetchError::kBomb, std::to_string(decoder_.wire_bytes()) +
                                      " bytes decode to more than " +
                                      std::to_string(body_.size()));
      return false;
  }
  return false;
}

std::size_t Transfer::BodyBytesMax() const {
  return request_.body_bytes_max.value_or(settings_.options.body_bytes_max);
}

bool Transfer::BeginBody() {
  const ContentCoding coding = head_.coding();
  if (coding == ContentCoding::kUnknown) {
    identity_may_help_ = true;
    FailBody(FetchError::kBadEncoding,
             "unknown Content-Encoding \"" + head_.content_encoding() + "\"");
    return false;
  }
  decoder_.Start(coding, BodyBytesMax());
  decoding_ = true;
  const std::size_t factor = coding == ContentCoding::kIdentity ? 1 : 4;
  const std::size_t length = std::min(head_.content_length().value_or(0), kReserveMax);
  body_.reserve(std::min({factor * length, kReserveMax, BodyBytesMax()}));
  return true;
}

curl_socket_t Transfer::OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  Transfer& transfer = *static_cast<Transfer*>(self);
  const curl_socket_t opened = transfer.OpenSocket(*address);
  if (opened == CURL_SOCKET_BAD) transfer.address_skipped_ = true;
  return opened;
}

curl_socket_t Transfer::OpenSocket(const curl_sockaddr& target) {
  if (!settings_.proxied() && !MayConnect(IpAddress::Of(target.addr))) return CURL_SOCKET_BAD;
  const int made = socket(target.family, target.socktype | SOCK_CLOEXEC, target.protocol);
  if (made < 0 && IsShortage(errno)) {
    shortage_ = true;
    return CURL_SOCKET_BAD;
  }
  tried_allowed_ = true;
  return made;
}

bool Transfer::MayConnect(const std::optional<IpAddress>& address) {
  const auto why = address ? settings_.address_rules.Denial(*address) : "not an Internet address";
  if (why) {
    if (denied_.empty()) {
      denied_ = (address ? address->ToString() : "?") + " is " + std::string(*why);
    }
    return false;
  }
  if (!crowd_.Enter(*address)) {
    crowded_ = address;
    return false;
  }
  entered_.push_back(*address);
  return true;
}

void Transfer::Judge(CURLcode code) {
  if (error_ != FetchError::kNone) return;
  if (settings_.proxied() && head_.status() == 407) {
    Fail(FetchError::kProxy, "the proxy asks for credentials");
    return;
  }
  if (body_cut_ || body_error_ != FetchError::kNone) return;
  if (code == CURLE_OK) {
    if (decoding_ && !decoder_.Ended()) {
      FailBody(FetchError::kReset, "the compressed body ends before its end");
    } else if (!head_.ended()) {
      Fail(FetchError::kProtocol, "no HTTP response");
    }
    return;
  }
  // (With very many of them the time may be over before the last one was looked at.)
  const bool unconnected = code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
  if (unconnected && !denied_.empty() && !tried_allowed_) {
    Fail(FetchError::kAddressDenied, denied_);
    return;
  }
  std::string words = error_words_[0] != '\0' ? error_words_ : curl_easy_strerror(code);
  std::replace_if(
      words.begin(), words.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  const auto by_proxy =
      settings_.proxied() ? ClassifyByProxy(easy(), code) : std::optional<FetchError>();
  const FetchError error = by_proxy ? *by_proxy : Classify(easy(), code, words, head_.ended());
  if (code == CURLE_OUT_OF_MEMORY && error == FetchError::kHeadersTooLarge) {
    words = "a header line of more than 100 KiB";
  }
  if (error == FetchError::kTls) {
    words = std::string(TlsFault(easy(), code, words)) + ": " + words;
  }
  FailBody(error, std::move(words));
}

FetchResponse Transfer::Collect() {
  FetchResponse response;
  response.error = error_;
  response.error_detail = std::move(error_detail_);
  response.status = head_.status();
  response.headers = head_.TakeFields();
  response.body = std::move(body_);
  response.body_cut = body_cut_;
  response.body_error = body_error_;
  response.wire_bytes = head_bytes_ + (decoding_ ? decoder_.wire_bytes() : 0);
  char* address = nullptr;
  CHECK(curl_easy_getinfo(easy(), CURLINFO_PRIMARY_IP, &address) == CURLE_OK);
  if (address != nullptr) response.address = address;
  response.proxied = settings_.proxied();
  response.shortages = shortages_;
  response.crowds = crowds_;
  response.http_version = HttpVersion(easy());
  response.started = started_;
  if (settings_.options.keep_raw) response.raw = recorder_.Take();
  const curl_off_t sent = Number(easy(), CURLINFO_PRETRANSFER_TIME_T);
  const curl_off_t ended = Number(easy(), CURLINFO_TOTAL_TIME_T);
  if (sent > 0) response.duration = microseconds(std::max<curl_off_t>(ended - sent, 0));
  return response;
}

}  // namespace crawler::curl

#include "crawler/curl_fetcher.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "crawler/address_crowd.h"
#include "crawler/address_rules.h"
#include "crawler/body_decoder.h"
#include "crawler/cookie_jar.h"
#include "crawler/event_poll.h"
#include "crawler/raw_exchange.h"
#include "crawler/request_fields.h"
#include "crawler/response_head.h"
#include "crawler/sigpipe_blocked.h"
#include "crawler/tls_fault.h"
#include "frontier/url.h"
#include "parser/ascii.h"

namespace crawler {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kAccept[] =
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";
/// Room taken for a body ahead of its bytes, however long it claims to be.
constexpr std::size_t kReserveMax = std::size_t{256} * 1024;

struct CloseEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct CloseMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using StringList = std::unique_ptr<curl_slist, FreeList>;

void Append(StringList& list, const std::string& text) {
  curl_slist* longer = curl_slist_append(list.get(), text.c_str());
  CHECK(longer != nullptr);
  static_cast<void>(list.release());
  list.reset(longer);
}

/// Sets an option that this libcurl is known to take.
template <class Value>
void Set(CURL* easy, CURLoption option, Value value) {
  CHECK(curl_easy_setopt(easy, option, value) == CURLE_OK);
}
template <class Value>
void SetMulti(CURLM* multi, CURLMoption option, Value value) {
  CHECK(curl_multi_setopt(multi, option, value) == CURLM_OK);
}

curl_off_t Number(CURL* easy, CURLINFO what) {
  curl_off_t value = 0;
  CHECK(curl_easy_getinfo(easy, what, &value) == CURLE_OK);
  return value;
}

void AppendCommon(const RequestFields& fields, StringList& list) {
  const auto& common = fields.common();
  const bool has_accept = std::any_of(common.begin(), common.end(), [](const std::string& field) {
    return parser::StartsWithIgnoreCase(field, "accept:");
  });
  if (!has_accept) Append(list, kAccept);
  for (const std::string& field : common) Append(list, field);
}

// A request for which there is no descriptor is tried again so often, and after so long where no
// other one's end makes room.
constexpr int kShortagesMax = 240;
constexpr milliseconds kShortagePause{250};

/// Whether `error` says that this process or machine has no room for another connection.
bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// Whether there is no descriptor left at this moment.
bool NoDescriptorLeft() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return IsShortage(errno);
  close(probe);
  return false;
}

/// What all transfers of a loop share; constant while it runs.
struct Settings {
  FetcherOptions options;
  AddressRules address_rules;
  std::string user_agent;
  StringList headers;
  /// Of hosts that get fields of their own, by "host" or "host:port".
  std::map<std::string, StringList, std::less<>> headers_by_host;
  StringList resolve;
  std::shared_ptr<CookieJar> cookies;  // null: none

  Settings(FetcherOptions given, AddressRules rules, const RequestFields& fields,
           std::shared_ptr<CookieJar> jar)
      : options(std::move(given)), address_rules(std::move(rules)), cookies(std::move(jar)) {
    user_agent = options.user_agent;
    if (!options.contact_url.empty()) user_agent += " (+" + options.contact_url + ")";
    AppendCommon(fields, headers);
    for (const auto& [host, own] : fields.by_host()) {
      StringList& list = headers_by_host[host];
      AppendCommon(fields, list);
      for (const std::string& field : own) Append(list, field);
    }
    for (const std::string& entry : options.resolve) Append(resolve, entry);
  }
  bool proxied() const { return !options.proxy.empty(); }
  /// Whether what is sent depends on the host.
  bool by_host() const { return !headers_by_host.empty() || cookies != nullptr; }
};

/// What is wrong with a server's TLS, in one word, before libcurl's own words.
std::string_view TlsFault(CURL* easy, CURLcode code, std::string_view words) {
  long verified = 0;
  CHECK(curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verified) == CURLE_OK);
  if (const auto fault = CertificateFault(verified); !fault.empty()) return fault;
  // libcurl compares names itself, after OpenSSL found nothing amiss.
  if (words.find("name") != std::string_view::npos && code == CURLE_PEER_FAILED_VERIFICATION) {
    return "wrong-name";
  }
  return "handshake";
}

/// The class of a transfer that libcurl itself gave up.
FetchError Classify(CURL* easy, CURLcode code, std::string_view words, bool head_ended) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return FetchError::kDns;
    case CURLE_COULDNT_RESOLVE_PROXY:
      return FetchError::kProxy;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED:
      return FetchError::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
      if (words.starts_with("Resolving")) return FetchError::kDns;
      return Number(easy, CURLINFO_PRETRANSFER_TIME_T) == 0 ? FetchError::kConnect
                                                            : FetchError::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_USE_SSL_FAILED:
      return FetchError::kTls;
    case CURLE_RECV_ERROR:
      // libcurl has no code of its own for these two.
      if (words.find("chunked-encoding") != std::string_view::npos) return FetchError::kProtocol;
      if (words.starts_with("Too large response headers")) return FetchError::kHeadersTooLarge;
      return FetchError::kReset;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return FetchError::kReset;
    case CURLE_OUT_OF_MEMORY:
      // So a header line of more than 100 KiB (CURL_MAX_HTTP_HEADER) is reported.
      return head_ended ? FetchError::kReset : FetchError::kHeadersTooLarge;
    case CURLE_BAD_CONTENT_ENCODING:
      return FetchError::kBadEncoding;
    default:
      return FetchError::kProtocol;
  }
}

/// Likewise behind a proxy, where what fails may be the proxy or what it says of the target.
/// Nothing where the proxy has no part in it.
std::optional<FetchError> ClassifyByProxy(CURL* easy, CURLcode code) {
  if (code == CURLE_COULDNT_CONNECT) return FetchError::kProxy;
  long answer = 0;
  if (code == CURLE_PROXY) {  // SOCKS
    CHECK(curl_easy_getinfo(easy, CURLINFO_PROXY_ERROR, &answer) == CURLE_OK);
    const bool target = answer == CURLPX_REPLY_HOST_UNREACHABLE ||
                        answer == CURLPX_REPLY_NETWORK_UNREACHABLE ||
                        answer == CURLPX_REPLY_CONNECTION_REFUSED ||
                        answer == CURLPX_REPLY_TTL_EXPIRED || answer == CURLPX_RESOLVE_HOST;
    return target ? FetchError::kConnect : FetchError::kProxy;
  }
  CHECK(curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &answer) == CURLE_OK);
  if (answer == 0 || (answer >= 200 && answer < 300)) return std::nullopt;
  // A gateway's error is about the target; all else is about us.
  return answer >= 502 && answer <= 504 ? FetchError::kConnect : FetchError::kProxy;
}

std::string_view HttpVersion(CURL* easy) {
  long version = 0;
  CHECK(curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK);
  switch (version) {
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

/// One transfer at a time through one easy handle, which is kept for the next: what does not
/// change from page to page is set once.
///
/// Thread safety: none. Ownership: `settings` and `crowd` must outlive it.
class Transfer {
 public:
  Transfer(const Settings& settings, AddressCrowd& crowd)
      : settings_(settings), crowd_(crowd), easy_(curl_easy_init()) {
    CHECK(easy_ != nullptr);
    SetIdentity();
    SetLimits();
    SetConnection();
    SetCallbacks();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  static Transfer& Of(CURL* easy) {
    void* self = nullptr;
    CHECK(curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self) == CURLE_OK && self != nullptr);
    return *static_cast<Transfer*>(self);
  }

  CURL* easy() const { return easy_.get(); }
  bool busy() const { return busy_; }

  /// Prepares the handle for `request`.
  void Begin(FetchRequest request, const base::Clock& clock) {
    request_ = std::move(request);
    started_ = clock.Now();
    busy_ = true;
    shortages_ = crowds_ = 0;
    Set(easy(), CURLOPT_URL, request_.url.c_str());
    if (settings_.by_host()) {
      const auto url = frontier::Url::Parse(request_.url);
      SetFields(url);
      SetCookies(url, clock);
    }
    Rewind();
  }

  /// Why what ended with `code` must wait and then be begun anew.
  enum class Wait : std::uint8_t { kNo, kDescriptors, kCrowd };
  Wait MustWait(CURLcode code) {
    if (code == CURLE_OK || error_ != FetchError::kNone || head_.status() != 0) return Wait::kNo;
    if (tried_allowed_ && !shortage_) return Wait::kNo;
    LeaveCrowd();
    if (crowded_ && !tried_allowed_) {
      ++crowds_;
      return Wait::kCrowd;
    }
    const bool unresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_OUT_OF_MEMORY ||
                            code == CURLE_COULDNT_RESOLVE_PROXY;
    if (!shortage_ && !(unresolved && NoDescriptorLeft())) return Wait::kNo;
    if (shortages_ >= kShortagesMax) return Wait::kNo;
    ++shortages_;
    return Wait::kDescriptors;
  }

  /// Whether a transfer that had to wait may be begun: its address has room again, if it was that.
  bool MayBegin() const { return !crowded_ || crowd_.HasRoom(*crowded_); }

  /// Prepares it for its next try after a wait, which does not count as its time.
  void BeginAfterWait(base::Time now) {
    started_ = now;
    // Idle connections hold descriptors: let libcurl close them.
    if (shortage_) Set(easy(), CURLOPT_MAXAGE_CONN, 1L);
    Rewind();
  }

  /// Whether what failed with `code` is to be tried once more at once, and then prepares it:
  /// without content coding where that was unknown or corrupt; on a new connection where an HTTP/2
  /// one was ended (GOAWAY, reset) before a response began. (Of HTTP/1 connections that the server
  /// closed meanwhile, libcurl tries anew by itself, once.)
  bool BeginAgain(CURLcode code, base::Time now) {
    const bool without_coding =
        error_ == FetchError::kBadEncoding && identity_may_help_ && !identity_only_;
    const bool anew = error_ == FetchError::kNone && head_.status() == 0 && !fresh_connection_ &&
                      (code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM);
    if (!without_coding && !anew) return false;
    const auto left = settings_.options.total_timeout - (now - started_);
    const auto left_millis = std::chrono::floor<milliseconds>(left).count();
    if (left_millis <= 0) return false;
    if (without_coding) {
      identity_only_ = true;
      Set(easy(), CURLOPT_ACCEPT_ENCODING, "identity");
    } else {
      fresh_connection_ = true;
      Set(easy(), CURLOPT_FRESH_CONNECT, 1L);
    }
    Set(easy(), CURLOPT_TIMEOUT_MS, static_cast<long>(left_millis));
    Rewind();
    return true;
  }

  /// The response, after libcurl finished with `code`.
  FetchResponse End(CURLcode code, base::WallTime now) {
    Judge(code);
    FetchResponse response = Collect();
    TakeCookies(response, now);
    Recycle();
    return response;
  }

  /// The response to what was stopped in flight.
  FetchResponse EndStopped() {
    Fail(FetchError::kStopped, "stopped in flight");
    FetchResponse response = Collect();
    Recycle();
    return response;
  }

  FetchRequest TakeRequest() { return std::move(request_); }

 private:
  void SetIdentity() {
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

  /// Each request anew, for the handle's last one may have gone to a host with secrets.
  void SetFields(const base::Result<frontier::Url>& url) {
    if (settings_.headers_by_host.empty()) return;
    const auto& by_host = settings_.headers_by_host;
    auto own = by_host.end();
    if (url) {
      own = by_host.find(std::string(url->host()) + ":" + std::to_string(url->port()));
      if (own == by_host.end()) own = by_host.find(url->host());
    }
    Set(easy(), CURLOPT_HTTPHEADER,
        own == by_host.end() ? settings_.headers.get() : own->second.get());
  }

  /// The same for cookies. libcurl's own engine is left alone: its jar has no bound.
  void SetCookies(const base::Result<frontier::Url>& url, const base::Clock& clock) {
    if (settings_.cookies == nullptr) return;
    const std::string field =
        url ? settings_.cookies->FieldFor(*url, clock.WallNow()) : std::string();
    Set(easy(), CURLOPT_COOKIE, field.empty() ? nullptr : field.c_str());
  }

  void TakeCookies(const FetchResponse& response, base::WallTime now) const {
    if (settings_.cookies == nullptr) return;
    const auto url = frontier::Url::Parse(request_.url);
    if (!url) return;
    for (const auto& [name, value] : response.headers) {
      if (name == "set-cookie") settings_.cookies->Set(*url, value, now);
    }
  }

  void SetLimits() {
    const FetcherOptions& options = settings_.options;
    Set(easy(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    SetTotalTimeout();
    Set(easy(), CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(options.low_speed_bytes));
    Set(easy(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.low_speed_time.count()));
    Set(easy(), CURLOPT_DNS_CACHE_TIMEOUT, static_cast<long>(options.dns_cache_time.count()));
  }

  void SetTotalTimeout() {
    Set(easy(), CURLOPT_TIMEOUT_MS, static_cast<long>(settings_.options.total_timeout.count()));
  }

  void SetConnection() {
    const FetcherOptions& options = settings_.options;
    const bool has_http2 =
        (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
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

  void SetProxy() {
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

  void SetCallbacks() {
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

  /// Forgets the response so far.
  void Rewind() {
    head_.Start(settings_.options.header_bytes_max);
    recorder_.Start();
    body_.clear();
    decoding_ = false;
    body_cut_ = false;
    identity_may_help_ = false;
    error_ = FetchError::kNone;
    error_detail_.clear();
    error_words_[0] = '\0';
    denied_.clear();
    tried_allowed_ = false;
    shortage_ = false;
    crowded_.reset();
  }

  /// Makes the handle as it was before Begin().
  void Recycle() {
    busy_ = false;
    LeaveCrowd();
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

  void LeaveCrowd() {
    for (const IpAddress& address : entered_) crowd_.Leave(address);
    entered_.clear();
  }

  void Fail(FetchError error, std::string detail) {
    error_ = error;
    error_detail_ = std::move(detail);
  }

  // libcurl's callbacks. A return of less than `bytes` ends the transfer.

  static std::size_t OnHeaderLine(char* data, std::size_t, std::size_t bytes, void* self) {
    return static_cast<Transfer*>(self)->AddHeaderLine({data, bytes}) ? bytes : 0;
  }

  bool AddHeaderLine(std::string_view line) {
    const bool is_trailer = head_.ended();
    const FetchError error = head_.AddLine(line);
    if (error != FetchError::kNone) {
      Fail(error, head_.fault());
      return false;
    }
    if (settings_.options.keep_raw && !is_trailer) RecordHeadLine(line);
    if (head_.ended() && head_.ambiguous_length() && !forbid_reuse_) {
      forbid_reuse_ = true;
      Set(easy(), CURLOPT_FORBID_REUSE, 1L);
    }
    return true;
  }

  static int OnDebug(CURL*, curl_infotype what, char* data, std::size_t bytes, void* self) {
    const std::string_view text(data, bytes);
    // What is said to a proxy on the way is no part of the exchange.
    if (what == CURLINFO_HEADER_OUT && !text.starts_with("CONNECT ")) {
      static_cast<Transfer*>(self)->recorder_.AddRequest(text);
    }
    return 0;
  }

  void RecordHeadLine(std::string_view line) {
    // A cookie that will be sent back is a credential, and archives are handed on.
    const bool secret =
        settings_.cookies != nullptr && parser::StartsWithIgnoreCase(line, "set-cookie:");
    recorder_.AddHeadLine(secret ? "Set-Cookie: ***\r\n" : line);
    if (!head_.ended()) return;
    curl_tlssessioninfo* tls = nullptr;
    const CURLcode known = curl_easy_getinfo(easy(), CURLINFO_TLS_SSL_PTR, &tls);
    if (known == CURLE_OK && tls != nullptr && tls->backend == CURLSSLBACKEND_OPENSSL) {
      recorder_.SetTls(TlsSessionOf(tls->internals));
    }
  }

  static std::size_t OnBody(char* data, std::size_t, std::size_t bytes, void* self) {
    return static_cast<Transfer*>(self)->AddBody({data, bytes}) ? bytes : bytes + 1;
  }

  bool AddBody(std::string_view wire) {
    if (!decoding_ && !BeginBody()) return false;
    if (settings_.options.keep_raw && head_.coding() != ContentCoding::kIdentity) {
      recorder_.AddCodedBody(wire);
    }
    switch (decoder_.Write(wire, body_)) {
      case BodyDecoder::State::kMore:
        return true;
      case BodyDecoder::State::kFull:
        body_cut_ = true;
        return false;
      case BodyDecoder::State::kCorrupt:
        identity_may_help_ = true;
        Fail(FetchError::kBadEncoding,
             "body is not the \"" + head_.content_encoding() + "\" it claims to be");
        return false;
      case BodyDecoder::State::kBomb:
        Fail(FetchError::kBomb, std::to_string(decoder_.wire_bytes()) +
                                    " bytes decode to more than " + std::to_string(body_.size()));
        return false;
    }
    return false;
  }

  std::size_t BodyBytesMax() const {
    return request_.body_bytes_max.value_or(settings_.options.body_bytes_max);
  }

  bool BeginBody() {
    const ContentCoding coding = head_.coding();
    if (coding == ContentCoding::kUnknown) {
      identity_may_help_ = true;
      Fail(FetchError::kBadEncoding,
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

  static curl_socket_t OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
    return static_cast<Transfer*>(self)->OpenSocket(*address);
  }

  /// The only door to the network: each address libcurl is about to connect to comes through here,
  /// whatever name, redirect or DNS answer brought it.
  curl_socket_t OpenSocket(const curl_sockaddr& target) {
    if (!settings_.proxied() && !MayConnect(IpAddress::Of(target.addr))) return CURL_SOCKET_BAD;
    const int made = socket(target.family, target.socktype | SOCK_CLOEXEC, target.protocol);
    if (made < 0 && IsShortage(errno)) {
      shortage_ = true;
      return CURL_SOCKET_BAD;
    }
    tried_allowed_ = true;
    return made;
  }

  bool MayConnect(const std::optional<IpAddress>& address) {
    const auto why =
        address ? settings_.address_rules.Denial(*address) : "not an Internet address";
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

  /// Settles error_ by what libcurl and our callbacks say.
  void Judge(CURLcode code) {
    if (error_ != FetchError::kNone || body_cut_) return;
    if (settings_.proxied() && head_.status() == 407) {
      Fail(FetchError::kProxy, "the proxy asks for credentials");
      return;
    }
    if (code == CURLE_OK) {
      if (decoding_ && !decoder_.Ended()) {
        Fail(FetchError::kReset, "the compressed body ends before its end");
      } else if (!head_.ended()) {
        Fail(FetchError::kProtocol, "no HTTP response");
      }
      return;
    }
    if (code == CURLE_COULDNT_CONNECT && !denied_.empty() && !tried_allowed_) {
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
    Fail(error, std::move(words));
  }

  FetchResponse Collect() {
    FetchResponse response;
    response.error = error_;
    response.error_detail = std::move(error_detail_);
    response.status = head_.status();
    response.headers = head_.TakeFields();
    response.body = std::move(body_);
    response.body_cut = body_cut_;
    response.wire_bytes = decoding_ ? decoder_.wire_bytes() : 0;
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

  const Settings& settings_;
  AddressCrowd& crowd_;
  const std::unique_ptr<CURL, CloseEasy> easy_;
  char error_words_[CURL_ERROR_SIZE] = {};

  // Of the request in flight.
  FetchRequest request_;
  base::Time started_{};
  bool busy_ = false;
  bool identity_only_ = false;     // asked again without content coding
  bool fresh_connection_ = false;  // asked again on a new connection
  bool forbid_reuse_ = false;
  std::uint32_t shortages_ = 0;  // waits so far, and those of the kind below
  std::uint32_t crowds_ = 0;

  // Of the response so far.
  ResponseHead head_;
  BodyDecoder decoder_;
  ExchangeRecorder recorder_;  // idle unless keep_raw
  std::string body_;
  bool decoding_ = false;  // decoder_ was started
  bool body_cut_ = false;
  bool identity_may_help_ = false;
  FetchError error_ = FetchError::kNone;
  std::string error_detail_;
  std::string denied_;                // the first address we refused to connect to, and why
  bool tried_allowed_ = false;        // some address was not refused
  bool shortage_ = false;             // there was no descriptor or memory for a connection
  std::optional<IpAddress> crowded_;  // had too many requests under way
  std::vector<IpAddress> entered_;
};

}  // namespace

/// The event loop behind CurlFetcher.
class CurlFetcher::Loop {
 public:
  Loop(Settings settings, std::unique_ptr<EventPoll> poll, const base::Clock& clock)
      : settings_(std::move(settings)),
        clock_(clock),
        poll_(std::move(poll)),
        multi_(curl_multi_init()),
        crowd_(settings_.options.connecting_per_address_max),
        room_(settings_.options.transfers_max) {
    CHECK(multi_ != nullptr);
    const FetcherOptions& options = settings_.options;
    SetMulti(multi(), CURLMOPT_SOCKETFUNCTION, &Loop::OnSocket);
    SetMulti(multi(), CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    SetMulti(multi(), CURLMOPT_TIMERFUNCTION, &Loop::OnTimer);
    SetMulti(multi(), CURLMOPT_TIMERDATA, static_cast<void*>(this));
    SetMulti(multi(), CURLMOPT_MAXCONNECTS,
             static_cast<long>(std::max(options.connections_max, options.transfers_max)));
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run(FetchSource& source) {
    const SigpipeBlocked sigpipe_blocked;
    may_ask_ = true;
    finished_ = false;
    ask_at_.reset();
    while (!stopped_.load()) {
      Collect(source);
      Ask(source);
      if (finished_ && in_flight_ == 0) return;
      Wait();
    }
    EndAll(source);
  }

  void Wake() { poll_->Wake(); }

  void Stop() {
    stopped_.store(true);
    Wake();
  }

 private:
  CURLM* multi() const { return multi_.get(); }
  bool HasRoom() const { return in_flight_ < room_; }
  bool CanAsk() const { return may_ask_ && !finished_ && HasRoom(); }

  /// Starts what the source has, as far as there is room.
  void Ask(FetchSource& source) {
    while (CanAsk()) {
      FetchSource::Next next = source.NextFetch();
      if (auto* request = std::get_if<FetchRequest>(&next)) {
        if (auto why = Refusal(request->url)) {
          source.Fetched(std::move(*request), Refused(std::move(*why)));
        } else {
          Start(std::move(*request));
        }
      } else if (auto* until = std::get_if<FetchSource::WaitUntil>(&next)) {
        may_ask_ = false;
        ask_at_ = until->when;
      } else if (std::holds_alternative<FetchSource::WaitForWake>(next)) {
        may_ask_ = false;
        ask_at_.reset();
      } else {
        finished_ = true;
      }
    }
  }

  /// Why nothing is asked of `url`, by what it says itself. What a name resolves to is judged in
  /// Transfer::OpenSocket; behind a proxy nobody but us judges a numeric host.
  std::optional<std::string> Refusal(const std::string& text) const {
    const auto url = frontier::Url::Parse(text);
    if (!url) return std::nullopt;  // libcurl says what is wrong with it
    const AddressRules& rules = settings_.address_rules;
    if (auto why = rules.PortDenial(url->port())) {
      return std::to_string(url->port()) + " is " + std::string(*why);
    }
    if (auto why = rules.NameDenial(url->host())) {
      return std::string(url->host()) + " is " + std::string(*why);
    }
    if (!settings_.proxied()) return std::nullopt;
    const auto address = IpAddress::OfHost(url->host());
    const auto why = address ? rules.Denial(*address) : std::nullopt;
    if (!why) return std::nullopt;
    return address->ToString() + " is " + std::string(*why);
  }

  static FetchResponse Refused(std::string why) {
    FetchResponse response;
    response.error = FetchError::kAddressDenied;
    response.error_detail = std::move(why);
    return response;
  }

  void AskAgain() {
    may_ask_ = true;
    ask_at_.reset();
  }

  void Start(FetchRequest request) {
    if (idle_.empty()) {
      transfers_.push_back(std::make_unique<Transfer>(settings_, crowd_));
      idle_.push_back(transfers_.back().get());
    }
    Transfer& transfer = *idle_.back();
    idle_.pop_back();
    transfer.Begin(std::move(request), clock_);
    CHECK(curl_multi_add_handle(multi(), transfer.easy()) == CURLM_OK);
    ++in_flight_;
  }

  /// Puts a transfer aside until another ends. What the machine has no room for it will not have
  /// room for soon: no more is carried at a time from now on than is under way, and as many
  /// connections are kept.
  void PutAside(Transfer& transfer, Transfer::Wait why) {
    waiting_.push_back(&transfer);
    const int under_way = in_flight_ - static_cast<int>(waiting_.size());
    if (why == Transfer::Wait::kDescriptors && under_way < room_) {
      room_ = std::max(under_way, 1);
      SetMulti(multi(), CURLMOPT_MAXCONNECTS, static_cast<long>(room_));
    }
    if (under_way == 0) retry_at_ = clock_.Now() + kShortagePause;
  }

  void BeginWaiting() {
    retry_at_.reset();
    const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                   [](const Transfer* transfer) { return transfer->MayBegin(); });
    if (next == waiting_.end()) return;
    Transfer& transfer = **next;
    waiting_.erase(next);
    transfer.BeginAfterWait(clock_.Now());
    CHECK(curl_multi_add_handle(multi(), transfer.easy()) == CURLM_OK);
  }

  /// Sleeps until there is something to do, and lets libcurl do its part of it.
  void Wait() {
    const EventPoll::Woken woken = poll_->Wait(TimeLeft());
    for (const EventPoll::Event& event : woken.events) {
      const int what = (event.readable ? CURL_CSELECT_IN : 0) |
                       (event.writable ? CURL_CSELECT_OUT : 0) |
                       (event.failed ? CURL_CSELECT_ERR : 0);
      Act(event.socket, what);
    }
    const base::Time now = clock_.Now();
    if (curl_deadline_ && *curl_deadline_ <= now) {
      curl_deadline_.reset();
      Act(CURL_SOCKET_TIMEOUT, 0);
    }
    if (retry_at_ && *retry_at_ <= now) BeginWaiting();
    if (woken.by_wake || (ask_at_ && *ask_at_ <= now)) AskAgain();
  }

  std::optional<std::chrono::nanoseconds> TimeLeft() const {
    std::optional<base::Time> until = curl_deadline_;
    if (retry_at_) until = until ? std::min(*until, *retry_at_) : *retry_at_;
    // Without room the source cannot be asked: only a completion helps.
    if (ask_at_ && HasRoom()) until = until ? std::min(*until, *ask_at_) : *ask_at_;
    if (!until) return std::nullopt;
    return std::max<std::chrono::nanoseconds>(*until - clock_.Now(), {});
  }

  void Act(curl_socket_t socket, int what) {
    int running = 0;
    CHECK(curl_multi_socket_action(multi(), socket, what, &running) == CURLM_OK);
  }

  /// Gives the source what is complete.
  void Collect(FetchSource& source) {
    int queued = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi(), &queued)) {
      CHECK(message->msg == CURLMSG_DONE);
      Transfer& transfer = Transfer::Of(message->easy_handle);
      const CURLcode code = message->data.result;
      CHECK(curl_multi_remove_handle(multi(), transfer.easy()) == CURLM_OK);
      if (transfer.BeginAgain(code, clock_.Now())) {
        CHECK(curl_multi_add_handle(multi(), transfer.easy()) == CURLM_OK);
        continue;
      }
      if (const auto why = transfer.MustWait(code); why != Transfer::Wait::kNo) {
        PutAside(transfer, why);
        continue;
      }
      Give(source, transfer, transfer.End(code, clock_.WallNow()));
      BeginWaiting();
    }
  }

  void Give(FetchSource& source, Transfer& transfer, FetchResponse response) {
    FetchRequest request = transfer.TakeRequest();
    idle_.push_back(&transfer);
    --in_flight_;
    AskAgain();
    source.Fetched(std::move(request), std::move(response));
  }

  void EndAll(FetchSource& source) {
    waiting_.clear();
    retry_at_.reset();
    for (const auto& transfer : transfers_) {
      if (!transfer->busy()) continue;
      CHECK(curl_multi_remove_handle(multi(), transfer->easy()) == CURLM_OK);
      Give(source, *transfer, transfer->EndStopped());
    }
  }

  static int OnSocket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
    Loop& loop = *static_cast<Loop*>(self);
    if (what == CURL_POLL_REMOVE) {
      loop.poll_->Forget(socket);
      return 0;
    }
    const EventPoll::Interest interest{.readable = (what & CURL_POLL_IN) != 0,
                                       .writable = (what & CURL_POLL_OUT) != 0};
    if (known != nullptr) {
      loop.poll_->Change(socket, interest);
      return 0;
    }
    loop.poll_->Watch(socket, interest);
    // Any pointer will do: it comes back as `known` until the socket is removed.
    CHECK(curl_multi_assign(loop.multi(), socket, self) == CURLM_OK);
    return 0;
  }

  static int OnTimer(CURLM*, long timeout_ms, void* self) {
    Loop& loop = *static_cast<Loop*>(self);
    loop.curl_deadline_.reset();
    if (timeout_ms >= 0) loop.curl_deadline_ = loop.clock_.Now() + milliseconds(timeout_ms);
    return 0;
  }

  // Constant after construction. The order matters: closing the handles calls back to poll_.
  const Settings settings_;
  const base::Clock& clock_;
  const std::unique_ptr<EventPoll> poll_;
  const std::unique_ptr<CURLM, CloseMulti> multi_;

  // Of the thread in Run().
  std::vector<std::unique_ptr<Transfer>> transfers_;  // all there are
  std::vector<Transfer*> idle_;
  int in_flight_ = 0;
  bool may_ask_ = true;  // something happened since the source last had nothing
  bool finished_ = false;
  std::optional<base::Time> ask_at_;
  std::optional<base::Time> curl_deadline_;
  AddressCrowd crowd_;
  std::deque<Transfer*> waiting_;       // put aside, among those in flight
  std::optional<base::Time> retry_at_;  // where nothing else under way will make room
  int room_;                            // transfers at the same time

  /// Set once by any thread, then the event queue is woken. Sequentially consistent: costs nothing
  /// beside the system call, and needs no argument.
  std::atomic<bool> stopped_{false};
};

base::Result<std::unique_ptr<CurlFetcher>> CurlFetcher::Create(
    FetcherOptions options, const base::Clock& clock, std::shared_ptr<CookieJar> cookies) {
  // Once a process, before the first handle; thread-safe as a local static is.
  static const CURLcode global = curl_global_init(CURL_GLOBAL_ALL);
  if (global != CURLE_OK) {
    return base::Fail(std::string("libcurl does not start: ") + curl_easy_strerror(global));
  }
  if (base::Status valid = Validate(options); !valid) return base::Fail(valid.error().message);
  auto rules = AddressRules::Create(options.allow_networks, options.allow_ports);
  if (!rules) return base::Fail(rules.error().message);
  auto fields = RequestFields::Create(options.headers, options.host_headers, options.basic_auth);
  if (!fields) return base::Fail(fields.error().message);
  auto poll = EventPoll::Create();
  if (!poll) return base::Fail(poll.error().message);
  return std::unique_ptr<CurlFetcher>(new CurlFetcher(std::make_unique<Loop>(
      Settings(std::move(options), std::move(*rules), *fields, std::move(cookies)),
      std::move(*poll), clock)));
}

CurlFetcher::CurlFetcher(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
CurlFetcher::~CurlFetcher() = default;

void CurlFetcher::Run(FetchSource& source) { loop_->Run(source); }
void CurlFetcher::Wake() { loop_->Wake(); }
void CurlFetcher::Stop() { loop_->Stop(); }

}  // namespace crawler

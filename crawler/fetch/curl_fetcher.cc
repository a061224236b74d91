#include "crawler/fetch/curl_fetcher.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "crawler/fetch/address_crowd.h"
#include "crawler/fetch/address_rules.h"
#include "crawler/fetch/cookie_jar.h"
#include "crawler/fetch/curl_handles.h"
#include "crawler/fetch/curl_settings.h"
#include "crawler/fetch/curl_transfer.h"
#include "crawler/fetch/event_poll.h"
#include "crawler/fetch/request_fields.h"
#include "crawler/fetch/uncoded_origins.h"
#include "crawler/io/sigpipe_blocked.h"
#include "frontier/url.h"

namespace crawler {
namespace {

using curl::SetMulti;
using curl::Settings;
using curl::Transfer;
using std::chrono::milliseconds;

// A transfer for which there is no descriptor is begun anew when another ends, and after so long
// where none is under way.
constexpr milliseconds kShortagePause{250};
// After an address that was refused libcurl (7.88, driven by events) takes the host's next one
// only when half of the time to connect is over, unless it is made to look at all transfers. That
// costs a poll(2) for each, so it is done so long after the first that needs it, for all of them.
constexpr milliseconds kNextAddressPause{20};
// After a shortage of descriptors one transfer more is carried after so many that met none.
constexpr int kTransfersBeforeMore = 100;

}  // namespace

/// The event loop behind CurlFetcher.
class CurlFetcher::Loop {
 public:
  Loop(Settings settings, std::unique_ptr<EventPoll> poll, const base::Clock& clock)
      : settings_(std::move(settings)),
        clock_(clock),
        poll_(std::move(poll)),
        crowd_(settings_.options.connecting_per_address_max),
        room_(settings_.options.transfers_max) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run(FetchSource& source) {
    const SigpipeBlocked sigpipe_blocked;
    Open();
    may_ask_ = true;
    finished_ = false;
    ask_at_.reset();
    while (!stopped_.load()) {
      Collect(source);
      Ask(source);
      if (source.stopping()) EndWaiting(source);
      if (finished_ && in_flight_ == 0) break;
      Wait();
    }
    EndAll(source);
    Close();
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

  void Open() {
    multi_.reset(curl_multi_init());
    CHECK(multi_ != nullptr);
    SetMulti(multi(), CURLMOPT_SOCKETFUNCTION, &Loop::OnSocket);
    SetMulti(multi(), CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    SetMulti(multi(), CURLMOPT_TIMERFUNCTION, &Loop::OnTimer);
    SetMulti(multi(), CURLMOPT_TIMERDATA, static_cast<void*>(this));
    Carry(settings_.options.transfers_max);
  }

  /// So many transfers are carried at a time from now on, and as many connections kept; as many as
  /// the options say where that is what they say.
  void Carry(int transfers) {
    const FetcherOptions& options = settings_.options;
    room_ = transfers;
    unhindered_ = 0;
    SetMulti(multi(), CURLMOPT_MAXCONNECTS,
             static_cast<long>(room_ == options.transfers_max
                                   ? std::max(options.connections_max, options.transfers_max)
                                   : room_));
  }

  /// Lets go of all connections: who runs next may need their descriptors.
  void Close() {
    idle_.clear();
    transfers_.clear();
    multi_.reset();
    curl_deadline_.reset();
    next_address_at_.reset();
    address_skipped_ = false;
  }

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
    const auto url = frontier::Url::Parse(text, frontier::UrlRules::Longest());
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
      transfers_.push_back(
          std::make_unique<Transfer>(settings_, crowd_, uncoded_, address_skipped_));
      idle_.push_back(transfers_.back().get());
    }
    Transfer& transfer = *idle_.back();
    idle_.pop_back();
    transfer.Begin(std::move(request), clock_);
    CHECK(curl_multi_add_handle(multi(), transfer.easy()) == CURLM_OK);
    ++in_flight_;
  }

  /// Puts a transfer aside until another ends. What the machine has no room for it will not have
  /// room for soon: no more is carried at a time from now on than is under way.
  void PutAside(Transfer& transfer, Transfer::Wait why) {
    waiting_.push_back(&transfer);
    const int under_way = in_flight_ - static_cast<int>(waiting_.size());
    if (why == Transfer::Wait::kDescriptors) Carry(std::clamp(under_way, 1, room_));
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
    // First, for libcurl may use an idle connection for the next request, or its number for
    // another one.
    for (const EventPoll::Event& event : woken.events) {
      if (event.idle) EndIdle(event.socket);
    }
    for (const EventPoll::Event& event : woken.events) {
      if (event.idle) continue;
      const int what = (event.readable ? CURL_CSELECT_IN : 0) |
                       (event.writable ? CURL_CSELECT_OUT : 0) |
                       (event.failed ? CURL_CSELECT_ERR : 0);
      Act(event.socket, what);
      if (event.failed) address_skipped_ = true;  // it may have been connecting
    }
    const base::Time now = clock_.Now();
    if (curl_deadline_ && *curl_deadline_ <= now) {
      curl_deadline_.reset();
      Act(CURL_SOCKET_TIMEOUT, 0);
    }
    TakeNextAddresses(now);
    if (retry_at_ && *retry_at_ <= now) BeginWaiting();
    if (woken.by_wake || (ask_at_ && *ask_at_ <= now)) AskAgain();
  }

  std::optional<std::chrono::nanoseconds> TimeLeft() const {
    std::optional<base::Time> until = curl_deadline_;
    if (next_address_at_) until = until ? std::min(*until, *next_address_at_) : *next_address_at_;
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

  void TakeNextAddresses(base::Time now) {
    if (next_address_at_ && *next_address_at_ <= now) {
      next_address_at_.reset();
      int running = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // it is for its cost
      CHECK(curl_multi_socket_all(multi(), &running) == CURLM_OK);
#pragma GCC diagnostic pop
    }
    if (std::exchange(address_skipped_, false) && !next_address_at_) {
      next_address_at_ = now + kNextAddressPause;
    }
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
      const bool less = room_ < settings_.options.transfers_max;
      if (less && ++unhindered_ >= kTransfersBeforeMore) Carry(room_ + 1);
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

  void EndWaiting(FetchSource& source) {
    retry_at_.reset();
    for (Transfer* transfer : std::exchange(waiting_, {})) {
      Give(source, *transfer, transfer->EndStopped());
    }
  }

  void EndAll(FetchSource& source) {
    EndWaiting(source);
    for (const auto& transfer : transfers_) {
      if (!transfer->busy()) continue;
      CHECK(curl_multi_remove_handle(multi(), transfer->easy()) == CURLM_OK);
      Give(source, *transfer, transfer->EndStopped());
    }
  }

  static int OnSocket(CURL* easy, curl_socket_t socket, int what, void* self, void*) {
    EventPoll& poll = *static_cast<Loop*>(self)->poll_;
    if (what != CURL_POLL_REMOVE) {
      poll.Watch(socket, {.readable = (what & CURL_POLL_IN) != 0,
                          .writable = (what & CURL_POLL_OUT) != 0});
    } else if (curl::HttpVersionOf(easy) == CURL_HTTP_VERSION_2_0) {
      poll.Forget(socket);  // frames may come on it, which libcurl reads before it is used again
    } else {
      poll.WatchIdle(socket);  // where it is not about to be closed
    }
    return 0;
  }

  /// Ends an idle connection on which something came: the server's end of it, or bytes that nobody
  /// asked for, which libcurl (7.88) takes for the answer to the next request. libcurl finds it
  /// dead then: plain ones by the end, those with TLS where nothing is left to be read.
  void EndIdle(int socket) {
    char unasked[4096];
    shutdown(socket, SHUT_RDWR);
    while (recv(socket, unasked, sizeof unasked, MSG_DONTWAIT) > 0) {
    }
    poll_->Forget(socket);
  }

  static int OnTimer(CURLM*, long timeout_ms, void* self) {
    Loop& loop = *static_cast<Loop*>(self);
    loop.curl_deadline_.reset();
    if (timeout_ms >= 0) loop.curl_deadline_ = loop.clock_.Now() + milliseconds(timeout_ms);
    return 0;
  }

  // Constant after construction. The order matters: closing multi_ calls back to poll_.
  const Settings settings_;
  const base::Clock& clock_;
  const std::unique_ptr<EventPoll> poll_;

  // Of the thread in Run().
  std::unique_ptr<CURLM, curl::CloseMulti> multi_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // all there are
  std::vector<Transfer*> idle_;
  int in_flight_ = 0;
  bool may_ask_ = true;  // something happened since the source last had nothing
  bool finished_ = false;
  std::optional<base::Time> ask_at_;
  std::optional<base::Time> curl_deadline_;
  bool address_skipped_ = false;  // since next_address_at_ was last set or looked at
  std::optional<base::Time> next_address_at_;
  AddressCrowd crowd_;
  UncodedOrigins uncoded_;
  std::deque<Transfer*> waiting_;       // put aside, among those in flight
  std::optional<base::Time> retry_at_;  // where nothing else under way will make room
  int room_;                            // transfers at the same time
  int unhindered_ = 0;                  // transfers ended since room_ changed, where it is less

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

#include "crawler/report/dashboard.h"

#include <latch>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "crawler/data/log_tail.h"
#include "crawler/data/skip_log.h"
#include "crawler/data/text_store.h"
#include "crawler/io/http_server.h"
#include "crawler/io/http_threads.h"
#include "crawler/io/listen_address.h"
#include "crawler/report/metrics.h"
#include "crawler/report/report_page.h"
#include "crawler/report/report_texts.h"
#include "crawler/report/skipped_diff.h"
#include "crawler/version.h"
#include "crawler/web/web_page.h"

namespace crawler {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBusiestShown = 12;
constexpr std::size_t kRecentShown = 25;
constexpr std::size_t kTailBytes = std::size_t{64} << 10;
constexpr std::size_t kThreads = 4;
constexpr int kReadSeconds = 2;
constexpr int kWriteSeconds = 10;
constexpr std::size_t kRequestBodyMax = 1024;  // nothing is asked for with a body

const WebPageParts& LivePage() {
  static const WebPageParts parts = {.title = "ContentSeen live",
                                     .styles = {"common.css", "dashboard.css"},
                                     .scripts = {"dom.js", "charts.js", "dashboard.js"},
                                     .data = "null",
                                     .connects = true};
  return parts;
}

std::optional<SkipRecord> RecordOf(std::string_view line) {
  SkipRecord record;
  FieldReader reader(line);
  VisitFields(reader, record);
  if (!reader.fault().empty()) return std::nullopt;
  return record;
}

/// Newest first. A log that cannot be read (not yet there) shows as none.
Json RecentJson(const std::filesystem::path& data) {
  Json recent = Json::array();
  auto lines = LastLines(data / kSkipLogName, kRecentShown, kTailBytes);
  if (!lines) return recent;
  for (auto line = lines->rbegin(); line != lines->rend(); ++line) {
    const std::optional<SkipRecord> record = RecordOf(line->text);
    if (!record) continue;
    const auto since = record->time.time_since_epoch();
    recent.push_back(
        {{"id", line->position.Text()},
         {"time", std::chrono::duration_cast<std::chrono::milliseconds>(since).count()},
         {"kind", contentseen::Name(record->kind)},
         {"distance", record->distance},
         {"url", record->url},
         {"original", record->original_url},
         {"title", record->title}});
  }
  return recent;
}

Json BusiestJson(const std::vector<BusiestHosts::Host>& hosts) {
  Json list = Json::array();
  for (const BusiestHosts::Host& host : hosts) {
    list.push_back({{"host", host.name}, {"pages", host.pages}, {"skipped", host.skipped}});
  }
  return list;
}

Json DispositionsJson(const StatisticsSnapshot& statistics) {
  Json list = Json::array();
  for (std::size_t i = 0; i < kDispositions; ++i) {
    const auto disposition = static_cast<Disposition>(i);
    if (statistics.Of(disposition) == 0) continue;
    if (GroupOf(disposition) == DispositionGroup::kPutBack) continue;
    list.push_back({{"name", Name(disposition)},
                    {"group", Name(GroupOf(disposition))},
                    {"about", Describe(disposition)},
                    {"pages", statistics.Of(disposition)}});
  }
  return list;
}

struct Answer {
  int status = 200;
  std::string body;
  const char* type = "text/plain; charset=utf-8";
};

Answer Html(std::string body, int status = 200) {
  return {status, std::move(body), "text/html; charset=utf-8"};
}

Answer Diff(const std::filesystem::path& data, const std::string& id) {
  const std::optional<LogPosition> position = LogPosition::Parse(id);
  auto line = position ? LineAt(data / kSkipLogName, *position)
                       : base::Result<std::optional<std::string>>(std::nullopt);
  if (!line) return {500, line.error().message + "\n"};
  const std::optional<SkipRecord> record = *line ? RecordOf(**line) : std::nullopt;
  if (!record) return {404, "There is no skipped page of this id.\n"};
  auto texts = OpenTextStoreForReading(data / kTextStoreName);
  if (!texts) return Html(NoDiffPage(*record, texts.error().message));
  auto diff = DiffOf(*record, **texts);
  if (!diff) return Html(NoDiffPage(*record, diff.error().message));
  return Html(DiffPage(*record, SpacedWords((*diff)->original_text), DeltaOf((*diff)->words)));
}

}  // namespace

class Dashboard::Server {
 public:
  explicit Server(MetricsOptions options) : options_(std::move(options)) {}
  ~Server() {
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

  base::Status Bind() {
    auto address = ParseListenAddress(options_.listen);
    if (!address)
      return base::Fail("metrics.listen: " + options_.listen + " " + address.error().message);
    address_ = *address;
    const std::optional<int> port = http_.Listen(address_.host, address_.port);
    if (!port) {
      return base::Fail("cannot listen on " + address_.Text() +
                        " (metrics.listen): is the port taken?");
    }
    address_.port = *port;
    return {};
  }

  void Serve(DashboardSources sources) {
    sources_ = std::move(sources);
    SetUp();
    // Asked for when the server runs; only then does its stop() stop it.
    std::latch running(1);
    http_.new_task_queue = [&running] {
      running.count_down();
      return new HttpThreads(kThreads);
    };
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    running.wait();
  }

  std::string address() const { return address_.Text(); }

 private:
  void SetUp() {
    // A connection takes a thread as long as it is open.
    http_.set_keep_alive_max_count(1);
    http_.set_keep_alive_timeout(kReadSeconds);  // for the first request, too
    http_.set_read_timeout(kReadSeconds);
    http_.set_write_timeout(kWriteSeconds);
    http_.set_payload_max_length(kRequestBodyMax);
    http_.set_tcp_nodelay(true);
    http_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          Send(Respond(request), response);
          return httplib::Server::HandlerResponse::Handled;
        });
  }

  Answer Respond(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1 ||
        !IsOwnHost(request.get_header_value("Host"), options_.hosts)) {
      return {403, "This server does not go by that name (metrics.hosts).\n"};
    }
    if (request.method != "GET" && request.method != "HEAD") return {405, "Only GET.\n"};
    if (request.path == "/") return Html(WebPage(LivePage()));
    if (request.path == "/live.json") return {200, LiveJson(sources_), "application/json"};
    if (request.path == "/diff") return Diff(sources_.data, request.get_param_value("id"));
    if (request.path == "/metrics") {
      return {200, MetricsText(sources_.snapshot()), "text/plain; version=0.0.4; charset=utf-8"};
    }
    return {404, "There is /, /metrics, /live.json and /diff?id=...\n"};
  }

  static void Send(Answer answer, httplib::Response& response) {
    response.status = answer.status;
    if (answer.status == 405) response.set_header("Allow", "GET, HEAD");
    if (std::string_view(answer.type).starts_with("text/html")) {
      // A <meta> policy cannot say who may frame the page.
      response.set_header("Content-Security-Policy", "frame-ancestors 'none'");
    }
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("Cache-Control", "no-store");
    SendBody(std::move(answer.body), answer.type, response);
  }

  // Constant once it serves.
  const MetricsOptions options_;
  DashboardSources sources_;
  ListenAddress address_;
  HttpServer http_;
  std::thread thread_;
};

base::Result<std::unique_ptr<Dashboard>> Dashboard::Bind(const MetricsOptions& options) {
  auto server = std::make_unique<Server>(options);
  if (auto bound = server->Bind(); !bound) return base::Fail(bound.error().message);
  return std::unique_ptr<Dashboard>(new Dashboard(std::move(server)));
}

void Dashboard::Serve(DashboardSources sources) { server_->Serve(std::move(sources)); }

Dashboard::Dashboard(std::unique_ptr<Server> server) : server_(std::move(server)) {}
Dashboard::~Dashboard() = default;

std::string Dashboard::address() const { return server_->address(); }

std::string LiveJson(const DashboardSources& sources) {
  const CrawlSnapshot now = sources.snapshot();
  const StatisticsSnapshot& statistics = now.statistics;
  Json json;
  json["program"] = std::string("contentseen ") + kVersion;
  json["data"] = sources.data.string();
  json["elapsed"] = now.elapsed.count();
  json["paused"] = now.paused;
  json["memory_warning"] = now.memory_warning;
  json["k"] = sources.k;
  json["pages"] = statistics.Pages();
  json["checks"] = statistics.check.Count();
  json["dispositions"] = DispositionsJson(statistics);
  json["distances"] = statistics.distances;
  json["wire_bytes"] = statistics.wire_bytes;
  json["body_bytes"] = statistics.body_bytes;
  json["links_not_followed"] = statistics.links_not_followed;
  json["queued"] = now.frontier.queued;
  json["queued_given_up"] = now.frontier.queued_given_up;
  json["queued_out_of_scope"] = now.frontier.queued_out_of_scope;
  json["in_flight"] = now.in_flight;
  json["waiting"] = now.waiting;
  json["hosts"] = now.frontier.hosts;
  json["hosts_active"] = now.frontier.hosts_waiting;
  json["documents"] = now.seen.documents;
  json["index_bytes"] = now.seen.memory_bytes;
  json["busiest"] = BusiestJson(sources.busiest(kBusiestShown));
  json["recent"] = RecentJson(sources.data);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace crawler

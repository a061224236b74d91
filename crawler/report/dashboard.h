#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "crawler/crawl/crawl.h"
#include "crawler/settings/options.h"

namespace crawler {

/// What a dashboard shows.
struct DashboardSources {
  std::function<CrawlSnapshot()> snapshot;
  std::function<std::vector<BusiestHosts::Host>(std::size_t count)> busiest;
  std::filesystem::path data;  // the crawl's data directory
  int k = 0;
};

/// A running crawl watched over HTTP: `/` is a page that renews itself, `/live.json` its figures,
/// `/diff?id=...` a skipped page beside its original, `/metrics` Prometheus' text.
///
///     auto dashboard = Dashboard::Bind(options.metrics);      // before anything is begun
///     if (!dashboard) return Complain(dashboard.error().message);
///     (*dashboard)->Serve({.snapshot = ...});
///     terminal.err.Write("Watch: http://" + (*dashboard)->address() + "/\n");
///
/// Promises: read-only, GET and HEAD only; a request for a name that is not ours is refused
/// (IsOwnHost()); what crawled pages say is shown as text, and no script but the page's own runs.
/// The recent skips come from the end of the skip log, so nothing of it costs the crawl anything.
///
/// Thread safety: all methods. Ownership: the sources must outlive it; the destructor stops
/// serving, within two seconds also where a client keeps silent.
/// Cost: up to five threads, and 40 descriptors however many connect.
class Dashboard {
 public:
  /// Takes the address; who asks there waits. REQUIRES: options.listen is not empty. Fails when it
  /// is no address or cannot be listened on.
  static base::Result<std::unique_ptr<Dashboard>> Bind(const MetricsOptions& options);
  /// Answers from now on. REQUIRES: called once.
  void Serve(DashboardSources sources);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  /// Address and port as in a URL.
  std::string address() const;

 private:
  class Server;
  explicit Dashboard(std::unique_ptr<Server> server);
  const std::unique_ptr<Server> server_;
};

/// The figures of `/live.json`.
std::string LiveJson(const DashboardSources& sources);

}  // namespace crawler

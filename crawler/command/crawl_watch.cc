#include "crawler/command/crawl_watch.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/descriptor.h"
#include "crawler/report/progress.h"

namespace crawler {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{200};

/// Shows progress, as far as somebody reads it: who waits for that would answer no signal.
class ProgressDisplay {
 public:
  ProgressDisplay(const Crawl& crawl, const LogOptions& options, Terminal& terminal)
      : crawl_(crawl),
        terminal_(terminal),
        shown_(options.level == LogOptions::Level::kProgress),
        interval_(terminal.err.is_terminal() ? kTerminalInterval : options.progress_interval),
        before_(crawl.Snapshot()) {}

  std::chrono::milliseconds interval() const { return interval_; }

  void Show() {
    CrawlSnapshot now = crawl_.Snapshot();
    Warn(now);
    // Rates over less than a tenth of a second say nothing.
    if (!shown_ || now.elapsed - before_.elapsed < std::chrono::milliseconds(100)) return;
    if (terminal_.err.is_terminal()) {
      const std::size_t columns = terminal_.err.Width().value_or(80) - 1;
      terminal_.err.WriteUnlessFull("\r\x1b[K" +
                                    Truncated(ProgressLine(now, before_, columns), columns));
      drawn_ = true;
    } else {
      terminal_.err.WriteUnlessFull(ProgressLine(now, before_) + "\n");
    }
    before_ = now;
  }

  void Say(const std::string& message) {
    Clear();
    terminal_.err.WriteUnlessFull(message + "\n");
  }

  // Once, when memory becomes short.
  void Warn(const CrawlSnapshot& now) {
    if (now.memory_warning.empty() || warned_) return;
    warned_ = true;
    Say(now.memory_warning + ".");
  }

  void Clear() {
    if (drawn_) terminal_.err.WriteUnlessFull("\r\x1b[K");
    drawn_ = false;
  }

 private:
  const Crawl& crawl_;
  Terminal& terminal_;
  const bool shown_;
  const std::chrono::milliseconds interval_;
  CrawlSnapshot before_;
  bool drawn_ = false;
  bool warned_ = false;
};

void AnswerSignal(StopSignals& signals, Crawl& crawl, ProgressDisplay& display) {
  if (!signals.Take()) return;
  if (crawl.stopped()) {
    display.Say("Stopping now.");
    crawl.StopNow();
  } else {
    display.Say("Stopping: pages in flight are finished first; once more to stop at once.");
    crawl.Stop();
  }
}

}  // namespace

base::Status RunWatched(Crawl& crawl, const LogOptions& options, StopSignals& signals,
                        Terminal& terminal) {
  const base::Descriptor done(::eventfd(0, EFD_CLOEXEC));
  CHECK(done.ok());
  base::Status status;
  std::thread crawling([&] {
    status = crawl.Run();
    ::eventfd_write(done.get(), 1);
  });

  ProgressDisplay display(crawl, options, terminal);
  std::array<pollfd, 2> awaited = {{{done.get(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
  while (awaited[0].revents == 0) {
    int ready =
        ::poll(awaited.data(), awaited.size(), static_cast<int>(display.interval().count()));
    CHECK(ready >= 0 || errno == EINTR);
    if (ready == 0) display.Show();
    if (ready > 0 && awaited[1].revents != 0) AnswerSignal(signals, crawl, display);
  }
  crawling.join();
  display.Clear();
  return status;
}

}  // namespace crawler

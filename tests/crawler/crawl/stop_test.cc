// The real program and real signals.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "crawler/demo/demo_web.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A crawl in a process of its own, whose error stream is read here.
class RunningCrawl {
 public:
  // Where `errors` is given, that is its error stream.
  explicit RunningCrawl(std::vector<std::string> arguments, std::optional<int> errors = {}) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      // As a shell starts it at a terminal; some parents ignore SIGINT, and that is inherited.
      for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
      ::dup2(errors.value_or(pipe[1]), STDERR_FILENO);
      ::dup2(pipe[1], STDOUT_FILENO);
      ::close(pipe[0]);
      std::vector<char*> words;
      for (std::string& argument : arguments) words.push_back(argument.data());
      words.push_back(nullptr);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(pipe[1]);
    output_ = pipe[0];
  }
  ~RunningCrawl() { ::close(output_); }
  RunningCrawl(const RunningCrawl&) = delete;
  RunningCrawl& operator=(const RunningCrawl&) = delete;

  // Reads until `word` has been said, or to the end.
  std::string ReadUntil(const std::string& word) {
    std::array<char, 4096> buffer;
    while (said_.find(word) == std::string::npos) {
      ssize_t got = ::read(output_, buffer.data(), buffer.size());
      if (got <= 0) break;
      said_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return said_;
  }
  void Signal(int signal) const { ::kill(pid_, signal); }
  // The exit status, or 128 and the signal that ended it.
  int Wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_;
  int output_;
  std::string said_;
};

class StopTest : public ::testing::TestWithParam<int> {};

TEST_P(StopTest, Row106_ASignalStopsTheCrawlCleanlyAndKeepsWhatWasDone) {
  DemoWeb web;
  auto port = web.Start("127.0.0.1", 0);
  ASSERT_TRUE(port) << port.error().message;
  const tests::TempFolder folder;
  std::ofstream seeds(folder / "seeds.txt");
  for (const std::string& seed : web.seeds()) seeds << seed << '\n';
  seeds.close();

  RunningCrawl crawl({CONTENTSEEN_PROGRAM, "crawl", (folder / "seeds.txt").string(), "--data",
                      (folder / "data").string(), "--scope", "any", "--delay", "200ms",
                      "--allow-network", "127.0.0.0/8", "--set", "log.progress_interval=100ms"});
  ASSERT_THAT(crawl.ReadUntil(" pages "), HasSubstr(" pages "));
  crawl.Signal(GetParam());
  std::string said = crawl.ReadUntil("to the very end");
  EXPECT_EQ(crawl.Wait(), 0) << said;
  EXPECT_THAT(said, HasSubstr("Stopping"));
  EXPECT_THAT(said, HasSubstr("pages taken from the frontier"));
  EXPECT_THAT(said, HasSubstr("still waiting"));
  EXPECT_THAT(said, EndsWith(" was stopped. Go on with it by\ncontentseen crawl --data " +
                             (folder / "data").string() + "\n"));
  EXPECT_TRUE(std::filesystem::exists(folder / "data" / "pages.jsonl"));

  // And so it does when it goes on.
  RunningCrawl second({CONTENTSEEN_PROGRAM, "crawl", "--data", (folder / "data").string()});
  ASSERT_THAT(second.ReadUntil("URLs waiting"), HasSubstr("Going on with the crawl"));
  second.Signal(GetParam());
  said = second.ReadUntil("to the very end");
  EXPECT_EQ(second.Wait(), 0) << said;
  EXPECT_THAT(said, HasSubstr("Stopping"));
  EXPECT_THAT(said, HasSubstr(" was stopped. Go on with it by\n"));
}

// A server that takes connections and never answers.
class SilentServer {
 public:
  SilentServer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listening_, name, size), 0);
    EXPECT_EQ(::listen(listening_, 8), 0);
    EXPECT_EQ(::getsockname(listening_, name, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { Close(); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  int port() const { return port_; }
  // Waits until a request has come.
  void TakeRequest() {
    taken_ = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    char byte = 0;
    EXPECT_EQ(::read(taken_, &byte, 1), 1);
  }
  // Answers nobody any more.
  void Close() {
    if (taken_ >= 0) ::close(std::exchange(taken_, -1));
    if (listening_ >= 0) ::close(std::exchange(listening_, -1));
  }

 private:
  int listening_;
  int port_ = 0;
  int taken_ = -1;
};

TEST(StopAtOnceTest, TheSecondSignalDropsWhatIsInFlight) {
  SilentServer server;
  const tests::TempFolder folder;
  const std::string data = (folder / "data").string();
  tests::WriteFile(folder / "seeds.txt",
                   "http://127.0.0.1:" + std::to_string(server.port()) + "/\n");
  RunningCrawl crawl({CONTENTSEEN_PROGRAM, "crawl", (folder / "seeds.txt").string(), "--data",
                      data, "--allow-network", "127.0.0.0/8", "--set", "fetch.total_timeout=1h",
                      "--set", "fetch.low_speed_time=10min"});
  server.TakeRequest();
  crawl.Signal(SIGINT);
  ASSERT_THAT(crawl.ReadUntil("Stopping"), HasSubstr("Stopping"));
  crawl.Signal(SIGINT);
  const std::string said = crawl.ReadUntil("to the very end");
  EXPECT_EQ(crawl.Wait(), 0) << said;
  EXPECT_THAT(said, HasSubstr("1 URLs were still waiting"));
}

TEST(StopUnreadTest, ASignalStopsACrawlWhoseErrorStreamNobodyReads) {
  std::array<int, 2> unread{};
  ASSERT_EQ(::pipe2(unread.data(), O_NONBLOCK | O_CLOEXEC), 0);
  while (::write(unread[1], "full ", 5) > 0) {
  }
  ASSERT_EQ(::fcntl(unread[1], F_SETFL, 0), 0);
  SilentServer server;
  const tests::TempFolder folder;
  const std::string seed = "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  RunningCrawl crawl(
      {CONTENTSEEN_PROGRAM, "crawl", seed, "--data", (folder / "data").string(), "--allow-network",
       "127.0.0.0/8", "--set", "fetch.total_timeout=1h", "--set", "fetch.low_speed_time=10min",
       "--set", "robots.retry_delay=1h", "--set", "log.progress_interval=100ms"},
      unread[1]);
  server.TakeRequest();
  crawl.Signal(SIGTERM);
  server.Close();
  EXPECT_THAT(crawl.ReadUntil("to the very end"), HasSubstr(" was stopped. Go on with it by\n"));
  EXPECT_EQ(crawl.Wait(), 0);
  for (const int end : unread) ::close(end);
}

// What it opens does not come to its end: a pipe in the place of a part of the image.
TEST_P(StopTest, ASignalEndsTheOpeningOfACrawlAtOnceAndTheNextOneGoesOn) {
  DemoWeb web;
  auto port = web.Start("127.0.0.1", 0);
  ASSERT_TRUE(port) << port.error().message;
  const tests::TempFolder folder;
  const std::string data = (folder / "data").string();
  const auto crawl = [&data](const std::string& pages_max, const std::string& seed = "") {
    std::vector<std::string> words = {
        CONTENTSEEN_PROGRAM, "crawl",   "--data",          data,
        "--max-pages",       pages_max, "--allow-network", "127.0.0.0/8"};
    if (!seed.empty()) words.push_back(seed);
    return words;
  };
  RunningCrawl first(crawl("1", web.seeds().front()));
  const std::string said = first.ReadUntil("to the very end");
  ASSERT_EQ(first.Wait(), 0) << said;
  const std::filesystem::path part = folder / "data" / "seen" / "bodies";
  ASSERT_TRUE(std::filesystem::remove(part));
  ASSERT_EQ(::mkfifo(part.c_str(), 0600), 0);

  RunningCrawl opening(crawl("2"));
  const int pipe = ::open(part.c_str(), O_WRONLY | O_CLOEXEC);  // waits until it reads there
  ASSERT_GE(pipe, 0);
  opening.Signal(GetParam());
  ::close(pipe);
  EXPECT_EQ(opening.Wait(), 128 + GetParam());
  std::filesystem::remove(part);
  RunningCrawl second(crawl("2"));
  EXPECT_THAT(second.ReadUntil("to the very end"), HasSubstr(": 1 pages done"));
  EXPECT_EQ(second.Wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Signals, StopTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace crawler

// A whole crawl over real connections on loopback, where a thousand good pages stand among every
// hostile case that a server can make: it ends by itself, and every good page is stored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "crawler/crawl/curl_fetchers.h"
#include "crawler/data/page_log.h"
#include "crawler/fetch/cookie_jar.h"
#include "crawler/fetch/request_fields.h"
#include "crawler/report/progress.h"
#include "crawler/warc/warc_reader.h"
#include "tests/crawler/crawl/crawl_fixture.h"
#include "tests/crawler/fetch/compress.h"
#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"
#include "tests/crawler/run_program.h"
#include "tests/temp_folder.h"

namespace crawler {
namespace {

using Connection = tests::RawServer::Connection;
using Script = std::function<void(Connection&)>;

std::string Answer(const std::string& fields, const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string HtmlAnswer(const std::string& body) {
  return Answer("Content-Type: text/html\r\n", body);
}

std::string Repeat(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

Script Says(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& client) { client.Send(bytes); };
}
Script SaysAndStalls(std::string bytes) {
  return [bytes = std::move(bytes)](Connection& client) {
    client.Send(bytes);
    client.WaitForClose();
  };
}
Script Floods(std::string head, std::string piece) {
  return [head = std::move(head), piece = std::move(piece)](Connection& client) {
    client.Send(head);
    client.SendForever(piece);
  };
}
Script RedirectsTo(const std::string& target) {
  return Says("HTTP/1.1 302 Found\r\nLocation: " + target + "\r\nContent-Length: 0\r\n\r\n");
}

/// What breaks HTTP (sections A and B of the catalogue), by name.
void AddTransport(std::map<std::string, Script>& cases) {
  const std::string bomb = tests::Gzip(std::string(std::size_t{50} << 20, '\0'));
  const std::string whole = tests::Gzip("<p>" + Prose(7, 500));
  const std::string gzip = "Content-Encoding: gzip\r\nContent-Type: text/html\r\n";
  cases["bomb"] = Says(Answer(gzip, bomb));
  cases["nested"] = Says(Answer("Content-Encoding: gzip, gzip\r\n", tests::Gzip(bomb)));
  cases["endless-chunks"] = Floods("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                                   "4000\r\n" + std::string(0x4000, 'x') + "\r\n");
  cases["endless-body"] = Floods("HTTP/1.1 200 OK\r\n\r\n", std::string(10'000, 'x'));
  cases["endless-headers"] = Floods("HTTP/1.1 200 OK\r\n", "X: " + std::string(900, 'x') + "\r\n");
  cases["endless-continue"] = Floods("", "HTTP/1.1 100 Continue\r\n\r\n");
  cases["endless-trailers"] =
      Floods("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
             "T: " + std::string(900, 'x') + "\r\n");
  cases["header-line"] = Says(Answer("X: " + std::string(2'000'000, 'x') + "\r\n", "x"));
  cases["silent"] = SaysAndStalls("");
  cases["half-head"] = SaysAndStalls("HTTP/1.1 200 OK\r\nX-A: ");
  cases["half-body"] = SaysAndStalls("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx");
  cases["http09"] = Says("<p>hello");
  cases["nul-in-header"] = Says(Answer(std::string("X: a\0b\r\n", 8), "x"));
  cases["lf-only"] = Says("HTTP/1.1 200 OK\nContent-Length: 2\nX : y\n z\n\nhi");
  cases["too-short"] = Says("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort");
  cases["too-long"] = Says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nlonger than that");
  cases["two-lengths"] =
      Says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhello");
  for (const char* length : {"-1", "abc", "99999999999999999999999"}) {
    cases[std::string("length") + length] =
        Says("HTTP/1.1 200 OK\r\nContent-Length: " + std::string(length) + "\r\n\r\nx");
  }
  cases["bad-chunks"] =
      Says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n");
  cases["cut-gzip"] = Says(Answer(gzip, whole.substr(0, whole.size() / 2)));
  cases["no-gzip"] = Says(Answer(gzip, "plain"));
  cases["unknown-coding"] = Says(Answer("Content-Encoding: zz\r\n", "x"));
  cases["reset"] = [](Connection& client) {
    client.Send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    client.Reset();
  };
  for (const char* status : {"999 ?", "abc", "204 No Content", "304 Not Modified", "500 Oh"}) {
    cases[std::string("status") + std::string(status).substr(0, 3)] =
        Says("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 0\r\n\r\n");
  }
  cases["cookies"] =
      Says(Answer(Repeat("Set-Cookie: a=" + std::string(1000, 'x') + "\r\n", 60), "x"));
  cases["tls"] = Says("\x16\x03\x01\x02");
  cases["to-itself"] = RedirectsTo("/bad/to-itself");
  cases["to-file"] = RedirectsTo("file:///etc/passwd");
  cases["to-metadata"] = RedirectsTo("http://169.254.169.254/latest/");
  cases["to-ssh"] = RedirectsTo("http://good.test:22/");
  cases["to-garbage"] = RedirectsTo("http://[::1:99999/\x01\x02");
  cases["to-long"] = RedirectsTo("/" + std::string(50'000, 'x'));
  cases["to-nowhere"] = Says("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
}

/// What is hostile in the pages themselves (sections D and E).
void AddContent(std::map<std::string, Script>& cases) {
  const std::string text = "<p>" + Prose(8, 50);
  std::string attributes = "<div ";
  for (int i = 0; i < 50'000; ++i) attributes += "a" + std::to_string(i) + "=1 ";
  std::string links;
  for (int i = 0; i < 50'000; ++i) links += "<a href=/bad/endless/" + std::to_string(i) + "></a>";
  const std::map<std::string, std::string> pages = {
      {"divs", Repeat("<div>", 100'000)},
      {"bs", Repeat("<b>", 20'000)},
      {"fonts", Repeat("<font color=i>", 20'000)},
      {"svg", Repeat("<svg><g>", 200'000)},
      {"tables", Repeat("<table><tr><td>", 100'000)},
      {"attributes", attributes + ">"},
      {"quadratic", "<p>" + Repeat("<b id=x>", 400) + "</p>" + Repeat("<p>x</p>", 20'000)},
      {"much-text", Repeat("lorem ipsum ", 150'000)},
      {"open-comment", text + "<!--" + std::string(1'500'000, 'x')},
      {"nul", std::string(1'000'000, '\0')},
      {"high", text + std::string(1'000'000, '\xFF')},
      {"many-links", text + links},
      {"long-link", text + "<a href=/" + std::string(1'000'000, 'x') + "></a>"},
      {"schemes", text + "<a href=javascript:a></a><a href=data:,x></a><a href=mailto:a></a>"},
      {"base", "<base href='javascript:x'>" + text},
      {"deep-path", text + "<a href=/" + Repeat("a/b/", 30) + "></a>"},
      {"one-token", Repeat("word ", 300'000)},
      {"empty", ""},
      {"utf16", std::string("\xFF\xFEx", 3)},
      {"refresh", "<meta http-equiv=refresh content='0;url=/bad/refresh'>" + text}};
  for (const auto& [name, body] : pages) cases["page-" + name] = Says(HtmlAnswer(body));
}

std::map<std::string, Script> AllCases() {
  std::map<std::string, Script> cases;
  AddTransport(cases);
  AddContent(cases);
  return cases;
}

class MixedCrawlTest : public CrawlTest {
 protected:
  static constexpr int kGood = 1'000;

  MixedCrawlTest() : cases_(AllCases()), server_([this](Connection& client) { Serve(client); }) {}

  void Serve(Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      const std::string path = head.substr(4, head.find(' ', 4) - 4);
      const bool good = path.starts_with("/good/");
      if (path == "/robots.txt") {
        client.Send(Answer("Content-Type: text/plain\r\n", "Sitemap: /bad/sitemap"));
      } else if (path == "/") {
        client.Send(HtmlAnswer(Root()));
      } else if (good) {
        client.Send(
            HtmlAnswer("<p>" + Prose(static_cast<unsigned>(std::stoi(path.substr(6))), 120)));
      } else if (auto found = cases_.find(path.substr(path.rfind('/') + 1));
                 found != cases_.end()) {
        return found->second(client);
      } else {
        client.Send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
      }
    }
  }

  // Good pages and hostile ones in turn, each hostile case on a host of its own.
  std::string Root() const {
    std::string page = "<p>" + Prose(1'000'000, 100);
    auto next = cases_.begin();
    int host = 0;
    for (int i = 0; i < kGood; ++i) {
      page += "<a href=/good/" + std::to_string(i) + "></a>";
      if (next == cases_.end()) continue;
      page += "<a href=http://bad" + std::to_string(host++) +
              ".test:" + std::to_string(server_.port()) + "/bad/" + next->first + "></a>";
      ++next;
    }
    return page;
  }

  const std::map<std::string, Script> cases_;
  tests::RawServer server_;
};

TEST_F(MixedCrawlTest, AThousandGoodPagesAmongEveryHostileCaseAreAllStored) {
  const std::string port = std::to_string(server_.port());
  options_.fetch.allow_networks = {"127.0.0.0/8"};
  options_.fetch.resolve.push_back("good.test:" + port + ":127.0.0.1");
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    options_.fetch.resolve.push_back("bad" + std::to_string(i) + ".test:" + port + ":127.0.0.1");
  }
  options_.fetch.total_timeout = std::chrono::seconds(2);
  options_.pipeline.retries_max = 1;
  options_.frontier.delay = std::chrono::seconds(0);
  options_.frontier.connections_per_host = 8;
  options_.frontier.retry_delay = std::chrono::milliseconds(10);
  options_.frontier.failing_delay_max = std::chrono::milliseconds(50);
  options_.frontier.pages_per_host_max = 2'000;
  options_.soft_404.probe = true;
  const base::SystemClock clock;
  auto crawl = Crawl::Create(options_, clock, CurlFetchers(options_, clock));
  ASSERT_TRUE(crawl) << crawl.error().message;
  (*crawl)->AddSeeds({*frontier::Url::Parse("http://good.test:" + port + "/")});
  ASSERT_TRUE((*crawl)->Run());
  const CrawlSnapshot end = (*crawl)->Snapshot();
  crawl->reset();

  std::set<std::string> good;
  for (const std::string& url : Urls(kPageLogName)) {
    if (url.find("good.test") != std::string::npos) good.insert(url);
  }
  EXPECT_EQ(good.size(), kGood + 1u) << ::testing::PrintToString(Log("other.jsonl"));
  EXPECT_EQ(end.frontier.queued, 0u);
  EXPECT_EQ(end.statistics.Of(Disposition::kStopped), 0u);
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &used), 0);
  std::printf("%zu hostile cases; process at most %ld MB\n%s", cases_.size(),
              used.ru_maxrss / 1'024, SummaryText(end).c_str());
}

// ---- Bodies that nobody needs

TEST_F(CrawlTest, Row22_WhatIsNoPageMayHaveABrokenBody) {
  tests::RawServer server([](Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      if (head.starts_with("GET /robots.txt ")) {
        client.Send("HTTP/1.1 404 No\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nno");
      } else if (head.starts_with("GET / ")) {
        client.Send("HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 178\r\n\r\n");
        return;
      } else {
        client.Send(HtmlAnswer("<p>" + Prose(1, 100)));
      }
    }
  });
  options_.fetch.allow_networks = {"127.0.0.0/8"};
  options_.frontier.delay = std::chrono::seconds(0);
  options_.pipeline.retries_max = 0;
  const base::SystemClock clock;
  auto crawl = Crawl::Create(options_, clock, CurlFetchers(options_, clock));
  ASSERT_TRUE(crawl) << crawl.error().message;
  (*crawl)->AddSeeds({*frontier::Url::Parse(server.Url())});
  ASSERT_TRUE((*crawl)->Run());
  const CrawlSnapshot end = (*crawl)->Snapshot();
  EXPECT_EQ(end.statistics.Of(Disposition::kRedirected), 1u);
  EXPECT_EQ(end.statistics.Of(Disposition::kStored), 1u) << SummaryText(end);
}

// ---- Secrets

TEST_F(CrawlTest, Row49_SecretsStayWithTheirHostAlsoAfterARedirectAndAreWrittenNowhere) {
  base::Mutex mutex;
  std::map<std::string, std::string> heads;  // by host and path
  std::string port, bytes;
  tests::RawServer server([&](Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      const std::size_t host = head.find("Host: ") + 6;
      const std::string path = head.substr(4, head.find(' ', 4) - 4);
      const std::string name = head.substr(host, head.find(':', host) - host);
      base::MutexLock lock(mutex);
      heads[name + path] = head;
      const std::string other = "http://b.test:" + port;
      if (path == "/robots.txt") {
        client.Send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
      } else if (name == "a.test" && path == "/") {
        client.Send("HTTP/1.1 302 Found\r\nSet-Cookie: id=hunter2-cookie\r\nLocation: " + other +
                    "/\r\nContent-Length: 0\r\n\r\n");
      } else {
        client.Send(HtmlAnswer("<p>" + Prose(static_cast<unsigned>(path.size()), 100) +
                               "<a href=http://a.test:" + port + "/again></a>"));
      }
    }
  });
  port = std::to_string(server.port());
  options_.fetch.allow_networks = {"127.0.0.0/8"};
  options_.fetch.resolve = {"a.test:" + port + ":127.0.0.1", "b.test:" + port + ":127.0.0.1"};
  options_.fetch.basic_auth = {"a.test:" + port + " me:hunter2-auth"};
  options_.fetch.host_headers = {"a.test:" + port + " X-Key: hunter2-key"};
  options_.output.warc = true;
  options_.frontier.delay = std::chrono::seconds(0);
  const base::SystemClock clock;
  const auto jar = std::make_shared<CookieJar>();
  auto crawl = Crawl::Create(options_, clock, CurlFetchers(options_, clock, jar));
  ASSERT_TRUE(crawl) << crawl.error().message;
  (*crawl)->AddSeeds({*frontier::Url::Parse("http://a.test:" + port + "/")});
  ASSERT_TRUE((*crawl)->Run());
  EXPECT_EQ((*crawl)->Snapshot().statistics.Of(Disposition::kStored), 2u);
  crawl->reset();
  base::MutexLock lock(mutex);
  for (const char* secret :
       {"Authorization: Basic ", "X-Key: hunter2-key", "Cookie: id=hunter2"}) {
    EXPECT_THAT(heads["a.test/again"], ::testing::HasSubstr(secret));
    for (const char* asked : {"b.test/", "b.test/robots.txt"}) {
      ASSERT_TRUE(heads.contains(asked));
      EXPECT_THAT(heads[asked], ::testing::Not(::testing::HasSubstr(secret)));
    }
  }
  int records = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
    if (bytes.clear(); !entry.is_regular_file()) continue;
    if (entry.path().string().find(".warc") != std::string::npos) {
      auto warc = WarcReader::Open(entry.path());
      ASSERT_TRUE(warc) << warc.error().message;
      while (auto record = (*warc)->Next()) {
        bytes += record->head + record->block;
        ++records;
      }
    } else {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    EXPECT_EQ(bytes.find("hunter2"), std::string::npos) << entry.path();
    EXPECT_EQ(bytes.find(Base64("me:hunter2-auth")), std::string::npos) << entry.path();
  }
  EXPECT_GT(records, 4);
}

// ---- What the machine itself has no room for

TEST(ShortageTest, Row107_WithFewDescriptorsACrawlSlowsDownAndLosesNothing) {
  constexpr int kHosts = 200;
  tests::RawServer server([](Connection& client) {
    for (std::string head; !(head = client.ReadRequest()).empty();) {
      const std::size_t host = head.find("Host: h") + 7;
      client.Send(
          head.starts_with("GET /robots.txt")
              ? "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"
              : HtmlAnswer("<p>" +
                           Prose(static_cast<unsigned>(std::stoi(head.substr(host))), 80)));
    }
  });
  const std::string port = std::to_string(server.port());
  const tests::TempFolder folder;
  std::string seeds;
  std::string resolve;
  for (int i = 0; i < kHosts; ++i) {
    const std::string host = "h" + std::to_string(i) + ".test:" + port;
    seeds += "http://" + host + "/\n";
    resolve += "\"" + host + ":127.0.0.1\", ";
  }
  tests::WriteFile(folder / "seeds", seeds);
  tests::WriteFile(folder / "config",
                   "[fetch]\nresolve = [" + resolve +
                       "]\nallow_networks = [\"127.0.0.0/8\"]\n[politeness]\ndelay = \"0s\"\n"
                       "hosts_at_once_per_address = 1000\n[soft_404]\nprobe = false\n");
  const tests::ProgramRun run = tests::RunProgram(
      {"crawl", (folder / "seeds").string(), "--config", (folder / "config").string(), "--data",
       (folder / "data").string(), "--json"},
      "", /*descriptors_max=*/64);
  ASSERT_EQ(run.code, 0) << run.err;
  const auto end = nlohmann::json::parse(run.out);
  EXPECT_EQ(end.at("dispositions").at("stored"), kHosts) << run.out;
  EXPECT_EQ(end.at("dispositions").at("retry"), 0) << "no host was blamed";
  EXPECT_GT(end.at("limits").at("descriptors"), 0);
}

TEST(CrowdTest, Row66_TheFirstRequestsToOneAddressAreBoundedToo) {
  constexpr int kHosts = 60;
  constexpr int kAtOnce = 4;
  std::atomic<int> open{0};
  std::atomic<int> most{0};
  tests::RawServer server([&](Connection& client) {
    const int now = ++open;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    client.ReadRequest();
    --open;
    client.Send("HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  FetcherOptions options;
  options.allow_networks = {"127.0.0.0/8"};
  options.connecting_per_address_max = kAtOnce;
  const std::string port = std::to_string(server.port());
  std::vector<std::string> urls;
  for (int i = 0; i < kHosts; ++i) {
    const std::string host = "h" + std::to_string(i) + ".test:" + port;
    options.resolve.push_back(host + ":127.0.0.1");
    urls.push_back("http://" + host + "/robots.txt");
  }
  std::uint32_t crowds = 0;
  for (const auto& [ticket, response] : tests::FetchAll(urls, options)) {
    EXPECT_EQ(response.status, 404) << response.error_detail;
    crowds += response.crowds;
  }
  EXPECT_LE(most.load(), kAtOnce);
  EXPECT_GT(crowds, 0u);
}

}  // namespace
}  // namespace crawler

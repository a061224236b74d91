// One part of a crawl alone, on the pages that the whole crawl fetches; crawl_bench runs it.
//
//     crawl_parts transfer URLS RESOLVE     fetches every URL, and drops the bodies
//     crawl_parts parse FILES               Gumbo behind the prefilter, and the walk to a Document
//     crawl_parts plain FILES               Gumbo and the walk without the prefilter
//     crawl_parts judge FILES               SHA-256, and ContentSeen of the parsed pages
//
// URLS, FILES and RESOLVE are files of a URL, a path ("HOST PATH"), a "host:port:address" a line.
// Prints {"pages": n, "cpu_seconds": s, "seconds": s, "bytes": n}. What is read or parsed
// beforehand is not timed.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "contentseen/content_seen.h"
#include "contentseen/digest.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/page/submission.h"
#include "parser/html_parser.h"

namespace crawler {
namespace {

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

struct Body {
  std::string host;
  std::string bytes;
};

std::vector<Body> Bodies(const std::string& list) {
  std::vector<Body> bodies;
  for (const std::string& line : Lines(list)) {
    std::istringstream fields(line);
    Body body;
    std::string path;
    fields >> body.host >> path;
    std::ifstream file(path, std::ios::binary);
    body.bytes.assign(std::istreambuf_iterator<char>(file), {});
    bodies.push_back(std::move(body));
  }
  return bodies;
}

double CpuSeconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void Time(std::size_t pages, std::size_t bytes, const std::function<void()>& run) {
  const double cpu = CpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("{\"pages\": %zu, \"cpu_seconds\": %.6f, \"seconds\": %.6f, \"bytes\": %zu}\n",
              pages, CpuSeconds() - cpu, elapsed.count(), bytes);
}

// Hands out each URL once, and drops what comes back.
class UrlList final : public FetchSource {
 public:
  explicit UrlList(std::vector<std::string> urls) : urls_(std::move(urls)) {}
  Next NextFetch() override {
    if (next_ == urls_.size()) return Finished{};
    const std::size_t i = next_++;
    return FetchRequest{.ticket = i, .url = urls_[i]};
  }
  void Fetched(FetchRequest request, FetchResponse response) override {
    bytes += response.body.size();
    if (response.status != 200) {
      std::fprintf(stderr, "%s: status %d %s\n", request.url.c_str(), response.status,
                   response.error_detail.c_str());
      std::exit(1);
    }
  }
  std::size_t bytes = 0;

 private:
  const std::vector<std::string> urls_;
  std::size_t next_ = 0;
};

void Transfer(const std::string& urls, const std::string& resolve) {
  base::SystemClock clock;
  FetcherOptions options;
  options.transfers_max = 64;
  options.allow_networks = {"127.0.0.0/8"};
  options.resolve = Lines(resolve);
  auto fetcher = CurlFetcher::Create(options, clock);
  if (!fetcher) {
    std::fprintf(stderr, "%s\n", fetcher.error().message.c_str());
    std::exit(1);
  }
  auto lines = Lines(urls);
  const std::size_t pages = lines.size();
  UrlList source(std::move(lines));
  Time(pages, 0, [&] { (*fetcher)->Run(source); });
}

void Parse(const std::string& files, bool prefilter) {
  const std::vector<Body> bodies = Bodies(files);
  parser::ParseOptions options;
  options.prefilter = prefilter;
  parser::HtmlParser html(options);
  std::size_t bytes = 0;
  for (const Body& body : bodies) bytes += body.bytes.size();
  std::size_t links = 0;
  Time(bodies.size(), bytes, [&] {
    for (const Body& body : bodies) links += html.Parse(body.bytes, {}).links.size();
  });
  if (links == 0) std::exit(1);
}

void Judge(const std::string& files) {
  const std::vector<Body> bodies = Bodies(files);
  std::vector<parser::Document> documents;
  std::size_t bytes = 0;
  parser::HtmlParser html;
  for (const Body& body : bodies) {
    documents.push_back(html.Parse(body.bytes, {}));
    bytes += documents.back().text.size();
  }
  auto seen = contentseen::ContentSeen::Create({});
  if (!seen) std::exit(1);
  SubmissionMaker maker;
  Time(bodies.size(), bytes, [&] {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const contentseen::Digest digest = contentseen::Sha256(bodies[i].bytes);
      if ((*seen)->FindExact(digest)) continue;
      (*seen)->CheckAndInsert(maker.Make(i + 1, digest, documents[i], bodies[i].host));
    }
  });
}

}  // namespace
}  // namespace crawler

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == "transfer" && argc == 4) {
    crawler::Transfer(argv[2], argv[3]);
  } else if ((part == "parse" || part == "plain") && argc == 3) {
    crawler::Parse(argv[2], part == "parse");
  } else if (part == "judge" && argc == 3) {
    crawler::Judge(argv[2]);
  } else {
    std::fprintf(stderr, "usage: crawl_parts transfer URLS RESOLVE | parse|plain|judge FILES\n");
    return 2;
  }
  return 0;
}

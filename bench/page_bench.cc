// A page's way stage by stage, each alone, in microseconds a page.
//
//     page_bench --pages=DIR      all .html files below DIR; a page's host is its first folder
//                [Google Benchmark's own flags, e.g. --benchmark_filter=judge]
//
// Pages are taken one after the other, as a crawl does. Rates are by CPU time. What a text costs
// stage by stage is fingerprint_bench's to say, fetching crawl_bench's.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "contentseen/content_seen.h"
#include "contentseen/digest.h"
#include "crawler/data/text_store.h"
#include "crawler/io/gzip_member.h"
#include "crawler/page/submission.h"
#include "frontier/frontier.h"
#include "frontier/url_seen.h"
#include "parser/charset.h"
#include "parser/html_parser.h"
#include "parser/mime_sniff.h"
#include "store/batch.h"

namespace crawler {
namespace {

struct BenchPage {
  std::string host;
  std::string body;
  frontier::Url url;
  parser::Document document;
  contentseen::Digest digest;
};
using BenchPages = std::vector<BenchPage>;

BenchPages ReadPages(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".html") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  BenchPages pages;
  parser::HtmlParser html;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string body(std::istreambuf_iterator<char>(file), {});
    const std::filesystem::path relative = std::filesystem::relative(path, directory);
    const std::string host = relative.begin()->string();
    const auto url = frontier::Url::Parse("http://" + relative.generic_string());
    if (!url) continue;
    pages.push_back({host, body, *url, html.Parse(body, {}), contentseen::Sha256(body)});
  }
  return pages;
}

// Takes all pages in each iteration; `begin` makes what they are put into anew, untimed.
void OverAll(
    benchmark::State& state, const BenchPages& pages,
    const std::function<void(const BenchPage&, std::size_t)>& take,
    const std::function<void()>& begin = [] {}) {
  for (auto _ : state) {
    state.PauseTiming();
    begin();
    state.ResumeTiming();
    for (std::size_t i = 0; i < pages.size(); ++i) take(pages[i], i);
  }
  const auto count = static_cast<double>(pages.size());
  state.counters["us/page"] = benchmark::Counter(
      count * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Charset(benchmark::State& state, const BenchPages& pages) {
  parser::Decoder decoder;
  std::string buffer;
  OverAll(state, pages, [&](const BenchPage& page, std::size_t) {
    benchmark::DoNotOptimize(
        decoder.Decode(page.body, parser::ChooseCharset(page.body, {}), &buffer));
  });
}

void Parse(benchmark::State& state, const BenchPages& pages, bool prefilter) {
  parser::ParseOptions options;
  options.prefilter = prefilter;
  parser::HtmlParser html(options);
  OverAll(state, pages, [&](const BenchPage& page, std::size_t) {
    benchmark::DoNotOptimize(html.Parse(page.body, {}));
  });
}

void DigestBytes(benchmark::State& state, const BenchPages& pages) {
  OverAll(state, pages, [&](const BenchPage& page, std::size_t) {
    benchmark::DoNotOptimize(contentseen::Sha256(page.body));
  });
}

// The texts of all pages, submitted once each to an empty ContentSeen.
void Judge(benchmark::State& state, const BenchPages& pages, std::string_view detector) {
  std::unique_ptr<contentseen::ContentSeen> seen;
  SubmissionMaker maker;
  OverAll(
      state, pages,
      [&](const BenchPage& page, std::size_t i) {
        seen->CheckAndInsert(maker.Make(i + 1, page.digest, page.document, page.host));
      },
      [&] {
        seen = contentseen::ContentSeen::Create({.detector = std::string(detector)}).value();
      });
}

void ResolveLinks(benchmark::State& state, const BenchPages& pages) {
  const frontier::UrlRules rules;
  OverAll(state, pages, [&](const BenchPage& page, std::size_t) {
    for (const parser::Link& link : page.document.links) {
      benchmark::DoNotOptimize(frontier::Url::Resolve(page.url, link.href, rules));
    }
  });
}

std::vector<std::vector<frontier::Candidate>> LinksOf(const BenchPages& pages) {
  std::vector<std::vector<frontier::Candidate>> links;
  for (const BenchPage& page : pages) {
    links.emplace_back();
    for (const parser::Link& link : page.document.links) {
      if (auto url = frontier::Url::Resolve(page.url, link.href)) {
        links.back().push_back({.url = std::move(*url), .referrer = page.url, .depth = 1});
      }
    }
  }
  return links;
}

void AskUrlSeen(benchmark::State& state, const BenchPages& pages) {
  const auto links = LinksOf(pages);
  std::unique_ptr<frontier::UrlSeen> seen;
  OverAll(
      state, pages,
      [&](const BenchPage&, std::size_t i) {
        for (const frontier::Candidate& link : links[i]) {
          benchmark::DoNotOptimize(seen->Insert(link.url));
        }
      },
      [&] { seen = std::make_unique<frontier::UrlSeen>(7); });
}

void ScheduleLinks(benchmark::State& state, const BenchPages& pages) {
  const auto links = LinksOf(pages);
  const base::SystemClock clock;
  auto scope = frontier::Scope::Make({.reach = frontier::ScopeReach::kAny}).value();
  std::unique_ptr<frontier::Frontier> frontier;
  OverAll(
      state, pages,
      [&](const BenchPage&, std::size_t i) {
        benchmark::DoNotOptimize(frontier->Schedule(links[i]));
      },
      [&] {
        frontier =
            std::make_unique<frontier::Frontier>(frontier::FrontierOptions{}, *scope, clock);
      });
}

void PackText(benchmark::State& state, const BenchPages& pages) {
  OverAll(state, pages, [&](const BenchPage& page, std::size_t i) {
    store::Batch batch;
    PutText(i, page.document.text, TextStoreOptions().text_bytes_max, batch);
  });
}

void PackRecord(benchmark::State& state, const BenchPages& pages) {
  OverAll(state, pages, [&](const BenchPage& page, std::size_t) {
    benchmark::DoNotOptimize(GzipMember(page.body, 1));
  });
}

void Register(const BenchPages& pages) {
  auto add = [&](const std::string& stage, auto run) {
    benchmark::RegisterBenchmark(stage.c_str(),
                                 [&pages, run](benchmark::State& state) { run(state, pages); });
  };
  add("charset", Charset);
  add("digest", DigestBytes);
  add("parse", [](auto& state, auto& all) { Parse(state, all, true); });
  add("parse-without-prefilter", [](auto& state, auto& all) { Parse(state, all, false); });
  add("judge/simhash", [](auto& state, auto& all) { Judge(state, all, "simhash"); });
  add("judge/verified", [](auto& state, auto& all) { Judge(state, all, "verified"); });
  add("url-resolve", ResolveLinks);
  add("url-seen", AskUrlSeen);
  add("schedule", ScheduleLinks);
  add("text-pack", PackText);
  add("record-pack", PackRecord);
}

}  // namespace
}  // namespace crawler

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  constexpr std::string_view kFlag = "--pages=";
  if (argc != 2 || !std::string_view(argv[1]).starts_with(kFlag)) {
    std::fprintf(stderr, "usage: page_bench --pages=DIR [Google Benchmark's flags]\n");
    return 2;
  }
  const crawler::BenchPages pages = crawler::ReadPages(argv[1] + kFlag.size());
  if (pages.empty()) {
    std::fprintf(stderr, "page_bench: no .html files below %s\n", argv[1] + kFlag.size());
    return 1;
  }
  std::size_t bytes = 0;
  std::size_t text = 0;
  std::size_t links = 0;
  for (const crawler::BenchPage& page : pages) {
    bytes += page.body.size();
    text += page.document.text.size();
    links += page.document.links.size();
  }
  std::printf("%zu pages; each %zu bytes, %zu of text, %zu links on average\n", pages.size(),
              bytes / pages.size(), text / pages.size(), links / pages.size());
  crawler::Register(pages);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

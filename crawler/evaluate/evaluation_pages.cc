#include "crawler/evaluate/evaluation_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "contentseen/detectors/detectors.h"
#include "contentseen/detectors/i_match_detector.h"
#include "contentseen/detectors/lexicon.h"
#include "contentseen/detectors/sketch.h"
#include "contentseen/text/analyzed_text.h"
#include "crawler/page/submission.h"
#include "parser/html_parser.h"

namespace crawler {
namespace {

using contentseen::AnalyzedText;
using contentseen::Detector;

/// Runs `work` in as many threads as the options say; it calls what it is given for the number of
/// the next of `count` pieces, until there is none.
using NextPiece = std::function<std::optional<std::size_t>()>;
void InThreads(std::uint32_t threads, std::size_t count,
               const std::function<void(const NextPiece&)>& work) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  // Relaxed: joining the threads is what publishes their work.
  std::atomic<std::size_t> taken = 0;
  const NextPiece next = [&]() -> std::optional<std::size_t> {
    const std::size_t piece = taken.fetch_add(1, std::memory_order_relaxed);
    return piece < count ? std::optional(piece) : std::nullopt;
  };
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back([&] { work(next); });
  work(next);
}

contentseen::Lexicon LexiconOf(std::span<const SourcedPage> pages, const Options& options) {
  contentseen::LexiconBuilder builder;
  AnalyzedText text(options.contentseen.features);
  for (const SourcedPage& page : pages) {
    text.Assign(page.document.text);
    builder.Add(text);
  }
  return builder.Build({});
}

}  // namespace

base::Result<std::vector<SourcedPage>> SourcePages(const LabelledPages& set, std::size_t count,
                                                   const std::filesystem::path& folder,
                                                   const Options& options) {
  std::vector<SourcedPage> pages(count);
  std::vector<std::string> faults(count);
  const std::size_t bytes_max = options.fetch.body_bytes_max;
  InThreads(options.crawl.process_threads, count, [&](const NextPiece& next) {
    parser::HtmlParser html(options.parser);
    while (const std::optional<std::size_t> i = next()) {
      const LabelledPage& labelled = set.pages[*i];
      auto page = SourceFile((folder / labelled.path).string(), labelled.charset, bytes_max, html);
      if (!page) {
        faults[*i] = page.error().message;
      } else if (page->body_cut) {
        faults[*i] = fmt::format("{}: is larger than fetch.body_bytes_max, {} bytes", page->name,
                                 bytes_max);
      } else {
        page->host = labelled.site;
        pages[*i] = std::move(*page);
      }
    }
  });
  const auto fault = std::find_if(faults.begin(), faults.end(),
                                  [](const std::string& text) { return !text.empty(); });
  if (fault != faults.end()) return base::Fail(*fault);
  return pages;
}

base::Result<std::vector<std::unique_ptr<Detector>>> MakeDetectors(
    std::span<const std::string> names, std::span<const SourcedPage> pages,
    const Options& options) {
  std::vector<std::unique_ptr<Detector>> detectors;
  for (const std::string& name : names) {
    if (name == "i-match" && options.contentseen.i_match.lexicon.empty()) {
      detectors.push_back(std::make_unique<contentseen::IMatchDetector>(
          options.contentseen, LexiconOf(pages, options)));
      continue;
    }
    auto detector = contentseen::MakeDetector(name, options.contentseen);
    if (!detector) return base::Fail(detector.error().message);
    detectors.push_back(std::move(*detector));
  }
  return detectors;
}

std::vector<std::vector<JudgedPage>> SketchPages(
    std::span<const SourcedPage> pages, std::span<const std::unique_ptr<Detector>> detectors,
    const Options& options) {
  std::vector<std::vector<JudgedPage>> judged(detectors.size(),
                                              std::vector<JudgedPage>(pages.size()));
  InThreads(options.crawl.process_threads, pages.size(), [&](const NextPiece& next) {
    SubmissionMaker maker;
    AnalyzedText text(options.contentseen.features);
    while (const std::optional<std::size_t> i = next()) {
      const SourcedPage& page = pages[*i];
      const contentseen::Submission submission =
          maker.Make(*i + 1, contentseen::Sha256(page.body), page.document, page.host);
      text.Assign(submission.text, submission.passages, submission.host, submission.title);
      for (std::size_t d = 0; d < detectors.size(); ++d) {
        judged[d][*i] = {
            submission.body,
            contentseen::MakeSketch(text, *detectors[d], options.contentseen.features_min)};
      }
    }
  });
  return judged;
}

}  // namespace crawler

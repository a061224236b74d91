// Text to fingerprint, whole and stage by stage, in MB of visible text a second.
//
//     fingerprint_bench --pages=DIR      the visible texts of all .html files below DIR
//     fingerprint_bench                  prose made up here (Zipf words; no Chinese or Japanese)
//                       [Google Benchmark's own flags]
//
// "mixed": all texts; "cjk": those of which most bytes are Chinese, Japanese or Korean. Texts are
// taken one after the other, as a crawl does. Rates are by CPU time.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "contentseen/text/analyzed_text.h"
#include "contentseen/text/simhash.h"
#include "contentseen/text/text.h"
#include "contentseen/text/tokens.h"
#include "parser/html_parser.h"

namespace contentseen {
namespace {

using Texts = std::vector<std::string>;

// Texts of the pages below `directory`, ordered by path.
Texts TextsOfPages(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".html") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Texts texts;
  parser::HtmlParser html;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    texts.push_back(html.Parse(bytes, {}).text);
  }
  return texts;
}

// A thousand texts of ten kilobytes; word i of the vocabulary is met in proportion to 1 / i.
Texts MadeUpTexts() {
  std::mt19937_64 random(1);
  Texts vocabulary(20'000);
  for (std::string& word : vocabulary) {
    for (auto n = 2 + random() % 9; n > 0; --n) word += static_cast<char>('a' + random() % 26);
  }
  std::vector<double> weights(vocabulary.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 / static_cast<double>(i + 1);
  std::discrete_distribution<std::size_t> rank(weights.begin(), weights.end());
  Texts texts(1'000);
  for (std::string& text : texts) {
    while (text.size() < 10'000) text += vocabulary[rank(random)] + (random() % 12 ? " " : ". ");
  }
  return texts;
}

bool IsCjk(const std::string& text) {
  // Their characters are three bytes, the first of them 0xE3 to 0xED.
  auto leads = std::count_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xE3 && static_cast<unsigned char>(c) <= 0xED;
  });
  return static_cast<std::size_t>(leads) * 6 > text.size();
}

struct Corpus {
  std::string name;
  Texts texts;
  std::size_t bytes = 0;
};

Corpus MakeCorpus(const std::string& name, Texts texts) {
  Corpus corpus{name, std::move(texts)};
  for (const std::string& text : corpus.texts) corpus.bytes += text.size();
  return corpus;
}

void OverAll(benchmark::State& state, const Corpus& corpus,
             const std::function<void(std::size_t)>& take) {
  for (auto _ : state) {
    for (std::size_t i = 0; i < corpus.texts.size(); ++i) take(i);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(corpus.bytes));
  state.counters["us/text"] = benchmark::Counter(
      static_cast<double>(corpus.texts.size()) * 1e-6,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Normalizing(benchmark::State& state, const Corpus& corpus) {
  std::string out;
  OverAll(state, corpus, [&](std::size_t i) { NormalizeText(corpus.texts[i], &out); });
}

void Tokenizing(benchmark::State& state, const Corpus& corpus) {
  Texts normalized;
  for (const std::string& text : corpus.texts) normalized.push_back(NormalizeText(text));
  std::vector<Token> tokens;
  OverAll(state, corpus, [&](std::size_t i) { Tokenize(normalized[i], &tokens); });
}

void ExtractingFeatures(benchmark::State& state, const Corpus& corpus) {
  Texts normalized;
  std::vector<std::vector<Token>> tokens(corpus.texts.size());
  for (const std::string& text : corpus.texts) {
    normalized.push_back(NormalizeText(text));
    Tokenize(normalized.back(), &tokens[normalized.size() - 1]);
  }
  FeatureExtractor extractor{FeatureOptions{}};
  Features features;
  OverAll(state, corpus,
          [&](std::size_t i) { extractor.Extract(normalized[i], tokens[i], &features); });
}

void CountingBits(benchmark::State& state, const Corpus& corpus, SimHashKernel kernel) {
  AnalyzedText text{FeatureOptions{}};
  std::vector<Features> features;
  for (const std::string& raw : corpus.texts) {
    text.Assign(raw);
    features.push_back(text.features());
  }
  OverAll(state, corpus,
          [&](std::size_t i) { benchmark::DoNotOptimize(SimHashOf(features[i], kernel)); });
}

void Whole(benchmark::State& state, const Corpus& corpus) {
  AnalyzedText text{FeatureOptions{}};
  OverAll(state, corpus, [&](std::size_t i) {
    text.Assign(corpus.texts[i]);
    benchmark::DoNotOptimize(text.fingerprint());
  });
}

void Register(const Corpus& corpus) {
  auto add = [&](const std::string& stage, auto run) {
    benchmark::RegisterBenchmark((stage + "/" + corpus.name).c_str(),
                                 [&corpus, run](benchmark::State& state) { run(state, corpus); });
  };
  add("normalize", Normalizing);
  add("tokenize", Tokenizing);
  add("features", ExtractingFeatures);
  for (SimHashKernel kernel : {SimHashKernel::kScalar, SimHashKernel::kSwar, SimHashKernel::kAvx2,
                               SimHashKernel::kAvx512}) {
    if (!IsAvailable(kernel)) continue;
    add("bits-" + std::string(Name(kernel)),
        [kernel](benchmark::State& state, const Corpus& c) { CountingBits(state, c, kernel); });
  }
  add("text-to-fingerprint", Whole);
}

}  // namespace
}  // namespace contentseen

int main(int argc, char** argv) {
  using contentseen::Corpus;
  benchmark::Initialize(&argc, argv);
  contentseen::Texts texts;
  std::string_view flag = argc > 1 ? argv[1] : "";
  if (flag.starts_with("--pages=")) {
    texts = contentseen::TextsOfPages(flag.substr(8));
  } else if (argc > 1) {
    std::fprintf(stderr, "unknown argument %s; usage: fingerprint_bench [--pages=DIR]\n", argv[1]);
    return 2;
  } else {
    texts = contentseen::MadeUpTexts();
  }
  contentseen::Texts cjk;
  std::copy_if(texts.begin(), texts.end(), std::back_inserter(cjk), contentseen::IsCjk);
  const Corpus mixed_corpus = contentseen::MakeCorpus("mixed", std::move(texts));
  const Corpus cjk_corpus = contentseen::MakeCorpus("cjk", std::move(cjk));
  std::printf("mixed: %zu texts, %.1f MB; cjk: %zu texts, %.1f MB\n", mixed_corpus.texts.size(),
              static_cast<double>(mixed_corpus.bytes) / 1e6, cjk_corpus.texts.size(),
              static_cast<double>(cjk_corpus.bytes) / 1e6);
  contentseen::Register(mixed_corpus);
  if (!cjk_corpus.texts.empty()) contentseen::Register(cjk_corpus);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

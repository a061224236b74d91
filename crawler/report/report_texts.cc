#include "crawler/report/report_texts.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "crawler/report/skipped_diff.h"

namespace crawler {
namespace {

// What a step costs on the page, its words aside.
constexpr std::uint64_t kStepBytes = 8;

std::string Spaced(std::span<const std::string_view> words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

std::uint64_t BytesOf(const TextDelta& delta) {
  std::uint64_t bytes = kStepBytes * delta.steps.size();
  for (const TextDelta::Step& step : delta.steps) {
    if (const auto* added = std::get_if<TextDelta::Added>(&step)) bytes += added->words.size();
  }
  return bytes;
}

/// Collects pairs until the room is used up.
class Collector {
 public:
  Collector(const TextStore& store, std::uint64_t bytes_max) : store_(store), left_(bytes_max) {}

  void Add(std::size_t index, const SkipRecord& page) {
    if (left_ == 0) return LeaveOut();
    auto diff = DiffOf(page, store_);
    if (!diff) {
      texts_.missing += 1;
      return;
    }
    TextDelta delta = DeltaOf((*diff)->words);
    auto known = numbers_.find(page.original_text_id);
    std::string original;
    std::uint64_t bytes = BytesOf(delta);
    if (known == numbers_.end()) {
      original = SpacedWords((*diff)->original_text);
      bytes += original.size();
    }
    if (bytes > left_) return LeaveOut();
    left_ -= bytes;
    if (known == numbers_.end()) {
      known = numbers_.emplace(page.original_text_id, texts_.originals.size()).first;
      texts_.originals.push_back(std::move(original));
    }
    texts_.pairs.emplace(index, ReportTexts::Pair{known->second, std::move(delta)});
  }

  ReportTexts Take() { return std::move(texts_); }

 private:
  void LeaveOut() { texts_.left_out += 1; }

  const TextStore& store_;
  std::uint64_t left_;
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // of originals, by text id
  ReportTexts texts_;
};

}  // namespace

std::string SpacedWords(std::string_view text) { return Spaced(DiffTokens(text)); }

TextDelta DeltaOf(const WordDiff& diff) {
  TextDelta delta{.steps = {}, .same = diff.same, .removed = diff.removed, .added = diff.added};
  for (const DiffRun& run : diff.runs) {
    switch (run.kind) {
      case DiffRun::Kind::kSame:
        delta.steps.emplace_back(TextDelta::Same{run.words.size()});
        break;
      case DiffRun::Kind::kRemoved:
        delta.steps.emplace_back(TextDelta::Removed{run.words.size()});
        break;
      case DiffRun::Kind::kAdded:
        delta.steps.emplace_back(TextDelta::Added{Spaced(run.words)});
        break;
    }
  }
  return delta;
}

ReportTexts CollectTexts(std::span<const SkipRecord* const> pages, const TextStore& texts,
                         std::uint64_t bytes_max) {
  using contentseen::Kind;
  Collector collector(texts, bytes_max);
  for (Kind kind : {Kind::kNear, Kind::kExactText, Kind::kExactBytes}) {
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (pages[i]->kind == kind) collector.Add(i, *pages[i]);
    }
  }
  return collector.Take();
}

}  // namespace crawler

#include "crawler/evaluate/evaluation_stream.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/check.h"
#include "contentseen/digest.h"
#include "crawler/page/submission.h"

namespace crawler {
namespace {

using Ends = std::pair<std::uint32_t, std::uint32_t>;

Ends EndsOf(std::uint32_t a, std::uint32_t b) { return std::minmax(a, b); }

/// Scores page after page.
class Scorer {
 public:
  explicit Scorer(const LabelledPages& set) : set_(set), duplicates_(set.pages.size()) {
    for (std::size_t i = 0; i < set.pairs.size(); ++i) {
      const LabelledPair& pair = set.pairs[i];
      listed_[EndsOf(pair.a, pair.b)] = i;
      if (!pair.dup) continue;
      duplicates_[pair.a].push_back(i);
      duplicates_[pair.b].push_back(i);
    }
    for (const auto& [a, b] : set.grey) grey_.insert(EndsOf(a, b));
    admitted_.resize(set.pages.size());
  }

  void Add(const StreamedPage& streamed) {
    const std::optional<std::size_t> duplicate = AdmittedDuplicate(streamed.page);
    if (!streamed.original) {
      admitted_[streamed.page] = true;
      if (duplicate) {
        AddMiss(streamed.page, *duplicate);
      } else {
        ++result_.all.passes;
      }
      return;
    }
    const std::uint32_t original = *streamed.original;
    const auto listed = listed_.find(EndsOf(streamed.page, original));
    const LabelledPair* pair = listed == listed_.end() ? nullptr : &set_.pairs[listed->second];
    if (pair == nullptr && !IsScored(streamed.page, original)) {
      ++result_.unscored;
      if (duplicate) AddMiss(streamed.page, *duplicate);
      return;
    }
    const bool dup = pair != nullptr && pair->dup;
    Count(streamed.page, original, pair == nullptr ? "unlisted" : pair->why, dup, true);
    if (dup) return;
    result_.false_alarms.push_back(streamed);
    if (duplicate) AddMiss(streamed.page, *duplicate);
  }

  StreamEvaluation Take() {
    for (const auto& [name, counts] : reasons_) result_.reasons.push_back({name, counts});
    std::stable_sort(result_.reasons.begin(), result_.reasons.end(),
                     [](const Stratum& a, const Stratum& b) {
                       return a.counts.hits + a.counts.misses > b.counts.hits + b.counts.misses;
                     });
    return std::move(result_);
  }

 private:
  /// The pair with the most alike of the admitted pages that this one duplicates.
  std::optional<std::size_t> AdmittedDuplicate(std::uint32_t page) const {
    std::optional<std::size_t> best;
    for (const std::size_t i : duplicates_[page]) {
      const LabelledPair& pair = set_.pairs[i];
      if (!admitted_[pair.a == page ? pair.b : pair.a]) continue;
      if (!best || pair.likeness > set_.pairs[*best].likeness) best = i;
    }
    return best;
  }

  bool IsScored(std::uint32_t a, std::uint32_t b) const {
    if (grey_.contains(EndsOf(a, b))) return false;
    return std::min(set_.pages[a].main_words.value_or(kMainWordsMin),
                    set_.pages[b].main_words.value_or(kMainWordsMin)) >= kMainWordsMin;
  }

  void AddMiss(std::uint32_t page, std::size_t pair_number) {
    const LabelledPair& pair = set_.pairs[pair_number];
    const std::uint32_t other = pair.a == page ? pair.b : pair.a;
    Count(page, other, pair.why, true, false);
    result_.misses.push_back({page, other});
  }

  void Count(std::uint32_t a, std::uint32_t b, const std::string& why, bool dup, bool flagged) {
    const bool same_site = set_.pages[a].site == set_.pages[b].site;
    result_.all.Add(dup, flagged);
    (same_site ? result_.same_site : result_.cross_site).Add(dup, flagged);
    reasons_[why].Add(dup, flagged);
  }

  const LabelledPages& set_;
  std::map<Ends, std::size_t> listed_;
  std::set<Ends> grey_;
  std::vector<std::vector<std::size_t>> duplicates_;
  std::vector<bool> admitted_;
  std::map<std::string, Counts> reasons_;
  StreamEvaluation result_;
};

}  // namespace

std::vector<std::uint32_t> Shuffled(std::size_t pages, std::uint64_t seed) {
  std::vector<std::uint32_t> order(pages);
  for (std::size_t i = 0; i < pages; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::mt19937_64 random(seed);
  // std::shuffle is another one in every library.
  for (std::size_t i = pages; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

std::vector<StreamedPage> Stream(std::span<const SourcedPage> pages,
                                 std::span<const std::uint32_t> order,
                                 contentseen::ContentSeen& seen) {
  std::vector<StreamedPage> stream;
  SubmissionMaker maker;
  for (const std::uint32_t i : order) {
    const SourcedPage& page = pages[i];
    const contentseen::Verdict verdict = seen.CheckAndInsert(
        maker.Make(i + 1, contentseen::Sha256(page.body), page.document, page.host));
    StreamedPage streamed{.page = i, .original = std::nullopt};
    if (!verdict.IsNew()) streamed.original = static_cast<std::uint32_t>(verdict.original - 1);
    stream.push_back(streamed);
  }
  return stream;
}

StreamEvaluation ScoreStream(const LabelledPages& set, std::span<const StreamedPage> stream) {
  Scorer scorer(set);
  for (const StreamedPage& streamed : stream) {
    CHECK(streamed.page < set.pages.size());
    scorer.Add(streamed);
  }
  return scorer.Take();
}

}  // namespace crawler

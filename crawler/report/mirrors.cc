#include "crawler/report/mirrors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "crawler/evaluate/scores.h"

namespace crawler {
namespace {

// Pages of one content on one site that are paired with those of another site.
constexpr std::size_t kPagesOfContentMax = 8;
constexpr std::size_t kProposalsMax = 200'000;
constexpr std::size_t kPathsTestedMax = 100'000;
constexpr std::size_t kExamplesMax = 3;

/// A page as its site, the rest of its URL, and its content.
struct Place {
  std::uint32_t site = 0;
  std::string_view path;  // with its query
  std::uint32_t content = 0;
};

bool SaysNothing(std::string_view path) {
  return path == "/" || path == "/robots.txt" || path == "/favicon.ico";
}

/// All places, by site and path.
class Places {
 public:
  explicit Places(std::span<const SitePage> pages) {
    std::map<std::string, std::uint32_t> numbers;
    for (const SitePage& page : pages) {
      UrlParts parts = SplitUrl(page.url);
      const auto known =
          numbers.try_emplace(parts.site, static_cast<std::uint32_t>(numbers.size())).first;
      if (SaysNothing(parts.target)) continue;
      all_.push_back({known->second, parts.target, page.content});
    }
    sites_.resize(numbers.size());
    for (auto& [site, number] : numbers) sites_[number] = site;
    // Of one path by several schemes, that which is there counts.
    std::sort(all_.begin(), all_.end(), [](const Place& a, const Place& b) {
      return std::tie(a.site, a.path, b.content) < std::tie(b.site, b.path, a.content);
    });
    auto end = std::unique(all_.begin(), all_.end(), [](const Place& a, const Place& b) {
      return a.site == b.site && a.path == b.path;
    });
    all_.erase(end, all_.end());
  }

  const std::vector<Place>& all() const { return all_; }
  const std::string& Site(std::uint32_t number) const { return sites_[number]; }

  const Place* Find(std::uint32_t site, std::string_view path) const {
    auto found = LowerBound(site, path);
    return found != all_.end() && found->site == site && found->path == path ? &*found : nullptr;
  }
  /// Those whose path begins with `prefix` and a slash.
  std::span<const Place> Below(std::uint32_t site, const std::string& prefix) const {
    auto begin = LowerBound(site, prefix + "/");
    auto end = LowerBound(site, prefix + "0");  // '0' follows '/'
    return {begin, end};
  }

 private:
  std::vector<Place>::const_iterator LowerBound(std::uint32_t site, std::string_view path) const {
    return std::lower_bound(all_.begin(), all_.end(), std::tie(site, path),
                            [](const Place& place, const auto& key) {
                              return std::tie(place.site, place.path) < key;
                            });
  }

  std::vector<Place> all_;
  std::vector<std::string> sites_;
};

struct Candidate {
  std::uint32_t a_site = 0;
  std::string a_prefix;
  std::uint32_t b_site = 0;
  std::string b_prefix;

  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// Bytes of the longest common suffix of whole segments, the query being part of the last one.
std::size_t CommonSegments(std::string_view a, std::string_view b) {
  const std::size_t a_query = std::min(a.find('?'), a.size());
  std::size_t common = 0;
  for (std::size_t n = 1; n <= a.size() && n <= b.size() && a[a.size() - n] == b[b.size() - n];
       ++n) {
    if (a[a.size() - n] == '/' && a.size() - n < a_query) common = n;
  }
  return common;
}

/// Places of one content on one site.
using Copies = std::span<const Place* const>;

std::optional<Candidate> Propose(Copies a, Copies b) {
  std::size_t best = 0;
  const Place* left = nullptr;
  const Place* right = nullptr;
  for (const Place* x : a.first(std::min(a.size(), kPagesOfContentMax))) {
    for (const Place* y : b.first(std::min(b.size(), kPagesOfContentMax))) {
      const std::size_t common = CommonSegments(x->path, y->path);
      if (common > best) best = common, left = x, right = y;
    }
  }
  if (best == 0) return std::nullopt;
  return Candidate{left->site, std::string(left->path.substr(0, left->path.size() - best)),
                   right->site, std::string(right->path.substr(0, right->path.size() - best))};
}

/// Contents that say something about two sites, and the candidates they propose with the number of
/// contents that propose each.
struct Proposals {
  std::vector<bool> tells;  // by content
  std::map<Candidate, std::size_t> support;
};

void ProposeFor(std::span<const Place* const> copies, Proposals& proposals) {
  std::vector<Copies> by_site;
  for (std::size_t begin = 0, end = 0; begin < copies.size(); begin = end) {
    while (end < copies.size() && copies[end]->site == copies[begin]->site) ++end;
    by_site.push_back(copies.subspan(begin, end - begin));
  }
  proposals.tells[copies[0]->content] = by_site.size() <= kMirrorSitesMax;
  if (by_site.size() > kMirrorSitesMax) return;
  for (std::size_t i = 0; i < by_site.size(); ++i) {
    for (std::size_t j = i + 1; j < by_site.size(); ++j) {
      std::optional<Candidate> candidate = Propose(by_site[i], by_site[j]);
      if (!candidate) continue;
      auto known = proposals.support.find(*candidate);
      if (known != proposals.support.end()) {
        known->second += 1;
      } else if (proposals.support.size() < kProposalsMax) {
        proposals.support.emplace(std::move(*candidate), 1);
      }
    }
  }
}

Proposals ProposeAll(const Places& places) {
  std::vector<const Place*> by_content;
  std::uint32_t largest = 0;
  for (const Place& place : places.all()) {
    if (place.content != 0) by_content.push_back(&place);
    largest = std::max(largest, place.content);
  }
  // Stable: within a content, by site and path.
  std::stable_sort(by_content.begin(), by_content.end(),
                   [](const Place* a, const Place* b) { return a->content < b->content; });
  Proposals proposals;
  proposals.tells.resize(std::size_t{largest} + 1, true);
  for (std::size_t begin = 0, end = 0; begin < by_content.size(); begin = end) {
    while (end < by_content.size() && by_content[end]->content == by_content[begin]->content) {
      ++end;
    }
    ProposeFor({by_content.data() + begin, end - begin}, proposals);
  }
  return proposals;
}

MirrorPair Test(const Candidate& candidate, const Places& places, const Proposals& proposals) {
  MirrorPair pair{.a = {places.Site(candidate.a_site), candidate.a_prefix},
                  .b = {places.Site(candidate.b_site), candidate.b_prefix},
                  .examples = {}};
  // Pairs of contents counted already.
  std::set<std::pair<std::uint32_t, std::uint32_t>> counted;
  std::span<const Place> below = places.Below(candidate.a_site, candidate.a_prefix);
  for (const Place& left : below.first(std::min(below.size(), kPathsTestedMax))) {
    const std::string path(left.path.substr(candidate.a_prefix.size()));
    const Place* right = places.Find(candidate.b_site, candidate.b_prefix + path);
    if (right == nullptr || (left.content == 0 && right->content == 0)) continue;
    if (!proposals.tells[left.content] || !proposals.tells[right->content]) continue;
    if (!counted.emplace(left.content, right->content).second) continue;
    pair.tested += 1;
    if (left.content != right->content) continue;
    pair.matching += 1;
    if (pair.examples.size() < kExamplesMax) pair.examples.push_back(path);
  }
  pair.bound = WilsonInterval(pair.matching, pair.tested).low;
  pair.certain = pair.bound >= kMirrorBoundMin;
  return pair;
}

bool IsSuspected(const MirrorPair& pair) {
  return pair.matching >= kMirrorMatchingMin &&
         static_cast<double>(pair.matching) >= kMirrorBoundMin * static_cast<double>(pair.tested);
}

/// Sides joined by the certain pairs: union-find, the trees kept flat by halving paths.
class Groups {
 public:
  explicit Groups(std::span<const MirrorPair> pairs) {
    for (const MirrorPair& pair : pairs) {
      if (!pair.certain) continue;
      const std::size_t a = Root(Number(pair.a));
      const std::size_t b = Root(Number(pair.b));
      parents_[std::max(a, b)] = std::min(a, b);
    }
  }

  std::vector<std::vector<MirrorSide>> Members() {
    std::map<std::size_t, std::vector<MirrorSide>> members;
    for (const auto& [side, number] : numbers_) members[Root(number)].push_back(side);
    std::vector<std::vector<MirrorSide>> all;
    for (auto& [root, sides] : members) all.push_back(std::move(sides));
    return all;
  }

 private:
  std::size_t Number(const MirrorSide& side) {
    auto [known, fresh] = numbers_.try_emplace(side, parents_.size());
    if (fresh) parents_.push_back(parents_.size());
    return known->second;
  }
  std::size_t Root(std::size_t i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }

  std::map<MirrorSide, std::size_t> numbers_;
  std::vector<std::size_t> parents_;
};

std::vector<MirrorGroup> GroupSides(std::span<const MirrorPair> pairs, const Places& places) {
  std::map<std::string, std::uint32_t> numbers;
  for (const Place& place : places.all()) numbers.emplace(places.Site(place.site), place.site);
  auto pages = [&](const MirrorSide& side) {
    std::span<const Place> below = places.Below(numbers.at(side.site), side.prefix);
    return std::count_if(below.begin(), below.end(),
                         [](const Place& p) { return p.content != 0; });
  };
  std::vector<MirrorGroup> groups;
  for (std::vector<MirrorSide>& sides : Groups(pairs).Members()) {
    auto first = std::min_element(sides.begin(), sides.end(),
                                  [&](const MirrorSide& a, const MirrorSide& b) {
                                    return std::tuple(-pages(a), a.Name().size(), a) <
                                           std::tuple(-pages(b), b.Name().size(), b);
                                  });
    std::rotate(sides.begin(), first, first + 1);
    groups.push_back({std::move(sides)});
  }
  return groups;
}

}  // namespace

Mirrors FindMirrors(std::span<const SitePage> pages) {
  const Places places(pages);
  const Proposals proposals = ProposeAll(places);
  std::vector<std::pair<std::size_t, const Candidate*>> candidates;
  for (const auto& [candidate, support] : proposals.support) {
    if (support > 1) candidates.emplace_back(support, &candidate);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  candidates.resize(std::min(candidates.size(), kMirrorCandidatesMax));

  Mirrors mirrors;
  for (const auto& [support, candidate] : candidates) {
    MirrorPair pair = Test(*candidate, places, proposals);
    if (pair.certain || IsSuspected(pair)) mirrors.pairs.push_back(std::move(pair));
  }
  std::stable_sort(mirrors.pairs.begin(), mirrors.pairs.end(),
                   [](const MirrorPair& a, const MirrorPair& b) { return a.bound > b.bound; });
  mirrors.groups = GroupSides(mirrors.pairs, places);
  return mirrors;
}

}  // namespace crawler

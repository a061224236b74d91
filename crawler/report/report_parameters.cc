#include "crawler/report/report_parameters.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "crawler/evaluate/scores.h"

namespace crawler {
namespace {

constexpr std::size_t kParametersMax = 16;  // looked at in one URL

/// A URL without one of its parameters.
struct Variant {
  std::string site;
  std::string name;
  std::string rest;   // path and the other parameters in their order
  std::string value;  // as it stands, "=" included; "" only for a URL without the parameter
  const SitePage* page = nullptr;

  auto Key() const { return std::tie(site, name, rest); }
};

std::vector<std::string_view> Split(std::string_view query) {
  std::vector<std::string_view> parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (end > 0) parameters.push_back(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return parameters;
}

std::string Joined(std::string_view path, const std::vector<std::string_view>& parameters,
                   std::size_t without) {
  std::string rest(path);
  char separator = '?';
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i == without) continue;
    rest += separator;
    rest += parameters[i];
    separator = '&';
  }
  return rest;
}

/// Where a URL stands, its site normalised.
std::string Whole(const std::string& site, std::string_view rest) {
  return site + '\n' + std::string(rest);
}

std::vector<Variant> VariantsOf(std::span<const SitePage> pages) {
  std::vector<Variant> variants;
  std::map<std::string, const SitePage*> whole;
  for (const SitePage& page : pages) {
    if (page.text == 0) continue;
    UrlParts parts = SplitUrl(page.url);
    const std::vector<std::string_view> parameters = Split(parts.query);
    whole.emplace(Whole(parts.site, Joined(parts.path, parameters, parameters.size())), &page);
    for (std::size_t i = 0; i < std::min(parameters.size(), kParametersMax); ++i) {
      const std::size_t equals = std::min(parameters[i].find('='), parameters[i].size());
      std::string value(parameters[i].substr(equals));
      variants.push_back({parts.site, std::string(parameters[i].substr(0, equals)),
                          Joined(parts.path, parameters, i), value.empty() ? "=" : value, &page});
    }
  }
  // The same URLs without the parameter.
  const std::size_t with = variants.size();
  for (std::size_t i = 0; i < with; ++i) {
    auto bare = whole.find(Whole(variants[i].site, variants[i].rest));
    if (bare == whole.end()) continue;
    Variant without = variants[i];
    without.value.clear();
    without.page = bare->second;
    variants.push_back(std::move(without));
  }
  std::stable_sort(variants.begin(), variants.end(), [](const Variant& a, const Variant& b) {
    return std::tuple_cat(a.Key(), std::tie(a.value)) < std::tuple_cat(b.Key(), std::tie(b.value));
  });
  auto end = std::unique(variants.begin(), variants.end(), [](const Variant& a, const Variant& b) {
    return a.Key() == b.Key() && a.value == b.value;
  });
  variants.erase(end, variants.end());
  return variants;
}

/// What was seen of one parameter on one site.
struct Tally {
  IdleParameter idle;
  bool changes = false;
};

void Count(std::span<const Variant> alike, Tally& tally) {
  const SitePage& first = *alike[0].page;
  for (const Variant& other : alike.subspan(1)) {
    tally.idle.compared += 1;
    if (other.page->content != first.content) tally.changes = true;
    if (other.page->text == first.text) tally.idle.same_text += 1;
    if (tally.idle.url.empty()) tally.idle.url = other.page->url, tally.idle.same_as = first.url;
  }
}

std::map<std::pair<std::string, std::string>, Tally> TallyAll(std::span<const SitePage> pages) {
  const std::vector<Variant> variants = VariantsOf(pages);
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (std::size_t begin = 0, end = 0; begin < variants.size(); begin = end) {
    while (end < variants.size() && variants[end].Key() == variants[begin].Key()) ++end;
    if (end - begin < 2) continue;
    Count({variants.data() + begin, end - begin},
          tallies[{variants[begin].site, variants[begin].name}]);
  }
  return tallies;
}

}  // namespace

IdleParameters FindIdleParameters(std::span<const SitePage> pages) {
  IdleParameters found;
  std::set<std::string> certain;
  std::set<std::string> change;
  for (auto& [key, tally] : TallyAll(pages)) {
    tally.idle.site = key.first;
    tally.idle.name = key.second;
    tally.idle.bound = WilsonInterval(tally.idle.compared, tally.idle.compared).low;
    if (tally.idle.IsCertain()) certain.insert(key.second);
    if (tally.idle.same_text < tally.idle.compared) change.insert(key.second);
    if (!tally.changes) found.idle.push_back(std::move(tally.idle));
  }
  std::set_difference(certain.begin(), certain.end(), change.begin(), change.end(),
                      std::back_inserter(found.droppable));
  std::stable_sort(
      found.idle.begin(), found.idle.end(),
      [](const IdleParameter& a, const IdleParameter& b) { return a.compared > b.compared; });
  return found;
}

}  // namespace crawler

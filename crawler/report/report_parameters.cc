#include "crawler/report/report_parameters.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "contentseen/digest.h"
#include "crawler/evaluate/scores.h"

namespace crawler {
namespace {

constexpr std::size_t kParametersMax = 16;  // looked at in one URL

/// A URL without one of its parameters. Digests stand for what is compared, so that long URLs with
/// many parameters cost no more than others.
struct Variant {
  contentseen::Key128 rest;   // of site, name, path and the other parameters in their order
  contentseen::Key128 value;  // of the value as it stands; zero for a URL without the parameter
  std::uint32_t page = 0;
  std::uint32_t parameter = 0;  // which it is of the page's, where it has a value

  bool HasValue() const { return value != contentseen::Key128{}; }
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

contentseen::Key128 KeyOf(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (std::string_view part : parts) whole.append(part).append(1, '\n');
  return contentseen::Sha256(whole).Key();
}

/// A parameter without its value, and its value, "=" included.
std::pair<std::string_view, std::string_view> NameAndValue(std::string_view parameter) {
  const std::size_t equals = std::min(parameter.find('='), parameter.size());
  return {parameter.substr(0, equals), parameter.substr(equals)};
}

/// Those of one rest together: first that without the parameter, then as they were met.
std::vector<Variant> VariantsOf(std::span<const SitePage> pages) {
  std::map<contentseen::Key128, std::uint32_t> whole;
  for (std::uint32_t page = 0; page < pages.size(); ++page) {
    if (pages[page].text == 0) continue;
    const UrlParts parts = SplitUrl(pages[page].url);
    const auto parameters = Split(parts.query);
    whole.emplace(KeyOf({parts.site, Joined(parts.path, parameters, parameters.size())}), page);
  }
  std::vector<Variant> variants;
  for (std::uint32_t page = 0; page < pages.size(); ++page) {
    if (pages[page].text == 0) continue;
    const UrlParts parts = SplitUrl(pages[page].url);
    const auto parameters = Split(parts.query);
    for (std::uint32_t i = 0; i < std::min(parameters.size(), kParametersMax); ++i) {
      const auto [name, value] = NameAndValue(parameters[i]);
      const std::string rest = Joined(parts.path, parameters, i);
      const contentseen::Key128 key = KeyOf({parts.site, rest, name});
      variants.push_back({key, KeyOf({value.empty() ? "=" : value}), page, i});
      if (auto bare = whole.find(KeyOf({parts.site, rest})); bare != whole.end()) {
        variants.push_back({key, {}, bare->second, 0});
      }
    }
  }
  const auto by_value = [](const Variant& v) { return std::tie(v.rest, v.value, v.page); };
  std::ranges::sort(variants, {}, by_value);
  const auto end = std::unique(variants.begin(), variants.end(), [](const auto& a, const auto& b) {
    return a.rest == b.rest && a.value == b.value;  // the page that was met first stays
  });
  variants.erase(end, variants.end());
  const auto as_met = [](const Variant& v) { return std::tuple(v.rest, v.HasValue(), v.page); };
  std::ranges::sort(variants, {}, as_met);
  return variants;
}

/// What was seen of one parameter on one site.
struct Tally {
  IdleParameter idle;
  std::optional<std::uint32_t> shown;  // the page that the example begins with
  bool changes = false;
};

void Count(std::span<const SitePage> pages, std::span<const Variant> alike, Tally& tally) {
  const SitePage& first = pages[alike[0].page];
  for (const Variant& variant : alike.subspan(1)) {
    const SitePage& other = pages[variant.page];
    tally.idle.compared += 1;
    if (other.content != first.content) tally.changes = true;
    if (other.text == first.text) tally.idle.same_text += 1;
  }
  // Of all examples the one that was met first.
  if (tally.shown && *tally.shown <= alike[0].page) return;
  tally.shown = alike[0].page;
  tally.idle.url = pages[alike[1].page].url;
  tally.idle.same_as = first.url;
}

std::map<std::pair<std::string, std::string>, Tally> TallyAll(std::span<const SitePage> pages) {
  const std::vector<Variant> variants = VariantsOf(pages);
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (std::size_t begin = 0, end = 0; begin < variants.size(); begin = end) {
    while (end < variants.size() && variants[end].rest == variants[begin].rest) ++end;
    if (end - begin < 2) continue;
    const Variant& with = variants[end - 1];  // only the first may be without the parameter
    const UrlParts parts = SplitUrl(pages[with.page].url);
    const auto name = NameAndValue(Split(parts.query)[with.parameter]).first;
    Count(pages, {variants.data() + begin, end - begin}, tallies[{parts.site, std::string(name)}]);
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

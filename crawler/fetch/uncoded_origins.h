#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace crawler {

/// Origins whose content coding did not decode, and which are asked for none from then on: so they
/// are asked for a page twice at once only for the first such page.
///
///     if (!uncoded.Has(url)) AskWithCodings();
///     ...
///     uncoded.Add(url);
///
/// Bounded: the one more than kOriginsMax makes it forget all others, which costs each of them one
/// request more. Thread safety: none. Cost: O(log origins) each.
class UncodedOrigins {
 public:
  static constexpr std::size_t kOriginsMax = 1'000;

  /// Whether the origin of `url`, which is canonical, was added.
  bool Has(std::string_view url) const { return origins_.contains(Origin(url)); }
  void Add(std::string_view url) {
    if (origins_.size() == kOriginsMax) origins_.clear();
    origins_.emplace(Origin(url));
  }
  std::size_t size() const { return origins_.size(); }

 private:
  /// "http://a.example:8080": what stands before the path.
  static std::string_view Origin(std::string_view url) {
    constexpr std::string_view kShortest = "http://";
    return url.substr(0, url.find('/', kShortest.size() + (url.starts_with("https:") ? 1 : 0)));
  }

  std::set<std::string, std::less<>> origins_;
};

}  // namespace crawler

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace crawler {

/// The fewest insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (optimal string alignment). For short names: what did the user mean? Other names than that are
/// not compared: where one has more than kComparedBytesMax, the answer is the most it could be,
/// the length of the longer.
///
/// Thread safety: pure. Cost: |a| * |b|, so at most some thousand steps.
std::size_t EditDistance(std::string_view a, std::string_view b);
inline constexpr std::size_t kComparedBytesMax = 64;

/// What the user may have meant by a name that there is not: of the names offered the nearest, the
/// first of equals; but none that differs in more than a third of it, or two characters.
///
///     NearestName nearest(name);
///     for (const std::string& known : names) nearest.Offer(known, EditDistance(name, known));
///     if (!nearest.name().empty()) ...   // "did you mean ...?"
///
/// Thread safety: none.
class NearestName {
 public:
  explicit NearestName(std::string_view name)
      : near_(std::max<std::size_t>(2, name.size() / 3) + 1) {}

  void Offer(const std::string& known, std::size_t distance) {
    if (distance >= near_) return;
    near_ = distance;
    name_ = known;
  }
  /// Empty where none is near.
  const std::string& name() const { return name_; }

 private:
  std::size_t near_;  // what is further is not
  std::string name_;
};

}  // namespace crawler

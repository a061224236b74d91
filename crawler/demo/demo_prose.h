#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

/// What a demo text is about.
enum class DemoTopic : std::uint8_t {
  kHarbour,
  kCouncil,
  kCulture,
  kSport,
  kWeather,
  kSeamanship,
  kGoods,
};

/// English prose for the demo web: sentences written for it, their names, places and figures drawn
/// by `seed`. The same arguments give the same text on every machine; another seed gives another
/// text on the same subject, which no near-duplicate search may take for a copy.
///
///     std::vector<std::string> paragraphs = DemoProse(DemoTopic::kHarbour, 7, 20);
///
/// Thread safety: yes. Cost: one pass over the text made.
std::vector<std::string> DemoProse(DemoTopic topic, std::uint64_t seed, std::size_t sentences);

/// A headline to go with it; no line end, no markup.
std::string DemoHeadline(DemoTopic topic, std::uint64_t seed);

}  // namespace crawler

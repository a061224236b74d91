#include "crawler/evaluate/tuning_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "crawler/io/terminal.h"

namespace crawler {
namespace {

constexpr double kBarMax = 32;

using Json = nlohmann::ordered_json;

/// As long as the number's logarithm, so that one pair shows beside a million.
std::string Bar(std::uint64_t pairs, std::uint64_t pairs_max) {
  if (pairs == 0) return "";
  const double part =
      std::log1p(static_cast<double>(pairs)) / std::log1p(static_cast<double>(pairs_max));
  return std::string(static_cast<std::size_t>(std::max(1.0, std::round(kBarMax * part))), '#');
}

std::string Histogram(std::span<const DistanceBin> bins, bool colours) {
  std::string text =
      Coloured("distance      pairs  compared    mean  median\n", Colour::kBold, colours);
  std::uint64_t pairs_max = 0;
  for (const DistanceBin& bin : bins) pairs_max = std::max(pairs_max, bin.pairs);
  for (const DistanceBin& bin : bins) {
    const std::string alike =
        bin.compared == 0
            ? fmt::format("{:>7} {:>7}", "-", "-")
            : fmt::format("{:7.3f} {:7.3f}", bin.mean_resemblance, bin.median_resemblance);
    std::string line = fmt::format("{:8} {:10} {:9} {}  {}", bin.distance, bin.pairs, bin.compared,
                                   alike, Bar(bin.pairs, pairs_max));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Examples(std::span<const DistanceBin> bins, bool colours) {
  std::string text;
  for (const DistanceBin& bin : bins) {
    if (bin.examples.empty()) continue;
    text += Coloured(fmt::format("\nat distance {}\n", bin.distance), Colour::kBold, colours);
    for (const TuningExample& example : bin.examples) {
      text += fmt::format("  {:.2f}  {}\n        {}\n        {}\n", example.resemblance,
                          Escaped(example.url_a), Escaped(example.url_b),
                          example.difference.empty() ? "the same words" : example.difference);
    }
  }
  return text;
}

std::uint64_t Sum(const Tuning& tuning, std::uint64_t DistanceBin::*count) {
  std::uint64_t sum = 0;
  for (const auto* bins : {&tuning.near, &tuning.random}) {
    for (const DistanceBin& bin : *bins) sum += bin.*count;
  }
  return sum;
}

std::string Notes(const Tuning& tuning) {
  std::string text;
  if (tuning.pages_sampled < tuning.pages) {
    text += fmt::format("{} of {} pages were looked at.\n", tuning.pages_sampled, tuning.pages);
  }
  if (const std::uint64_t missing = Sum(tuning, &DistanceBin::missing); missing > 0) {
    text += fmt::format("{} drawn pairs were not compared: no text was kept.\n", missing);
  }
  if (const std::uint64_t too_short = Sum(tuning, &DistanceBin::too_short); too_short > 0) {
    text += fmt::format("{} drawn pairs were not compared: too short for fingerprints to count.\n",
                        too_short);
  }
  if (tuning.crowded > 0) {
    text += fmt::format("{} fingerprints have more than {} neighbours: not all were counted.\n",
                        tuning.crowded, kNeighboursMax);
  }
  return text;
}

Json JsonOf(std::span<const DistanceBin> bins) {
  Json all = Json::array();
  for (const DistanceBin& bin : bins) {
    Json examples = Json::array();
    for (const TuningExample& example : bin.examples) {
      examples.push_back({{"a", example.url_a},
                          {"b", example.url_b},
                          {"resemblance", example.resemblance},
                          {"difference", example.difference}});
    }
    const bool known = bin.compared > 0;
    all.push_back({{"distance", bin.distance},
                   {"pairs", bin.pairs},
                   {"compared", bin.compared},
                   {"mean_resemblance", known ? Json(bin.mean_resemblance) : Json()},
                   {"median_resemblance", known ? Json(bin.median_resemblance) : Json()},
                   {"missing", bin.missing},
                   {"too_short", bin.too_short},
                   {"examples", std::move(examples)}});
  }
  return all;
}

}  // namespace

std::string TuningText(const Tuning& tuning, bool colours) {
  std::string text = fmt::format(
      "{} pages, {} different fingerprints\n\n"
      "Pairs by the Hamming distance of their fingerprints, and how much alike the texts of some "
      "are\n(shared part of all word 3-shingles; the bars are logarithmic):\n\n",
      tuning.pages_sampled, tuning.fingerprints);
  text += Histogram(tuning.near, colours);
  if (!tuning.random.empty()) {
    text += "\nPairs taken at random:\n\n" + Histogram(tuning.random, colours);
  }
  text += Examples(tuning.near, colours) + Examples(tuning.random, colours);
  if (const std::string notes = Notes(tuning); !notes.empty()) text += "\n" + notes;
  const std::string k = tuning.k ? std::to_string(*tuning.k) : "none suggested";
  return text + Coloured("\nk = " + k, Colour::kBold, colours) + ": " + tuning.reason + "\n";
}

std::string TuningJson(const Tuning& tuning) {
  const Json json = {{"pages", tuning.pages},
                     {"pages_sampled", tuning.pages_sampled},
                     {"fingerprints", tuning.fingerprints},
                     {"near", JsonOf(tuning.near)},
                     {"random", JsonOf(tuning.random)},
                     {"crowded", tuning.crowded},
                     {"k", tuning.k ? Json(*tuning.k) : Json()},
                     {"reason", tuning.reason}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace crawler

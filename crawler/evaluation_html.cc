#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/evaluation_report.h"
#include "crawler/report_table.h"

namespace crawler {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fdfdfc; --dim: #6b7075;
  --line: #d5d8db; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e8; --paper: #16181a; --dim: #9aa0a6; --line: #3a3e43; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: var(--ink);
  background: var(--paper); font: 16px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
p { color: var(--dim); max-width: 48rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { width: 100%; max-width: 44rem; height: auto; display: block; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; }
.legend svg { display: inline; width: 1.6rem; height: .7rem; }
)css";

/// Told apart in both schemes, and by those who see red and green alike; after eight, dashes.
constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f"};

std::string StrokeOf(std::size_t i) {
  constexpr std::size_t kCount = std::size(kColours);
  return fmt::format("stroke=\"{}\"{}", kColours[i % kCount],
                     i < kCount ? "" : " stroke-dasharray=\"6 3\"");
}

/// The square of recall and precision, both from `least_` to 1.
class Plot {
 public:
  explicit Plot(double least) : least_(least) {}

  double X(double recall) const { return kLeft + kSide * Part(recall); }
  double Y(double precision) const { return kTop + kSide * (1 - Part(precision)); }

  std::string Frame() const {
    std::string svg;
    constexpr int kLines = 5;
    for (int i = 0; i <= kLines; ++i) {
      const double share = least_ + (1 - least_) * i / kLines;
      svg += fmt::format(
          "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {4:.1f}H{5:.1f}\"/>\n"
          "<text x=\"{0:.1f}\" y=\"{6:.1f}\" text-anchor=\"middle\">{7:.0f}</text>\n"
          "<text x=\"{8:.1f}\" y=\"{9:.1f}\" text-anchor=\"end\">{7:.0f}</text>\n",
          X(share), Y(least_), Y(1), X(least_), Y(share), X(1), Y(least_) + 20, 100 * share,
          X(least_) - 8, Y(share) + 4);
    }
    return svg + fmt::format(
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">recall, %"
                     "</text>\n<text x=\"{:.1f}\" y=\"{:.1f}\">precision, %</text>\n",
                     X((1 + least_) / 2), Y(least_) + 42, X(least_) - 40, Y(1) - 14);
  }

  static std::string Open() {
    return fmt::format(
        "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"Precision over recall for each threshold\">\n",
        kLeft + kSide + 20, kTop + kSide + 54);
  }

 private:
  static constexpr double kLeft = 56;
  static constexpr double kTop = 34;
  static constexpr double kSide = 480;

  /// What lies outside is drawn at the edge.
  double Part(double share) const { return std::clamp((share - least_) / (1 - least_), 0.0, 1.0); }

  const double least_;
};

std::string Curve(const Plot& plot, const Evaluation& evaluation, std::size_t i) {
  std::string path;
  for (const Sweep::Point& point : evaluation.sweep.points) {
    if (point.counts.flagged() == 0) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plot.X(point.counts.Recall()),
                        plot.Y(point.counts.Precision()));
  }
  return fmt::format(
      "<path class=\"curve\" {0} d=\"{1}\"/>\n"
      "<circle cx=\"{2:.1f}\" cy=\"{3:.1f}\" r=\"5\" fill=\"{4}\"><title>{5} as set: precision "
      "{6:.1f} %, recall {7:.1f} %</title></circle>\n",
      StrokeOf(i), path, plot.X(evaluation.all.Recall()), plot.Y(evaluation.all.Precision()),
      kColours[i % std::size(kColours)], HtmlEscaped(evaluation.detector),
      100 * evaluation.all.Precision(), 100 * evaluation.all.Recall());
}

std::string Curves(std::span<const Evaluation> evaluations, double least) {
  const Plot plot(least);
  std::string svg = Plot::Open() + plot.Frame();
  for (std::size_t i = 0; i < evaluations.size(); ++i) svg += Curve(plot, evaluations[i], i);
  return svg + "</svg>\n";
}

std::string Legend(std::span<const Evaluation> evaluations) {
  std::string list = "<ul class=\"legend\">\n";
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    list += fmt::format(
        "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve\" "
        "{} d=\"M0 5H32\"/></svg> {}</li>\n",
        StrokeOf(i), HtmlEscaped(evaluations[i].detector));
  }
  return list + "</ul>\n";
}

}  // namespace

std::string EvaluationHtml(const LabelledPages& set, std::span<const Evaluation> evaluations) {
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>Near-duplicate detectors, "
             "judged</title>\n<style>{}</style>\n</head>\n<body>\n"
             "<h1>Near-duplicate detectors, judged</h1>\n",
             kStyle) +
         "<h2>Precision over recall</h2>\n" + Legend(evaluations) + Curves(evaluations, 0) +
         "<p>A curve has a point for every threshold; the dot is the one that is set. A method "
         "with one possible threshold is a dot. Below, the upper right corner.</p>\n" +
         Curves(evaluations, 0.8) + HtmlText(EvaluationTables(set, evaluations)) +
         "</body>\n</html>\n";
}

}  // namespace crawler

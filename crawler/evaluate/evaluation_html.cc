#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "crawler/evaluate/evaluation_report.h"
#include "crawler/io/report_table.h"
#include "crawler/web/web_page.h"

namespace crawler {
namespace {

/// Told apart in both schemes, and by those who see red and green alike; after eight, dashes.
constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f"};

std::string StrokeOf(std::size_t i) {
  constexpr std::size_t kCount = std::size(kColours);
  return fmt::format("stroke=\"{}\"{}", kColours[i % kCount],
                     i < kCount ? "" : " stroke-dasharray=\"6 3\"");
}

/// The square of recall and precision, both from `least_` to 1. What lies outside is not drawn.
class Plot {
 public:
  explicit Plot(double least) : least_(least) {}

  double X(double recall) const { return kLeft + kSide * Part(recall); }
  double Y(double precision) const { return kTop + kSide * (1 - Part(precision)); }
  bool Shows(double recall, double precision) const {
    return recall >= least_ && precision >= least_;
  }
  /// `path` cut off at the edge, but not the half of a line that runs along it.
  static std::string Within(const std::string& path) {
    return fmt::format(
        "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{2:.1f}\" "
        "viewBox=\"{0:.1f} {1:.1f} {2:.1f} {2:.1f}\">{3}</svg>\n",
        kLeft - 2, kTop - 2, kSide + 4, path);
  }

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
        "<svg class=\"plot\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"Precision over recall for each threshold\">\n",
        kLeft + kSide + 20, kTop + kSide + 54);
  }

 private:
  static constexpr double kLeft = 56;
  static constexpr double kTop = 34;
  static constexpr double kSide = 480;

  double Part(double share) const { return (share - least_) / (1 - least_); }

  const double least_;
};

std::string Curve(const Plot& plot, const Evaluation& evaluation, std::size_t i) {
  std::string path;
  for (const Sweep::Point& point : evaluation.sweep.points) {
    if (point.counts.flagged() == 0) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plot.X(point.counts.Recall()),
                        plot.Y(point.counts.Precision()));
  }
  const double recall = evaluation.all.Recall();
  const double precision = evaluation.all.Precision();
  std::string svg =
      Plot::Within(fmt::format("<path class=\"curve\" {} d=\"{}\"/>", StrokeOf(i), path));
  if (!plot.Shows(recall, precision)) return svg;
  return svg += fmt::format(
             "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"><title>{} as set: precision "
             "{:.1f} %, recall {:.1f} %</title></circle>\n",
             plot.X(recall), plot.Y(precision), kColours[i % std::size(kColours)],
             HtmlEscaped(evaluation.detector), 100 * precision, 100 * recall);
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
  const std::string body =
      "<main class=\"wrap\" id=\"main\">\n<header class=\"top\">\n"
      "<p class=\"brand\">ContentSeen</p>\n<h1>Near-duplicate detectors, judged</h1>\n</header>\n"
      "<h2>Precision over recall</h2>\n" +
      Legend(evaluations) + Curves(evaluations, 0) +
      "<p>A curve has a point for every threshold; the dot is the one that is set. A method "
      "with one possible threshold is a dot. Below, the upper right corner alone.</p>\n" +
      Curves(evaluations, 0.8) + HtmlText(EvaluationTables(set, evaluations)) + "</main>\n";
  return WebPage("Near-duplicate detectors, judged", {"common.css", "evaluation.css"}, body);
}

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "crawler/evaluate/evaluation.h"
#include "crawler/evaluate/evaluation_stream.h"
#include "crawler/evaluate/labelled_pages.h"
#include "crawler/evaluate/page_source.h"
#include "crawler/io/report_table.h"

namespace crawler {

/// Evaluations of one set side by side: precision, recall and F1 of all pairs; same-site and
/// cross-site apart; by reason; by language; and the best threshold of each. Of a single one also
/// the whole sweep.
std::vector<ReportTable> EvaluationTables(const LabelledPages& set,
                                          std::span<const Evaluation> evaluations);

/// "61 of 64 bits", "44 % spots".
std::string ThresholdText(const Sweep& sweep, const Sweep::Point& point);

/// One JSON object: "pages", "pairs" and "detectors", each with its counts, strata and sweep.
std::string EvaluationJson(const LabelledPages& set, std::span<const Evaluation> evaluations);

/// A page of HTML that needs nothing else: the tables and the curves of precision over recall.
std::string EvaluationHtml(const LabelledPages& set, std::span<const Evaluation> evaluations);

/// For people: the worst mistakes, at most `count` of either kind, with the words that differ.
std::string MistakesText(const LabelledPages& set, const Evaluation& evaluation,
                         std::span<const SourcedPage> pages, std::size_t count, bool colours);

/// The same of whole-set runs.
std::vector<ReportTable> StreamTables(const LabelledPages& set, std::uint64_t seed,
                                      std::span<const StreamEvaluation> evaluations);
std::string StreamJson(const LabelledPages& set, std::uint64_t seed,
                       std::span<const StreamEvaluation> evaluations);
std::string StreamMistakesText(const LabelledPages& set, const StreamEvaluation& evaluation,
                               std::span<const SourcedPage> pages, std::size_t count,
                               bool colours);

}  // namespace crawler

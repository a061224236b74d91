#pragma once

#include <string>

#include "crawler/report/report.h"
#include "crawler/report/report_texts.h"

namespace crawler {

/// The report as one web page that needs nothing else: no server, no network.
///
/// Thread safety: pure. Cost: linear.
std::string ReportPage(const Report& report);

/// What the page's script draws, one JSON object.
std::string ReportJson(const Report& report);

/// A page with one skipped page beside its original.
std::string DiffPage(const SkipRecord& page, const std::string& original_words,
                     const TextDelta& delta);
/// The same when there is no text to compare: says `why`.
std::string NoDiffPage(const SkipRecord& page, const std::string& why);

}  // namespace crawler

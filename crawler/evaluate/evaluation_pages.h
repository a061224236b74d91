#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contentseen/content_seen.h"
#include "contentseen/detectors/detector.h"
#include "crawler/evaluate/evaluation.h"
#include "crawler/evaluate/labelled_pages.h"
#include "crawler/evaluate/page_source.h"
#include "crawler/settings/options.h"

namespace crawler {

/// Reads the first `count` pages of a set below `folder` and parses them as a crawl does. A page's
/// site is its host. Fails when one cannot be read, is no text, or is larger than
/// fetch.body_bytes_max.
///
/// Thread safety: works in `process_threads` threads of its own.
/// Cost: holds the bodies and texts of all.
base::Result<std::vector<SourcedPage>> SourcePages(const LabelledPages& set, std::size_t count,
                                                   const std::filesystem::path& folder,
                                                   const Options& options);

/// Detectors by name. Where i-match is asked for and no lexicon is configured, one is made of
/// `pages`.
base::Result<std::vector<std::unique_ptr<contentseen::Detector>>> MakeDetectors(
    std::span<const std::string> names, std::span<const SourcedPage> pages,
    const Options& options);

/// The pages as each of the detectors sees them: result[detector][page]. Each text is analysed
/// once.
std::vector<std::vector<JudgedPage>> SketchPages(
    std::span<const SourcedPage> pages,
    std::span<const std::unique_ptr<contentseen::Detector>> detectors, const Options& options);

}  // namespace crawler

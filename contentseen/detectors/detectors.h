#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/options.h"

namespace contentseen {

/// The methods that can be chosen, as the configuration spells them; the default first.
std::span<const std::string_view> DetectorNames();

/// A detector by its name, with the parameters in `options`.
///
///     auto detector = MakeDetector("shingling", options);
///     if (!detector) return base::Fail(detector.error().message);
///
/// Fails when there is none of that name, memory is refused, or a file it needs cannot be read.
/// REQUIRES: valid options (`options.detector` is not looked at).
base::Result<std::unique_ptr<Detector>> MakeDetector(std::string_view name,
                                                     const ContentSeenOptions& options);

}  // namespace contentseen

#pragma once

#include <string_view>

#include "base/result.h"
#include "crawler/pipeline/robots_cache.h"
#include "parser/robots_txt.h"
#include "store/store.h"

namespace crawler {

/// Keeps what an origin's robots.txt answered: the file as it was read (empty where there is
/// none),
void PutRobots(std::string_view origin, std::string_view file, store::Batch& batch);
/// or why it was given up.
void PutRobotsGivenUp(std::string_view origin, const RobotsCache::Denial& denial,
                      store::Batch& batch);

/// Teaches `cache` all that was kept. Fails when it cannot be read.
base::Status RestoreRobots(const store::Store& store, const parser::RobotsLimits& limits,
                           RobotsCache& cache);

}  // namespace crawler

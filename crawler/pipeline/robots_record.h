#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "crawler/pipeline/robots_cache.h"
#include "store/store.h"

namespace crawler {

/// Keeps what an origin's robots.txt answered: the file as it was read (empty where there is
/// none),
void PutRobots(std::string_view origin, std::string_view file, store::Batch& batch);
/// or why it was given up.
void PutRobotsGivenUp(std::string_view origin, const RobotsCache::Denial& denial,
                      store::Batch& batch);

/// Reads it: the file, or why it was given up; nothing where nothing was kept. Fails where the
/// store is damaged.
base::Result<std::optional<std::variant<std::string, RobotsCache::Denial>>> ReadRobots(
    const store::Store& store, std::string_view origin);

}  // namespace crawler

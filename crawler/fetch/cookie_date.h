#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace crawler {

/// The date of a cookie's Expires, read as leniently as RFC 6265 section 5.1.1 asks: day, month,
/// year and time in any order, whatever stands between them. Nothing where one of them is missing
/// or out of range.
///
/// Thread safety: pure. Cost: linear.
std::optional<base::WallTime> ParseCookieDate(std::string_view text);

}  // namespace crawler

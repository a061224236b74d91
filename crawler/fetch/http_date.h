#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace crawler {

/// An HTTP date in any of the three formats a recipient must take (RFC 9110 section 5.6.7):
/// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994".
/// A two-digit year that seems to be more than 50 years after `now` is in the past. Nothing for
/// anything else. The day's name is not compared with the date. What lies before 1970 or after
/// 2262 is given as the nearest day between.
std::optional<base::WallTime> ParseHttpDate(std::string_view text, base::WallTime now);

/// How long a Retry-After value (RFC 9110 section 10.2.3: seconds or a date) asks to wait from
/// `now` on: 0 for a date in the past, at most `most` whatever it says; nothing for garbage.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, base::WallTime now,
                                                    std::chrono::seconds most);

}  // namespace crawler

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crawler {

/// How durations, byte sizes and times are written in the configuration, on the command line and
/// in the logs.
///
///     ParseDuration("1.5s")   -> 1,500 ms        FormatDuration(90s)          -> "90s"
///     ParseBytes("2 MiB")     -> 2,097,152       FormatBytes(2'097'152)       -> "2 MiB"
///     ParseTime("2026-01-01T00:00:00Z")          FormatTime(...)              -> the same
///
/// Parsing gives nothing for text that is not wholly what it should be, or does not fit. What
/// Format...() writes, Parse...() reads back exactly, for durations of whole microseconds.
///
/// Thread safety: pure functions. Cost: linear in the text.

/// A number and a unit: ns, us, ms, s, min, h or d; a bare number is seconds. Not negative.
std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);
/// In the largest unit that gives a whole number.
std::string FormatDuration(std::chrono::nanoseconds duration);

/// A number and a unit: B, KiB, MiB, GiB, TiB (powers of 1024), kB, MB, GB, TB (powers of 1000); a
/// bare number is bytes.
std::optional<std::uint64_t> ParseBytes(std::string_view text);
/// In the largest power-of-1024 unit that gives a whole number.
std::string FormatBytes(std::uint64_t bytes);

/// 1234567 as "1,234,567".
std::string Grouped(std::int64_t number);
std::string Grouped(std::uint64_t number);

/// RFC 3339 date and time, with any fraction (kept to a microsecond) and any offset.
std::optional<std::chrono::system_clock::time_point> ParseTime(std::string_view text);
/// RFC 3339 in UTC with milliseconds, e.g. "2026-01-01T00:00:00.000Z".
std::string FormatTime(std::chrono::system_clock::time_point time);

}  // namespace crawler

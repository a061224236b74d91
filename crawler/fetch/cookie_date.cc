#include "crawler/fetch/cookie_date.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.h"

namespace crawler {
namespace {

// RFC 6265 section 5.1.1: what separates tokens.
bool IsDelimiter(char c) {
  return c == '\t' || (c >= 0x20 && c <= 0x2F) || (c >= 0x3B && c <= 0x40) ||
         (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

// A number of `least` to `most` digits at the front, and no digit behind it.
std::optional<int> TakeNumber(std::string_view& text, std::size_t least, std::size_t most) {
  const auto* end = std::find_if_not(text.begin(), text.end(), base::IsDigit);
  const auto digits = static_cast<std::size_t>(end - text.begin());
  if (digits < least || digits > most) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) value = value * 10 + (c - '0');
  text.remove_prefix(digits);
  return value;
}

/// The parts of a date, as far as they were found.
struct Found {
  std::optional<std::array<int, 3>> time;
  std::optional<int> day;
  std::optional<int> month;
  std::optional<int> year;

  bool TakeTime(std::string_view token) {
    std::array<int, 3> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) {
        if (!token.starts_with(':')) return false;
        token.remove_prefix(1);
      }
      const std::optional<int> part = TakeNumber(token, 1, 2);
      if (!part) return false;
      parts[i] = *part;
    }
    time = parts;
    return true;
  }
  bool TakeMonth(std::string_view token) {
    constexpr std::array<std::string_view, 12> kMonths = {
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
    const auto* found = std::find_if(kMonths.begin(), kMonths.end(), [token](auto name) {
      return base::EqualsIgnoreCase(token.substr(0, 3), name);
    });
    if (found == kMonths.end()) return false;
    month = static_cast<int>(found - kMonths.begin()) + 1;
    return true;
  }
  // A token is the first part that it can be and that is still missing.
  void Take(std::string_view token) {
    if (!time && TakeTime(token)) return;
    std::string_view rest = token;
    if (!day && (day = TakeNumber(rest, 1, 2))) return;
    if (!month && TakeMonth(token)) return;
    rest = token;
    if (!year) year = TakeNumber(rest, 2, 4);
  }
};

}  // namespace

std::optional<base::WallTime> ParseCookieDate(std::string_view text) {
  Found found;
  while (!text.empty()) {
    const auto* end = std::find_if(text.begin(), text.end(), IsDelimiter);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 0) found.Take(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  if (!found.time || !found.day || !found.month || !found.year) return std::nullopt;
  const auto [hour, minute, second] = *found.time;
  const int year = *found.year + (*found.year > 99 ? 0 : *found.year >= 70 ? 1900 : 2000);
  if (year < 1601 || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(*found.month)),
                                         std::chrono::day(static_cast<unsigned>(*found.day))};
  if (!date.ok()) return std::nullopt;
  // A clock of nanoseconds ends in 2262.
  const std::chrono::sys_days day = std::min<std::chrono::sys_days>(
      date, std::chrono::sys_days(std::chrono::year(2262) / 1 / 1));
  const auto seconds = day.time_since_epoch() + std::chrono::hours(hour) +
                       std::chrono::minutes(minute) + std::chrono::seconds(second);
  if (day < std::chrono::sys_days(std::chrono::year(1970) / 1 / 1)) return base::WallTime{};
  return base::WallTime(seconds);
}

}  // namespace crawler

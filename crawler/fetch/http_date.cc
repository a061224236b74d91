#include "crawler/fetch/http_date.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "base/whole_number.h"

namespace crawler {
namespace {

using std::chrono::seconds;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Takes a date apart from its front; remembers whether every piece was there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void Literal(std::string_view literal) {
    ok_ = ok_ && text_.substr(0, literal.size()) == literal;
    if (ok_) text_.remove_prefix(literal.size());
  }
  /// Letters up to something else; at least three.
  void Word() {
    std::size_t length = 0;
    while (length < text_.size() && base::IsAlpha(text_[length])) ++length;
    ok_ = ok_ && length >= 3;
    if (ok_) text_.remove_prefix(length);
  }
  /// Exactly `digits` digits; the first may be a space if `padded`.
  int Number(int digits, bool padded = false) {
    int value = 0;
    for (int i = 0; ok_ && i < digits; ++i) {
      const char c = text_.empty() ? '\0' : text_.front();
      const bool blank = padded && i == 0 && c == ' ';
      ok_ = blank || base::IsDigit(c);
      if (!ok_) return 0;
      value = value * 10 + (blank ? 0 : c - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  unsigned Month() {
    const auto* found = std::find(kMonths.begin(), kMonths.end(), text_.substr(0, 3));
    ok_ = ok_ && found != kMonths.end();
    if (!ok_) return 1;
    text_.remove_prefix(3);
    return static_cast<unsigned>(found - kMonths.begin()) + 1;
  }
  seconds TimeOfDay() {
    const int hour = Number(2);
    Literal(":");
    const int minute = Number(2);
    Literal(":");
    const int second = Number(2);  // 60 is a leap second
    ok_ = ok_ && hour <= 23 && minute <= 59 && second <= 60;
    return std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
  }
  bool Done() const { return ok_ && text_.empty(); }

 private:
  std::string_view text_;
  bool ok_ = true;
};

struct Date {
  int year = 0;
  unsigned month = 1;
  int day = 0;
  seconds time{0};

  std::optional<base::WallTime> ToWallTime() const {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(year), std::chrono::month(month),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    // A clock of nanoseconds ends in 2262, and so does the difference of two of its times.
    const sys_days nearest = std::clamp<sys_days>(date, sys_days{}, sys_days(2262y / 1 / 1));
    return base::WallTime(nearest.time_since_epoch() + time);
  }
};

std::optional<base::WallTime> ParseFixdate(std::string_view text) {
  Scanner scan(text);
  Date date;
  scan.Word();
  scan.Literal(", ");
  date.day = scan.Number(2);
  scan.Literal(" ");
  date.month = scan.Month();
  scan.Literal(" ");
  date.year = scan.Number(4);
  scan.Literal(" ");
  date.time = scan.TimeOfDay();
  scan.Literal(" GMT");
  return scan.Done() ? date.ToWallTime() : std::nullopt;
}

std::optional<base::WallTime> ParseRfc850(std::string_view text, base::WallTime now) {
  Scanner scan(text);
  Date date;
  scan.Word();
  scan.Literal(", ");
  date.day = scan.Number(2);
  scan.Literal("-");
  date.month = scan.Month();
  scan.Literal("-");
  const int two_digits = scan.Number(2);
  scan.Literal(" ");
  date.time = scan.TimeOfDay();
  scan.Literal(" GMT");
  if (!scan.Done()) return std::nullopt;
  const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
  const int this_year = static_cast<int>(today.year());
  date.year = this_year / 100 * 100 + two_digits;
  if (date.year > this_year + 50) date.year -= 100;
  return date.ToWallTime();
}

std::optional<base::WallTime> ParseAsctime(std::string_view text) {
  Scanner scan(text);
  Date date;
  scan.Word();
  scan.Literal(" ");
  date.month = scan.Month();
  scan.Literal(" ");
  date.day = scan.Number(2, /*padded=*/true);
  scan.Literal(" ");
  date.time = scan.TimeOfDay();
  scan.Literal(" ");
  date.year = scan.Number(4);
  return scan.Done() ? date.ToWallTime() : std::nullopt;
}

}  // namespace

std::optional<base::WallTime> ParseHttpDate(std::string_view text, base::WallTime now) {
  if (auto date = ParseFixdate(text)) return date;
  if (auto date = ParseRfc850(text, now)) return date;
  return ParseAsctime(text);
}

std::optional<seconds> ParseRetryAfter(std::string_view value, base::WallTime now, seconds most) {
  value = base::Trim(value, base::kHttpBlanks);
  if (value.empty()) return std::nullopt;
  if (std::all_of(value.begin(), value.end(), base::IsDigit)) {
    const auto count = base::WholeNumber<seconds::rep>(value);
    return count ? std::min(seconds(*count), most) : most;
  }
  const auto date = ParseHttpDate(value, now);
  if (!date) return std::nullopt;
  return std::clamp(std::chrono::ceil<seconds>(*date - now), seconds(0), most);
}

}  // namespace crawler

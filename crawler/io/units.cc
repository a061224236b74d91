#include "crawler/io/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/whole_number.h"

namespace crawler {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array<Unit, 7> kTimeUnits = {{{"ns", 1},
                                             {"us", 1'000},
                                             {"ms", 1'000'000},
                                             {"s", 1'000'000'000},
                                             {"min", 60'000'000'000},
                                             {"h", 3'600'000'000'000},
                                             {"d", 86'400'000'000'000}}};
constexpr std::array<Unit, 9> kByteUnits = {{{"B", 1},
                                             {"KiB", 1ULL << 10},
                                             {"MiB", 1ULL << 20},
                                             {"GiB", 1ULL << 30},
                                             {"TiB", 1ULL << 40},
                                             {"kB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000},
                                             {"TB", 1'000'000'000'000}}};

std::string WithCommas(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// `number` `unit` as a multiple of the smallest unit; `bare` is the size of a unit left out.
std::optional<std::uint64_t> ParseAmount(std::string_view text, std::span<const Unit> units,
                                         std::uint64_t bare) {
  text = base::Trim(text, " ");
  std::size_t digits = text.find_first_not_of("0123456789.");
  std::string_view number = text.substr(0, digits);
  std::string_view unit =
      digits == text.npos ? std::string_view() : base::Trim(text.substr(digits), " ");
  if (number.empty()) return std::nullopt;
  std::uint64_t size = unit.empty() ? bare : 0;
  for (const Unit& known : units) {
    if (known.name == unit) size = known.size;
  }
  if (size == 0) return std::nullopt;

  if (const auto whole = base::WholeNumber<std::uint64_t>(number)) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(*whole, size, &product)) return std::nullopt;
    return product;
  }
  double real = 0;
  const char* end = number.data() + number.size();
  auto [stop, error] = std::from_chars(number.data(), end, real);
  if (error != std::errc() || stop != end) return std::nullopt;
  double product = std::round(real * static_cast<double>(size));
  if (!(product >= 0 && product < 9.2e18)) return std::nullopt;
  return static_cast<std::uint64_t>(product);
}

/// Two-digit and four-digit fields of a time stamp.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  int Number(std::size_t digits) {
    const std::string_view field = rest_.substr(0, digits);
    const auto value = base::WholeNumber<int>(field);
    if (field.size() != digits || !value) good_ = false;
    rest_.remove_prefix(field.size());
    return value.value_or(0);
  }
  /// Takes one character out of `allowed`; gives it in its upper case, 0 when it is another.
  char OneOf(std::string_view allowed) {
    if (rest_.empty() || allowed.find(rest_[0]) == allowed.npos) {
      good_ = false;
      return 0;
    }
    char taken = rest_[0];
    rest_.remove_prefix(1);
    return taken;
  }
  std::chrono::microseconds Fraction() {
    if (rest_.empty() || rest_[0] != '.') return std::chrono::microseconds(0);
    rest_.remove_prefix(1);
    int digits = 0;
    std::int64_t micros = 0;
    for (; !rest_.empty() && base::IsDigit(rest_[0]); rest_.remove_prefix(1)) {
      if (digits++ < 6) micros = micros * 10 + (rest_[0] - '0');
    }
    if (digits == 0) good_ = false;
    for (; digits < 6; ++digits) micros *= 10;
    return std::chrono::microseconds(micros);
  }
  bool AllRead() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  std::optional<std::uint64_t> amount = ParseAmount(text, kTimeUnits, 1'000'000'000);
  if (!amount || *amount > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(*amount));
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  std::int64_t count = duration.count();
  if (count == 0) return "0s";
  for (std::size_t i = kTimeUnits.size(); i-- > 0;) {
    auto size = static_cast<std::int64_t>(kTimeUnits[i].size);
    if (count % size == 0) return std::to_string(count / size).append(kTimeUnits[i].name);
  }
  return {};  // not reached: every count is a whole number of ns
}

std::optional<std::uint64_t> ParseBytes(std::string_view text) {
  return ParseAmount(text, kByteUnits, 1);
}

std::string Grouped(std::int64_t number) { return WithCommas(std::to_string(number)); }
std::string Grouped(std::uint64_t number) { return WithCommas(std::to_string(number)); }

std::string FormatBytes(std::uint64_t bytes) {
  std::size_t unit = 0;
  while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes).append(" ").append(kByteUnits[unit].name);
}

std::optional<std::chrono::system_clock::time_point> ParseTime(std::string_view text) {
  Fields fields(text);
  int year = fields.Number(4);
  fields.OneOf("-");
  int month = fields.Number(2);
  fields.OneOf("-");
  int day = fields.Number(2);
  fields.OneOf("Tt ");
  int hour = fields.Number(2);
  fields.OneOf(":");
  int minute = fields.Number(2);
  fields.OneOf(":");
  int second = fields.Number(2);
  std::chrono::microseconds fraction = fields.Fraction();
  char zone = fields.OneOf("Zz+-");
  std::chrono::minutes offset(0);
  if (zone == '+' || zone == '-') {
    int hours = fields.Number(2);
    fields.OneOf(":");
    int minutes = fields.Number(2);
    if (hours > 23 || minutes > 59) return std::nullopt;
    offset = std::chrono::minutes((hours * 60 + minutes) * (zone == '-' ? -1 : 1));
  }
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  // 60 is a leap second (RFC 3339 section 5.6).
  if (!fields.AllRead() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  // 2262 is where the nanoseconds of system_clock end.
  if (year < 1700 || year > 2261) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + fraction - offset;
}

std::string FormatTime(std::chrono::system_clock::time_point time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

}  // namespace crawler

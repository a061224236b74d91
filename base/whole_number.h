#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace base {

/// The number that `digits` are in base `radix`: all of the text, without a sign, a prefix or
/// white space. Nothing for any other text, and for a number that T does not hold.
///
///     WholeNumber<std::uint16_t>("8080");    // 8080
///     WholeNumber<std::uint16_t>("65536");   // nothing
///     WholeNumber<std::uint64_t>("ff", 16);  // 255
///
/// Thread safety: pure.
template <std::integral T>
std::optional<T> WholeNumber(std::string_view digits, int radix = 10) {
  T number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, radix);
  if (error != std::errc() || stop != end || digits.front() == '-') return std::nullopt;
  return number;
}

}  // namespace base

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace contentseen {

/// Lower-case hex digits, two a byte.
std::string ToHex(std::span<const std::uint8_t> bytes);

/// Fills `bytes` from hex digits of either case; false unless there are exactly two a byte.
bool FromHex(std::string_view hex, std::span<std::uint8_t> bytes);

}  // namespace contentseen

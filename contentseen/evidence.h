#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace contentseen {

/// How far two documents agree by one measure: `equal` of `total` things, e.g. 4 of 6
/// supershingles.
struct Agreement {
  /// What was counted, in the plural; a literal. Empty: nothing was.
  std::string_view things{};
  std::uint32_t equal = 0;
  std::uint32_t total = 0;

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

/// What a detector found in favour of two documents being one: a second measure where the method
/// takes one.
struct Evidence {
  Agreement first{};
  Agreement second{};

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

/// `a` speaks louder than `b` does: the larger part equal by the first measure, then by the
/// second. A strict weak order among the evidence of one detector.
bool IsStronger(const Evidence& a, const Evidence& b);

/// As logs show it: "4 of 6 supershingles, 371 of 384 bits"; empty when there is none.
std::string Format(const Evidence& evidence);

/// Which part of a page's text its signature was made of.
enum class Basis : std::uint8_t {
  kWholeText,  // all of it; also where too little was left of the main text
  kMainText,   // boilerplate left out
  kOwnText,    // also what the host repeats on page after page
};

/// As the logs spell it: "whole-text", "main-text", "own-text".
std::string_view Name(Basis basis);

}  // namespace contentseen

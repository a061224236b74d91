#include "contentseen/evidence.h"

#include <compare>

namespace contentseen {
namespace {

std::string Format(const Agreement& agreement) {
  return std::to_string(agreement.equal) + " of " + std::to_string(agreement.total) + " " +
         std::string(agreement.things);
}

// The order of equal / total.
std::strong_ordering Order(const Agreement& a, const Agreement& b) {
  const auto left = std::uint64_t{a.equal} * b.total;
  const auto right = std::uint64_t{b.equal} * a.total;
  return left <=> right;
}

}  // namespace

bool IsStronger(const Evidence& a, const Evidence& b) {
  const std::strong_ordering first = Order(a.first, b.first);
  return first != 0 ? first > 0 : Order(a.second, b.second) > 0;
}

std::string Format(const Evidence& evidence) {
  std::string text;
  if (!evidence.first.things.empty()) text += Format(evidence.first);
  if (!evidence.second.things.empty()) {
    text += (text.empty() ? "" : ", ") + Format(evidence.second);
  }
  return text;
}

std::string_view Name(Basis basis) {
  switch (basis) {
    case Basis::kWholeText:
      break;
    case Basis::kMainText:
      return "main-text";
    case Basis::kOwnText:
      return "own-text";
  }
  return "whole-text";
}

}  // namespace contentseen

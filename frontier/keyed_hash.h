#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace frontier {

/// The hash of names that the web chooses: keyed, so that nobody can make them collide.
///
/// Thread safety: a value.
class KeyedHash {
 public:
  using is_transparent = void;
  explicit KeyedHash(std::uint64_t key) : key_(key) {}
  std::size_t operator()(std::string_view text) const;

 private:
  std::uint64_t key_;
};

/// Numbers by name; may be asked by string_view.
using NumberByName = std::unordered_map<std::string, std::uint32_t, KeyedHash, std::equal_to<>>;

}  // namespace frontier

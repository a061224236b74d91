#include "contentseen/fingerprint.h"

#include <array>

#include "base/hex.h"

namespace contentseen {

std::string FormatFingerprint(Fingerprint fingerprint) {
  std::array<std::uint8_t, 8> bytes{};
  for (int i = 7; i >= 0; --i, fingerprint >>= 8) {
    bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(fingerprint);
  }
  return base::ToHex(bytes);
}

std::optional<Fingerprint> ParseFingerprint(std::string_view hex) {
  std::array<std::uint8_t, 8> bytes{};
  if (!base::FromHex(hex, bytes)) return std::nullopt;
  Fingerprint fingerprint = 0;
  for (const std::uint8_t byte : bytes) fingerprint = fingerprint << 8 | byte;
  return fingerprint;
}

}  // namespace contentseen

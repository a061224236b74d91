#pragma once

#include <filesystem>

#include "base/result.h"

namespace store {

/// The file in a store's directory that says what its other files held when it was closed.
inline constexpr const char* kSealName = "SEAL";

/// Writes the seal of a store that was just closed: size and checksum of each file whose lost end
/// would else look like the end that a crash tears off. The files are synced first, so what
/// is sealed survives a loss of power.
///
///     db->Close();
///     base::Status sealed = Seal(directory);
///     ...
///     if (auto intact = CheckSeal(directory); !intact) return intact;
///     if (auto broken = BreakSeal(directory); !broken) return broken;
///     Open(directory);
///
/// Thread safety: none. Cost: reads the log of batches.
base::Status Seal(const std::filesystem::path& directory);

/// Fails when a file is not what it was when the store was closed, and names it. A store without a
/// seal passes: it is open, or its process died. Changes nothing; a process may open the store
/// meanwhile. Cost: as for Seal.
base::Status CheckSeal(const std::filesystem::path& directory);

/// From now on the store may change; whether there was a seal. REQUIRES: the caller is the only
/// one to write to it.
base::Result<bool> BreakSeal(const std::filesystem::path& directory);

}  // namespace store

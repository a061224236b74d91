#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace crawler {

/// Fails where writing `output` would destroy something that is read in the same run: where it is
/// one of `inputs` (by whatever name), or a file within one that is a directory. `what` names the
/// output in the sentence: "--kept".
///
///     if (auto free = SparesInputs("--html", path, {{pairs}}); !free) return free;
///
/// Cost: a few system calls for each input.
base::Status SparesInputs(const std::string& what, const std::string& output,
                          std::span<const std::string> inputs);

/// Fails where `output`, which need not be there yet, lies within one of `inputs` that is a
/// folder: for who reads all that is in it, and would read what is written.
base::Status StaysOutside(const std::string& what, const std::string& output,
                          std::span<const std::string> inputs);

}  // namespace crawler

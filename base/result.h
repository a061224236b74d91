#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace base {

/// Why an operation on a file, flag, disk or network failed: one sentence for the user that names
/// the place and, where there is one, the remedy. Outcomes of crawling a page are not errors (they
/// are crawler::Disposition), and a broken precondition is a CHECK.
struct Error {
  std::string message;
};

/// A value or an Error; becomes std::expected one day.
///
///     base::Result<Config> config = LoadConfig(path);
///     if (!config) return base::Fail(config.error().message);
template <class T>
using Result = tl::expected<T, Error>;

/// Success or an Error.
using Status = Result<void>;

/// The failing return of a Result or Status.
inline tl::unexpected<Error> Fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace base

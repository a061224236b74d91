#pragma once

#include <cstdint>

namespace crawler {

/// From now on `word` becomes 1 in the moment in which this thread dies by a fault of its own:
/// SIGSEGV (an overflown stack, too), SIGBUS, SIGFPE, SIGILL, or SIGABRT (a failed CHECK, an
/// exception that nobody catches). nullptr: it is at nothing more. Signals that another process
/// sends are no fault.
///
///     NoteFaultsIn(&slot.faulted);  // in memory that outlives the process: a mapped file
///     ... what may fault ...
///     NoteFaultsIn(nullptr);
///
/// The signal then goes its way as before: the process dies by it, with its core, or whoever had a
/// handler (a sanitizer) is called. The first call sets handlers for the whole process.
///
/// Thread safety: any. REQUIRES: `word` lasts until the next call. Cost: a store, and once in a
/// thread a signal stack of 64 KiB.
void NoteFaultsIn(std::uint32_t* word);

}  // namespace crawler

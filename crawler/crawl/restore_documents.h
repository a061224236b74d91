#pragma once

#include <cstdint>

#include "base/result.h"
#include "contentseen/content_seen.h"
#include "contentseen/document_id.h"
#include "store/store.h"

namespace crawler {

/// Gives `seen` back what an earlier process has put in the table of documents under ids greater
/// than `after`.
///
///     auto last = RestoreDocuments(store, *seen, contentseen::kNoDocument, threads);
///     if (!last) return base::Fail(last.error().message);
///     next = *last + 1;
///
/// Returns the greatest id there is, `after` where there is none after it. Fails when the table
/// cannot be read or holds a record that is none.
///
/// Cost: about a microsecond of a core for each document under SimHash; `threads` (from 1) share
/// the work, but for reading the table itself.
base::Result<contentseen::DocumentId> RestoreDocuments(const store::Store& store,
                                                       contentseen::ContentSeen& seen,
                                                       contentseen::DocumentId after,
                                                       std::uint32_t threads);

}  // namespace crawler

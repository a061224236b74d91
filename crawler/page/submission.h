#pragma once

#include <string_view>
#include <vector>

#include "contentseen/content_seen.h"
#include "contentseen/digest.h"
#include "contentseen/document_id.h"
#include "parser/document.h"

namespace crawler {

/// Makes of a parsed page what ContentSeen judges: its text, what of it is likely boilerplate, and
/// a number that stands for its host. The one place where the three rooms meet over a text, so
/// that a crawl and an evaluation judge alike.
///
///     SubmissionMaker maker;                       // one per thread, kept
///     seen.CheckAndInsert(maker.Make(id, body_digest, page.document, page.url().host()));
///
/// Thread safety: one thread at a time.
/// Ownership: a submission views `document` and the maker; it lives until either changes.
/// Cost: a few ns a block of text.
class SubmissionMaker {
 public:
  /// `host` is what the page's host is called, lower case; empty where unknown.
  contentseen::Submission Make(contentseen::DocumentId id, const contentseen::Digest& body,
                               const parser::Document& document, std::string_view host);

 private:
  std::vector<contentseen::Passage> passages_;
};

}  // namespace crawler

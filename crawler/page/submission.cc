#include "crawler/page/submission.h"

#include "parser/boilerplate.h"

namespace crawler {

contentseen::Submission SubmissionMaker::Make(contentseen::DocumentId id,
                                              const contentseen::Digest& body,
                                              const parser::Document& document,
                                              std::string_view host) {
  passages_.clear();
  passages_.reserve(document.blocks.size());
  for (const parser::TextBlock& block : document.blocks) {
    passages_.push_back({.begin = block.offset, .boilerplate = parser::BoilerplateOf(block)});
  }
  return {.id = id,
          .body = body,
          .text = document.text,
          .passages = passages_,
          .host = host.empty() ? 0 : contentseen::Sha256(host).Key().high,
          .title = document.title};
}

}  // namespace crawler

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "parser/document.h"
#include "parser/document_builder.h"
#include "parser/text_references.h"

namespace parser {

/// Gumbo's tree of one page at a time, all of it in one arena that is reused. Gumbo stands behind
/// this header and in no other file.
///
/// Gumbo is superlinear and recursive on hostile input (60 KB of "<b>" take 3.1 GB by default;
/// gumbo_destroy_output overflows the stack on deep trees), so: no error list; all memory from a
/// bump arena whose budget, and whose look at the thread's CPU clock, end a parse by longjmp
/// (nothing leaks: everything Gumbo holds lies in the arena); the tree is dropped with the arena
/// and never destroyed node by node; the walk keeps no stack.
///
/// Debian's Gumbo has its assertions compiled in, and pages have been found that fail one. So a
/// failed assertion ends a parse in the same way: html_tree.cc defines the C library's function
/// for it, which does what it always did on a thread that is not in Build().
///
///     HtmlTree tree(64 << 20);
///     if (tree.Build(html, 200ms) == FallbackReason::kNone) tree.Walk(references, &builder);
///
/// Thread safety: none.
/// Ownership: the tree refers to `html` until the next Build().
/// Cost: reserves address space for its budget once; keeps up to 8 MiB of it resident.
class HtmlTree {
 public:
  explicit HtmlTree(std::size_t memory_bytes_max);
  ~HtmlTree();
  HtmlTree(const HtmlTree&) = delete;
  HtmlTree& operator=(const HtmlTree&) = delete;

  /// Parses `html`; kNone, kMemory, kTime or kFault.
  /// REQUIRES: well-formed UTF-8, and one readable byte behind its end (Gumbo looks at it).
  FallbackReason Build(std::string_view html, std::chrono::microseconds cpu_time_max);

  /// Hands the tree of the last Build() to `builder`, with what the marks in it stand for.
  /// REQUIRES: it returned kNone.
  void Walk(const TextReferences& references, DocumentBuilder* builder) const;

  /// Bytes of memory that the last Build() asked for.
  std::size_t bytes() const;

  /// Ends the Build() that this thread is in with kFault; returns when it is in none.
  static void LeaveFailedParse();

 private:
  class Arena;
  struct Output;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Output> output_;
};

}  // namespace parser

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "contentseen/content_seen.h"
#include "contentseen/digest.h"
#include "crawler/dedup/dedup_corpus.h"
#include "crawler/fetch/body_decoder.h"
#include "parser/document.h"
#include "parser/html_parser.h"
#include "parser/mime_sniff.h"

namespace crawler {

/// How the documents of a corpus are read.
struct DedupReading {
  /// Of a JSON line: the text, and what names it.
  std::string text_field = "text";
  std::string url_field = "url";
  /// Of what has no URL; none: nobody knows, and each may be of another.
  std::string host;
  /// Decoded body of a page.
  std::size_t body_bytes_max = std::size_t{2} << 20;
  /// Judge pages too that ask not to be indexed; a crawl does not.
  bool judge_noindex = false;
  parser::ParseOptions parse;
};

/// The reason of what asks not to be indexed. Where only the page says so, `body` is known, for
/// the same bytes may have been judged before: a crawl asks for them before it parses.
inline constexpr std::string_view kNoindex = "noindex";

/// The reason of a line of JSON whose DedupReading::text_field is not there, or is no text.
inline constexpr std::string_view kNoText = "no such field";

/// A document of a corpus, ready to be judged.
struct DedupDocument {
  /// Why it is not judged, in a word or two; empty when it is.
  std::string_view why_not;
  /// What is wrong with a line that cannot be read as a JSON object; empty of all else.
  std::string damage;
  std::string name;
  std::string host;
  contentseen::Digest body;
  /// Its bytes were judged before: `page` was not read.
  bool known = false;
  parser::Document page;
  /// A WARC revisit: its bytes are those of a record before it with this payload.
  bool is_revisit = false;
  /// The payload digest that the record names; of a response it was held against the payload.
  std::string payload;
  bool payload_wrong = false;
};

/// Makes documents of a corpus's items as the crawl makes pages of responses: what it would not
/// judge (redirects, errors, robots.txt, images, what asks not to be indexed, what is not whole)
/// is not judged here. A response that a crawl of ours has not judged says so (kDispositionField),
/// and is not judged for that reason: what its page said to that crawl does not show in it. Not
/// whole is what WARC-Truncated says it of, a segment of a record, a body that ends before its
/// Content-Length or its last chunk, and a part of a page (206). A line of JSON is read
/// that is an object of well-formed UTF-8, nested 64 deep at most and without a number beyond the
/// range of doubles; of a surrogate escaped without its other half U+FFFD is read.
///
///     DedupReader reader(options, seen);              // one per thread, kept
///     DedupDocument document = reader.Read(item);
///
/// Thread safety: one thread at a time. Ownership: `seen` must outlive it. Memory: some times the
/// item's own, whatever it holds; a page's is the parser's.
class DedupReader {
 public:
  DedupReader(const DedupReading& options, const contentseen::ContentSeen& seen)
      : options_(options), seen_(seen), html_(options.parse) {}

  DedupDocument Read(const CorpusItem& item);

 private:
  void ReadRecord(const CorpusItem& item, DedupDocument& document);
  void ReadResponse(const CorpusItem& item, DedupDocument& document);
  void ReadLine(const CorpusItem& item, DedupDocument& document);
  void ReadPage(std::string_view content_type, std::string_view body, bool noindex,
                DedupDocument& document);
  std::optional<std::string_view> Decoded(std::string_view coding, std::string_view body);

  const DedupReading options_;
  const contentseen::ContentSeen& seen_;
  parser::HtmlParser html_;
  BodyDecoder decoder_;
  std::string joined_;
  std::string decoded_;
};

}  // namespace crawler

#include "parser/html_parser.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "parser/character_references.h"
#include "parser/charset.h"
#include "parser/document_builder.h"
#include "parser/html_tree.h"
#include "parser/plain_scan.h"
#include "parser/prefilter.h"

namespace parser {
namespace {

/// Offsets in a Document have 32 bits; no body comes near that.
constexpr std::size_t kBodyBytesMax = std::size_t{1} << 30;

PrefilterOptions PrefilterOptionsOf(const ParseOptions& options) {
  return {options.depth_max, options.attributes_max, options.prefilter};
}

}  // namespace

class HtmlParser::Impl {
 public:
  explicit Impl(ParseOptions options)
      : options_(std::move(options)),
        prefilter_(PrefilterOptionsOf(options_)),
        tree_(options_.memory_bytes_max) {}

  Document Parse(std::string_view body, const ParseHints& hints) {
    body = body.substr(0, kBodyBytesMax);
    MimeType type;
    const bool typed = ParseMimeType(hints.content_type, &type);
    const bool plain = hints.kind == ContentKind::kPlainText;
    const CharsetChoice charset =
        ChooseCharset(body, typed ? type.Parameter("charset") : "", /*html=*/!plain);
    const std::string_view text = decoder_.Decode(body, charset, &decoded_);

    Document document = plain ? ReadPlainText(text) : ReadHtml(text, hints.kind);
    for (Link& link : document.links) decoder_.EncodeQuery(charset.encoding, &link.href);
    document.charset = Name(charset.encoding);
    document.charset_source = charset.source;
    return document;
  }

 private:
  Document ReadPlainText(std::string_view text) {
    DocumentBuilder builder(options_);
    PlainText(text, &builder);
    return builder.Finish();
  }

  Document ReadHtml(std::string_view html, ContentKind kind) {
    const bool xml = kind == ContentKind::kXhtml;
    const FallbackReason reason = BuildTree(html, xml);
    DocumentBuilder builder(options_);
    if (reason == FallbackReason::kNone) {
      tree_.Walk(prefilter_.references(), &builder);
    } else {
      PlainScan(html, xml, &builder);
    }
    Document document = builder.Finish();
    document.outcome =
        reason == FallbackReason::kNone ? ParseOutcome::kFull : ParseOutcome::kFallback;
    document.fallback_reason = reason;
    document.tree_bytes = tree_bytes_;
    return document;
  }

  FallbackReason BuildTree(std::string_view html, bool xml) {
    tree_bytes_ = 0;
    html = WithoutWildReferences(html, &tamed_);
    if (!prefilter_.Run(html, xml)) return FallbackReason::kDepth;
    const std::string_view kept = prefilter_.output();
    if (kept.size() > options_.tree_input_bytes_max) return FallbackReason::kSize;
    const FallbackReason reason = tree_.Build(kept, options_.cpu_time_max);
    tree_bytes_ = tree_.bytes();
    return reason;
  }

  const ParseOptions options_;
  Decoder decoder_;
  std::string decoded_;
  std::string tamed_;
  Prefilter prefilter_;
  HtmlTree tree_;
  std::uint64_t tree_bytes_ = 0;
};

HtmlParser::HtmlParser(ParseOptions options) {
  CHECK(options.memory_bytes_max > 0 && options.depth_max > 0);
  impl_ = std::make_unique<Impl>(std::move(options));
}

HtmlParser::~HtmlParser() = default;

Document HtmlParser::Parse(std::string_view body, const ParseHints& hints) {
  return impl_->Parse(body, hints);
}

}  // namespace parser

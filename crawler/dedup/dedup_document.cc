#include "crawler/dedup/dedup_document.h"

#include <nlohmann/json.hpp>
#include "crawler/warc/warc_http.h"
#include "crawler/warc/warc_record.h"
#include "frontier/url.h"
#include "parser/robots_directives.h"

namespace crawler {

DedupDocument DedupReader::Read(const CorpusItem& item) {
  DedupDocument document;
  document.name = item.name;
  document.host = options_.host;
  switch (item.form) {
    case CorpusItem::Form::kWarc:
      ReadRecord(item, document);
      break;
    case CorpusItem::Form::kFile:
      if (item.cut) {
        document.why_not = item.bytes.size() > options_.body_bytes_max ? "too large" : "not whole";
      } else {
        const bool plain = PageFormOf(item.name) == PageForm::kPlain;
        ReadPage(plain ? "text/plain" : "text/html", item.bytes, false, document);
      }
      break;
    case CorpusItem::Form::kJsonLine:
      ReadLine(item, document);
      break;
  }
  return document;
}

void DedupReader::ReadRecord(const CorpusItem& item, DedupDocument& document) {
  const WarcReadRecord& record = item.record;
  const auto url = frontier::Url::Parse(item.name, frontier::UrlRules::Longest());
  if (url) document.host = url->host();
  const std::string type = record.Type();
  if (url && url->path() == "/robots.txt") {
    document.why_not = "robots.txt";
  } else if (type == "revisit") {
    document.is_revisit = true;
    document.payload = record.Field("WARC-Payload-Digest");
  } else if (item.cut || !record.Field("WARC-Truncated").empty()) {
    document.why_not = "not whole";
  } else if (type == "response") {
    ReadResponse(item, document);
  } else {
    ReadPage(record.Field("Content-Type"), record.block, false, document);
  }
}

void DedupReader::ReadResponse(const CorpusItem& item, DedupDocument& document) {
  const auto http = ParseWarcHttp(item.record.block);
  if (!http) {
    document.why_not = "not HTTP";
    return;
  }
  std::string_view body = http->body;
  if (!http->Header("transfer-encoding").empty()) {
    if (auto joined = JoinedChunks(body)) {
      joined_ = std::move(*joined);
      body = joined_;
    }
  }
  const std::string_view label = item.record.Field("WARC-Payload-Digest");
  const auto right = DigestMatches(label, body);
  // Many writers digest the chunks with the rest.
  document.payload_wrong = right == false && DigestMatches(label, http->body) != true;
  document.payload = label.empty() ? LabelledDigest(WarcDigest::kSha1, body) : std::string(label);
  if (document.payload_wrong) document.payload.clear();
  if (http->status < 200 || http->status > 299) {
    document.why_not = http->status >= 300 && http->status < 400 ? "redirect" : "HTTP error";
    return;
  }
  const auto decoded = Decoded(http->Header("content-encoding"), body);
  if (!decoded) {
    document.why_not = "coding";
    return;
  }
  parser::RobotsDirectives asked;
  for (const auto& [name, value] : http->headers) {
    if (name != "x-robots-tag") continue;
    asked = asked | parser::ParseXRobotsTag(value, options_.parse.product_token);
  }
  if (asked.noindex && asked.nofollow && !options_.judge_noindex) {
    document.why_not = kNoindex;
    return;
  }
  ReadPage(http->Header("content-type"), *decoded, asked.noindex, document);
}

std::optional<std::string_view> DedupReader::Decoded(std::string_view coding,
                                                     std::string_view body) {
  const ContentCoding kind = ParseContentCoding(coding);
  if (kind == ContentCoding::kIdentity || body.empty()) return body;
  if (kind == ContentCoding::kUnknown || kind == ContentCoding::kNested) return std::nullopt;
  decoded_.clear();
  decoder_.Start(kind, options_.body_bytes_max + 1);
  const BodyDecoder::State state = decoder_.Write(body, decoded_);
  if (state == BodyDecoder::State::kFull) return decoded_;  // ReadPage() finds it too large
  if (state != BodyDecoder::State::kMore || !decoder_.Ended()) return std::nullopt;
  return decoded_;
}

void DedupReader::ReadPage(std::string_view content_type, std::string_view body, bool noindex,
                           DedupDocument& document) {
  const parser::Sniffed sniffed = parser::SniffContent(content_type, body);
  if (sniffed.kind == parser::ContentKind::kOther && !body.empty()) {
    document.why_not = "not text";
    return;
  }
  if (body.size() > options_.body_bytes_max) {
    document.why_not = "too large";
    return;
  }
  document.body = contentseen::Sha256(body);
  document.known = seen_.FindExact(document.body).has_value();
  if (document.known) return;
  document.page = html_.Parse(body, {content_type, sniffed.kind});
  if ((document.page.noindex || noindex) && !options_.judge_noindex) document.why_not = kNoindex;
}

void DedupReader::ReadLine(const CorpusItem& item, DedupDocument& document) {
  if (item.cut) {
    document.why_not = "too large";
    return;
  }
  const auto json = nlohmann::json::parse(item.bytes, nullptr, false);
  const auto field = json.is_object() ? json.find(options_.text_field) : json.end();
  const std::string* found = field != json.end() ? field->get_ptr<const std::string*>() : nullptr;
  if (found == nullptr) {
    document.why_not = json.is_object() ? "no such field" : "not JSON";
    return;
  }
  const auto name = json.find(options_.url_field);
  if (name != json.end() && name->is_string()) {
    document.name = name->get<std::string>();
    if (const auto parsed = frontier::Url::Parse(document.name, frontier::UrlRules::Longest()))
      document.host = parsed->host();
  } else if (name != json.end() && name->is_number_integer()) {
    document.name = name->dump();  // some collections number their documents
  }
  document.body = contentseen::Sha256(*found);
  document.known = seen_.FindExact(document.body).has_value();
  document.page.text = *found;
}

}  // namespace crawler

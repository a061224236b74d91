#include "crawler/dedup/dedup_document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/hex.h"
#include "base/whole_number.h"
#include "crawler/fetch/fetcher.h"
#include "crawler/page/disposition.h"
#include "crawler/warc/warc_http.h"
#include "crawler/warc/warc_record.h"
#include "frontier/url.h"
#include "parser/robots_directives.h"

namespace crawler {
namespace {

constexpr std::string_view kNotJson = "not JSON";

/// Keeps two values of the object that a line of JSON is, and passes over all else. Of a key that
/// comes again the last counts.
///
/// Once something was refused, why_not() and damage() say why.
///
/// Memory: the line's own, whatever it holds.
class LineFields final : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// Objects and lists in one another; a line with more is refused.
  static constexpr int kDepthMax = 64;

  LineFields(std::string_view text_field, std::string_view url_field)
      : text_field_(text_field), url_field_(url_field) {}

  /// Nothing where there is no such field, or it is no string.
  std::optional<std::string>& text() { return text_; }
  /// A whole number counts too: some collections number their documents.
  std::optional<std::string>& url() { return url_; }

  /// As DedupDocument has them.
  std::string_view why_not() const { return why_not_; }
  std::string& damage() { return damage_; }

  bool null() override { return IsWithin(); }
  bool boolean(bool) override { return IsWithin(); }
  bool number_integer(number_integer_t value) override { return Number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Number(std::to_string(value)); }
  // Of a whole number too, where it is one of more than 64 bits.
  bool number_float(number_float_t, const string_t& spelled) override {
    if (spelled.find_first_of(".eE") == spelled.npos) return Number(spelled);
    return IsWithin();
  }
  bool string(string_t& value) override {
    if (is_url_) url_ = value;
    if (is_text_) text_ = std::move(value);
    return IsWithin();
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Enter(); }
  bool start_array(std::size_t) override { return IsWithin() && Enter(); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool key(string_t& value) override {
    is_text_ = depth_ == 1 && value == text_field_;
    is_url_ = depth_ == 1 && value == url_field_;
    if (is_text_) text_.reset();
    if (is_url_) url_.reset();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) return Refuse("number too large", "has too large a number");
    return Refuse(kNotJson, "is not JSON from byte " + std::to_string(position) + " on");
  }

 private:
  bool Refuse(std::string_view why_not, std::string damage) {
    why_not_ = why_not;
    damage_ = std::move(damage);
    return false;
  }
  bool IsWithin() { return depth_ > 0 || Refuse(kNotJson, "is no JSON object"); }
  bool Number(std::string value) {
    if (is_url_) url_ = std::move(value);
    return IsWithin();
  }
  // What is deeper is not the value of the key that stands before it.
  bool Enter() {
    is_text_ = is_url_ = false;
    return ++depth_ <= kDepthMax ||
           Refuse("nested too deeply",
                  "is nested more than " + std::to_string(kDepthMax) + " deep");
  }
  bool Leave() {
    --depth_;
    return true;
  }

  const std::string_view text_field_;
  const std::string_view url_field_;
  int depth_ = 0;
  bool is_text_ = false;  // the value that follows is the text
  bool is_url_ = false;
  std::optional<std::string> text_;
  std::optional<std::string> url_;
  std::string_view why_not_;
  std::string damage_;
};

/// The code unit of an escape "\uNNNN" that stands at `at`.
std::optional<unsigned> EscapedUnit(std::string_view json, std::size_t at) {
  std::array<std::uint8_t, 2> unit;
  if (json.substr(at, 2) != "\\u" || !base::FromHex(json.substr(at + 2, 4), unit)) return {};
  return unit[0] << 8 | unit[1];
}

/// Puts U+FFFD in the place of surrogates that are escaped and belong to no pair; false where none
/// are. Programs write them that cut a text between the two, and our parser refuses them.
bool ReplaceLoneSurrogates(std::string& json) {
  const auto is_low = [](unsigned unit) { return (unit & 0xfc00) == 0xdc00; };
  constexpr std::size_t kEscape = 6;
  bool any = false;
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const std::optional<unsigned> unit = EscapedUnit(json, at);
    if (!unit) {
      at += 2;  // the one after it is escaped, be it another of its kind
      continue;
    }
    const std::optional<unsigned> next = EscapedUnit(json, at + kEscape);
    if ((*unit & 0xf800) != 0xd800) {
      at += kEscape;
    } else if (!is_low(*unit) && next && is_low(*next)) {
      at += 2 * kEscape;
    } else {
      json.replace(at, kEscape, "\\ufffd");
      at += kEscape;
      any = true;
    }
  }
  return any;
}

// Why the crawl that wrote the record did not judge the page; empty where nobody says that. One of
// few words whatever stands there, for they are counted and shown. An empty page is no matter of
// the crawl: that it is one shows again.
std::string_view ReasonOfCrawl(const WarcReadRecord& record) {
  const std::string_view given = record.Field(kDispositionField);
  if (given.empty() || given == Name(Disposition::kEmpty)) return {};
  if (given == kRobotsDisposition) return kRobotsDisposition;
  for (std::size_t i = 0; i < kDispositions; ++i) {
    if (const auto name = Name(static_cast<Disposition>(i)); name == given) return name;
  }
  return "other disposition";
}

// Whether it begins as chunks do: with a size and the end of its line.
bool BeginsWithChunk(std::string_view body) {
  const std::size_t digits =
      std::min(body.find_first_not_of("0123456789abcdefABCDEF"), body.size());
  std::string_view rest = body.substr(digits);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));  // some fill it up
  return digits > 0 && (rest.starts_with("\r\n") || rest.starts_with(';'));
}

// Whether the head promises more than there is. Of what is chunked the chunks say that.
bool IsShorterThanPromised(const WarcHttp& http) {
  if (!http.Header("transfer-encoding").empty()) return false;
  const auto length = base::WholeNumber<std::uint64_t>(http.Header("content-length"));
  return length && http.body.size() < *length;
}

}  // namespace

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
    document.why_not = kRobotsDisposition;
  } else if (type == "revisit") {
    document.is_revisit = true;
    document.payload = record.Field("WARC-Payload-Digest");
  } else if (item.cut || !record.Field("WARC-Truncated").empty() ||
             !record.Field("WARC-Segment-Number").empty()) {
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
  bool is_whole = !IsShorterThanPromised(*http);
  if (!http->Header("transfer-encoding").empty()) {
    if (auto joined = JoinedChunks(body)) {
      joined_ = std::move(*joined);
      body = joined_;
    } else {
      is_whole = !BeginsWithChunk(body);  // others took the chunks apart and left the header
    }
  }
  const std::string_view label = item.record.Field("WARC-Payload-Digest");
  const auto right = DigestMatches(label, body);
  // Many writers digest the chunks with the rest.
  document.payload_wrong = right == false && DigestMatches(label, http->body) != true;
  document.payload = label.empty() ? LabelledDigest(WarcDigest::kSha1, body) : std::string(label);
  if (document.payload_wrong) document.payload.clear();
  const std::string_view given = ReasonOfCrawl(item.record);
  if (!given.empty() && !(given == kNoindex && options_.judge_noindex)) {
    document.why_not = given;
    return;
  }
  if (http->status < 200 || http->status > 299) {
    document.why_not = http->status >= 300 && http->status < 400 ? "redirect" : "HTTP error";
    return;
  }
  constexpr int kPartialContent = 206;
  if (!is_whole || http->status == kPartialContent) {
    document.why_not = "not whole";
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
  ReadPage(ContentTypeOf(http->headers), *decoded, asked.noindex, document);
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
  const auto read = [this](const std::string& line, std::optional<LineFields>& fields) {
    fields.emplace(options_.text_field, options_.url_field);
    return nlohmann::json::sax_parse(line, &*fields);
  };
  std::optional<LineFields> fields;
  bool is_read = read(item.bytes, fields);
  if (!is_read) {
    std::string mended = item.bytes;
    if (ReplaceLoneSurrogates(mended)) is_read = read(mended, fields);
  }
  if (!is_read || !fields->text()) {
    document.why_not = is_read ? kNoText : fields->why_not();
    document.damage = std::move(fields->damage());
    return;
  }
  if (fields->url()) {
    document.name = std::move(*fields->url());
    if (const auto parsed = frontier::Url::Parse(document.name, frontier::UrlRules::Longest()))
      document.host = parsed->host();
  }
  document.page.text = std::move(*fields->text());
  document.body = contentseen::Sha256(document.page.text);
  document.known = seen_.FindExact(document.body).has_value();
}

}  // namespace crawler

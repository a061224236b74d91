#include "crawler/warc/page_archive.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <system_error>

#include "base/ascii.h"
#include "base/whole_number.h"
#include "contentseen/digest.h"
#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_http.h"

namespace crawler {
namespace {

constexpr char kHttpResponse[] = "application/http; msgtype=response";
constexpr char kHttpRequest[] = "application/http; msgtype=request";
constexpr char kWarcFields[] = "application/warc-fields";
constexpr char kRevisitProfile[] =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

std::string_view LineOf(std::string_view text) {
  const std::size_t newline = text.find('\n');
  return newline == std::string_view::npos ? text : text.substr(0, newline + 1);
}

bool IsNamed(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         base::StartsWithIgnoreCase(line, name);
}

// HTTP/2 in the words of HTTP/1.1, the only ones that readers know. The version stands `at`.
std::string WithoutHttp2(std::string_view line, std::size_t at) {
  std::string text(line);
  if (!line.substr(at).starts_with("HTTP/2")) return text;
  const std::size_t end = line.find_first_of(" \r\n", at);
  return text.replace(at, end - at, "HTTP/1.1");
}
std::string StatusLine(std::string_view line) { return WithoutHttp2(line, 0); }
std::string RequestLine(std::string_view line) {
  return WithoutHttp2(line, line.rfind(' ') + 1);  // 0 where there is no blank
}

// The head as it is archived. The chunks were taken apart before we saw the body, so the field
// that announces them is masked, in the way others do it, and with it a length that never counted.
std::string ArchivedHead(std::string_view head) {
  const std::string_view first = LineOf(head);
  std::string archived = StatusLine(first);
  std::string_view rest = head.substr(first.size());
  bool chunked = false;
  for (std::string_view left = rest; !left.empty(); left.remove_prefix(LineOf(left).size())) {
    chunked = chunked || IsNamed(LineOf(left), "transfer-encoding");
  }
  for (; !rest.empty(); rest.remove_prefix(LineOf(rest).size())) {
    const std::string_view line = LineOf(rest);
    const bool masked =
        chunked && (IsNamed(line, "transfer-encoding") || IsNamed(line, "content-length"));
    archived.append(masked ? "X-Crawler-" : "").append(line);
  }
  return archived;
}

// The request as it is archived: archives are handed on, so of fields beyond those that every
// client sends, which may be credentials, the value is left out.
std::string ArchivedRequest(std::string_view request) {
  constexpr std::array<std::string_view, 7> kOpen = {
      "host",       "user-agent", "accept", "accept-encoding", "accept-language",
      "connection", "upgrade"};
  const std::string_view first = LineOf(request);
  std::string archived = RequestLine(first);
  std::string_view rest = request.substr(first.size());
  for (; !rest.empty(); rest.remove_prefix(LineOf(rest).size())) {
    const std::string_view line = LineOf(rest);
    const std::size_t colon = line.find(':');
    const bool open = colon == std::string_view::npos ||
                      std::any_of(kOpen.begin(), kOpen.end(),
                                  [line](std::string_view name) { return IsNamed(line, name); });
    if (open) {
      archived.append(line);
    } else {
      archived.append(line.substr(0, colon)).append(": ***\r\n");
    }
  }
  return archived;
}

bool IsWhole(std::string_view head) { return head.ends_with("\n\r\n") || head.ends_with("\n\n"); }

const std::string& PayloadOf(const FetchResponse& response) {
  return response.raw->coded ? response.raw->coded_body : response.body;
}

// Whether all came that was announced, whatever became of it here: it may not be what its coding
// says, or decode to more than is kept.
bool IsWholePayload(const FetchResponse& response) {
  const auto length = base::WholeNumber<std::size_t>(
      response.Header("content-length").value_or(std::string_view()));
  return length == PayloadOf(response).size() && !response.Header("transfer-encoding");
}

// Why a record's body is not all of it; empty when it is.
std::string_view Truncation(const FetchResponse& response) {
  if (IsWholePayload(response)) return {};
  if (response.body_cut) return "length";
  const bool counted = response.error != FetchError::kNone;
  switch (counted ? response.error : response.body_error) {
    case FetchError::kNone:
      return {};
    case FetchError::kTimeout:
      return "time";
    case FetchError::kReset:
      return "disconnect";
    default:
      return "unspecified";
  }
}

bool IsJudged(Disposition disposition) {
  const DispositionGroup group = GroupOf(disposition);
  return group == DispositionGroup::kStored || group == DispositionGroup::kSkipped;
}

WarcFields CaptureFields(const Page& page) {
  const FetchResponse& response = page.response;
  WarcFields fields;
  fields.emplace_back("WARC-Target-URI", page.url().text());
  if (!response.address.empty()) fields.emplace_back("WARC-IP-Address", response.address);
  if (response.http_version == "2") {
    fields.emplace_back("WARC-Protocol", "h2");
  } else if (!response.http_version.empty()) {
    fields.emplace_back("WARC-Protocol", "http/" + response.http_version);
  }
  const TlsSession& tls = response.raw->tls;
  if (!tls.version.empty()) fields.emplace_back("WARC-Protocol", "tls/" + tls.version);
  if (!tls.cipher_suite.empty()) fields.emplace_back("WARC-Cipher-Suite", tls.cipher_suite);
  return fields;
}

}  // namespace

base::Result<std::unique_ptr<PageArchive>> PageArchive::Open(
    WarcWriterOptions files, const WarcOptions& options, const base::Clock& clock,
    std::optional<WarcPosition> position) {
  files.file_bytes_max = options.warc_size;
  files.digest = options.warc_digest;
  auto writer = WarcWriter::Open(files, clock, position);
  if (!writer) return base::Fail(writer.error().message);
  return std::unique_ptr<PageArchive>(new PageArchive(std::move(*writer), options, clock));
}

// A body that came compressed would hardly get smaller.
WarcMember PageArchive::Compressed(const WarcRecord& record, bool coded) const {
  return {GzipMember(record.text(), coded ? 0 : options_.warc_level)};
}

ArchivedPage PageArchive::Begin(const Page& page) const {
  const FetchResponse& response = page.response;
  ArchivedPage records;
  records.id = WarcRecordId();
  records.date = clock_.WallNow() - std::chrono::duration_cast<base::WallTime::duration>(
                                        clock_.Now() - response.started);
  records.fields = CaptureFields(page);
  records.head = ArchivedHead(response.raw->response_head);
  return records;
}

ArchivedPage PageArchive::Prepare(const Page& page, Disposition disposition, int k) const {
  return Make(page, disposition, k,
              IsJudged(disposition) ? std::string_view() : Name(disposition));
}

ArchivedPage PageArchive::PrepareRobots(const Page& page) const {
  return Make(page, Disposition::kOtherStatus, 0, kRobotsDisposition);
}

ArchivedPage PageArchive::Make(const Page& page, Disposition disposition, int k,
                               std::string_view not_judged) const {
  const FetchResponse& response = page.response;
  // (An interim response, 1xx, that nothing came after is none.)
  if (!response.raw || response.status < 200 || !IsWhole(response.raw->response_head) ||
      response.error == FetchError::kStopped) {
    return {};
  }
  ArchivedPage records = Begin(page);
  const bool is_near = disposition == Disposition::kNear || disposition == Disposition::kExactText;
  records.not_judged = not_judged;
  records.may_be_copy = not_judged.empty();
  if (!is_near || options_.warc_near == WarcOptions::Near::kFull) {
    AddResponse(page, records);
    AddRequest(page, records);
  }
  if (is_near) AddMetadata(page, disposition, k, records);
  return records;
}

void PageArchive::AddResponse(const Page& page, ArchivedPage& records) const {
  const FetchResponse& response = page.response;
  const std::string& payload = PayloadOf(response);
  const std::string_view truncation = Truncation(response);

  CdxjEntry entry;
  entry.url = records.fields.front().second;
  entry.time = records.date;
  entry.mime = MediaType(response.ContentType());
  entry.status = response.status;
  entry.digest = LabelledDigest(options_.warc_digest, payload);
  if (payload.empty() || !truncation.empty()) records.may_be_copy = false;
  if (records.may_be_copy) {
    const bool known = !response.raw->coded && !page.body_digest.IsNone();
    entry.payload = (known ? page.body_digest : contentseen::Sha256(payload)).Key();
    if (auto original = files_->Original(entry.payload)) {
      records.may_be_copy = false;
      records.members.push_back(Revisit(records, entry, *original));
      return;
    }
  }
  WarcRecord record("response", records.date, records.id);
  for (const auto& [name, value] : records.fields) record.Add(name, value);
  record.Add("WARC-Payload-Digest", entry.digest);
  if (!truncation.empty()) record.Add("WARC-Truncated", truncation);
  if (!records.not_judged.empty()) record.Add(kDispositionField, records.not_judged);
  record.SetBlock(kHttpResponse, records.head + payload, options_.warc_digest);
  records.members.push_back(Compressed(record, response.raw->coded));
  records.members.back().entry = std::move(entry);
}

WarcMember PageArchive::Revisit(const ArchivedPage& page, const CdxjEntry& entry,
                                const WarcOriginal& original) const {
  WarcRecord record("revisit", page.date, page.id);
  for (const auto& [name, value] : page.fields) record.Add(name, value);
  record.Add("WARC-Profile", kRevisitProfile);
  record.Add("WARC-Refers-To", original.id);
  record.Add("WARC-Refers-To-Target-URI", original.url);
  record.Add("WARC-Refers-To-Date", original.date);
  record.Add("WARC-Payload-Digest", entry.digest);
  record.Add("WARC-Truncated", "length");
  record.SetBlock(kHttpResponse, page.head, options_.warc_digest);
  WarcMember member = Compressed(record);
  member.entry = entry;
  member.entry->mime = kRevisitMime;
  return member;
}

void PageArchive::AddRequest(const Page& page, ArchivedPage& records) const {
  const std::string& request = page.response.raw->request;
  if (request.empty()) return;
  WarcRecord record("request", records.date);
  for (const auto& [name, value] : records.fields) record.Add(name, value);
  record.Add("WARC-Concurrent-To", records.id);
  record.SetBlock(kHttpRequest, ArchivedRequest(request), options_.warc_digest);
  records.members.push_back(Compressed(record));
}

void PageArchive::AddMetadata(const Page& page, Disposition disposition, int k,
                              ArchivedPage& records) const {
  WarcRecord record("metadata", records.date);
  record.Add("WARC-Target-URI", records.fields.front().second);
  if (!records.members.empty()) record.Add("WARC-Concurrent-To", records.id);
  std::string block;
  auto add = [&block](std::string_view name, std::string_view value) {
    block.append(name).append(": ").append(value).append("\r\n");
  };
  if (page.candidate().referrer) add("via", page.candidate().referrer->text());
  add("contentseen-verdict", Name(disposition));
  add("contentseen-original", page.original.url);
  if (disposition == Disposition::kNear) {
    add("contentseen-distance", std::to_string(page.verdict.distance));
    add("contentseen-k", std::to_string(k));
  }
  record.SetBlock(kWarcFields, block, options_.warc_digest);
  records.members.push_back(Compressed(record));
}

base::Status PageArchive::Append(ArchivedPage& page) {
  if (page.members.empty()) return {};
  if (page.may_be_copy) {
    const CdxjEntry entry = page.members.front().entry.value_or(CdxjEntry{});
    auto written = files_->Append(page.members, true);
    if (!written) return base::Fail(written.error().message);
    if (*written) return {};
    if (auto original = files_->Original(entry.payload)) {
      page.members.front() = Revisit(page, entry, *original);
    }
  }
  auto written = files_->Append(page.members, false);
  return written ? base::Status() : base::Fail(written.error().message);
}

}  // namespace crawler

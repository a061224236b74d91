#include "crawler/fetch/response_head.h"

#include <cstdint>

#include "base/ascii.h"
#include "base/whole_number.h"

namespace crawler {
namespace {

std::string_view WithoutLineEnd(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// Whether the field says where the body ends.
bool IsFraming(std::string_view name) {
  return name == "content-length" || name == "transfer-encoding";
}

}  // namespace

void ResponseHead::Start(std::size_t bytes_max) {
  part_ = Part::kStatusLine;
  bytes_ = 0;
  bytes_max_ = bytes_max;
  interim_ = 0;
  status_ = 0;
  sloppy_framing_ = false;
  transfer_encoding_ = false;
  content_length_.reset();
  content_encoding_.clear();
  fault_.clear();
  fields_.clear();
}

FetchError ResponseHead::Refuse(FetchError error, std::string why) {
  fault_ = std::move(why);
  return error;
}

FetchError ResponseHead::AddLine(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > bytes_max_) {
    return Refuse(FetchError::kHeadersTooLarge,
                  "more than " + std::to_string(bytes_max_) + " bytes of headers");
  }
  line = WithoutLineEnd(line);
  switch (part_) {
    case Part::kStatusLine:
      return AddStatusLine(line);
    case Part::kFields:
      return line.empty() ? EndFields() : AddField(line);
    case Part::kTrailer:
      return FetchError::kNone;  // counted, otherwise of no use
  }
  return FetchError::kNone;
}

FetchError ResponseHead::AddStatusLine(std::string_view line) {
  const std::size_t space = line.find(' ');
  int status = 0;
  if (line.substr(0, 5) == "HTTP/" && space != std::string_view::npos) {
    const std::size_t begin = space + 1;
    const std::string_view code = line.substr(begin, line.find(' ', begin) - begin);
    if (code.size() == 3) status = base::WholeNumber<int>(code).value_or(0);
  }
  if (status < 100) return Refuse(FetchError::kProtocol, "not an HTTP status line");
  if (status == 101) {
    return Refuse(FetchError::kProtocol, "switches to a protocol that was not asked for");
  }
  status_ = status;
  part_ = Part::kFields;
  return FetchError::kNone;
}

FetchError ResponseHead::AddField(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {  // a folded line (RFC 9112 section 5.2)
    if (fields_.empty()) return FetchError::kNone;
    sloppy_framing_ = sloppy_framing_ || IsFraming(fields_.back().first);
    fields_.back().second.push_back(' ');
    fields_.back().second += base::Trim(line, base::kHttpBlanks);
    return FetchError::kNone;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = base::Trim(line.substr(0, colon), base::kHttpBlanks);
  if (colon == std::string_view::npos || name.empty()) return FetchError::kNone;
  auto& field = fields_.emplace_back();
  field.first = base::ToLower(name);
  field.second = base::Trim(line.substr(colon + 1), base::kHttpBlanks);
  const bool blank_before_colon = name.size() < colon;
  sloppy_framing_ = sloppy_framing_ || (blank_before_colon && IsFraming(field.first));
  return FetchError::kNone;
}

FetchError ResponseHead::EndFields() {
  if (status_ < 200) {
    status_ = 0;
    sloppy_framing_ = false;
    fields_.clear();
    part_ = Part::kStatusLine;
    if (++interim_ <= kInterimMax) return FetchError::kNone;
    return Refuse(FetchError::kProtocol,
                  "more than " + std::to_string(kInterimMax) + " interim (1xx) responses");
  }
  part_ = Part::kTrailer;
  if (sloppy_framing_) {
    return Refuse(FetchError::kProtocol,
                  "Content-Length or Transfer-Encoding is folded or has a blank before its colon");
  }
  for (const auto& [name, value] : fields_) {
    if (const FetchError error = Interpret(name, value); error != FetchError::kNone) return error;
  }
  if (coding() == ContentCoding::kNested) {
    return Refuse(FetchError::kBadEncoding,
                  "nested Content-Encoding \"" + content_encoding_ + "\"");
  }
  return FetchError::kNone;
}

FetchError ResponseHead::Interpret(std::string_view name, std::string_view value) {
  if (name == "content-length") return InterpretLength(value);
  if (name == "content-encoding") {
    if (!content_encoding_.empty()) content_encoding_ += ", ";
    content_encoding_ += value;
    return FetchError::kNone;
  }
  if (name == "transfer-encoding") {
    const std::string coding = base::ToLower(value);
    if (coding == "identity" || coding.empty()) return FetchError::kNone;
    if (coding != "chunked" || transfer_encoding_) {
      return Refuse(FetchError::kBadEncoding, "Transfer-Encoding \"" + coding + "\"");
    }
    transfer_encoding_ = true;
  }
  return FetchError::kNone;
}

FetchError ResponseHead::InterpretLength(std::string_view value) {
  // A list of equal lengths is one length (RFC 9110 section 8.6).
  for (;;) {
    const std::size_t comma = value.find(',');
    const auto length =
        base::WholeNumber<std::uint64_t>(base::Trim(value.substr(0, comma), base::kHttpBlanks));
    if (!length) {
      return Refuse(FetchError::kProtocol, "Content-Length is not a number of bytes");
    }
    if (content_length_.has_value() && content_length_ != length) {
      return Refuse(FetchError::kProtocol, "two different Content-Lengths");
    }
    content_length_ = length;
    if (comma == std::string_view::npos) return FetchError::kNone;
    value.remove_prefix(comma + 1);
  }
}

}  // namespace crawler

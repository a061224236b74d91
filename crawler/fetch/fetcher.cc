#include "crawler/fetch/fetcher.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"
#include "parser/mime_sniff.h"

namespace crawler {
namespace {

/// Takes what stands before the next comma outside quotes, and the comma, off `list`.
std::string_view TakeItem(std::string_view& list) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < list.size() && (quoted || list[end] != ','); ++end) {
    if (list[end] == '"') quoted = !quoted;
    if (quoted && list[end] == '\\') ++end;
  }
  end = std::min(end, list.size());
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return base::Trim(item);
}

/// The last type that was said, and the charset that holds with it.
class LastType {
 public:
  void Add(std::string_view text) {
    parser::MimeType type;
    if (!parser::ParseMimeType(text, &type) || type.essence == "*/*") return;
    if (type.essence != type_.essence) charset_.clear();
    const std::string_view charset = type.Parameter("charset");
    said_before_ = charset.empty() && !charset_.empty();
    if (!charset.empty()) charset_ = charset;
    type_ = std::move(type);
    text_ = text;
  }
  std::string Take() {
    if (!said_before_) return std::move(text_);
    type_.parameters.emplace_back("charset", std::move(charset_));
    return type_.Serialize();
  }

 private:
  std::string text_;
  parser::MimeType type_;
  std::string charset_;
  bool said_before_ = false;  // charset_, by an earlier header than text_
};

}  // namespace

std::string_view Name(FetchError error) {
  switch (error) {
    case FetchError::kNone:
      return "none";
    case FetchError::kDns:
      return "dns";
    case FetchError::kConnect:
      return "connect";
    case FetchError::kAddressDenied:
      return "address-denied";
    case FetchError::kTls:
      return "tls";
    case FetchError::kTimeout:
      return "timeout";
    case FetchError::kReset:
      return "reset";
    case FetchError::kProtocol:
      return "protocol";
    case FetchError::kHeadersTooLarge:
      return "headers-too-large";
    case FetchError::kBadEncoding:
      return "bad-encoding";
    case FetchError::kBomb:
      return "bomb";
    case FetchError::kProxy:
      return "proxy";
    case FetchError::kStopped:
      return "stopped";
  }
  CHECK(!"a FetchError without a name");
  return {};
}

bool IsOfAPage(int status) { return status >= 200 && status < 300 && status != 206; }

std::optional<std::string_view> FetchResponse::Header(std::string_view name) const {
  auto found = std::find_if(headers.begin(), headers.end(),
                            [name](const auto& header) { return header.first == name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::string FetchResponse::ContentType() const { return ContentTypeOf(headers); }

std::string ContentTypeOf(const std::vector<std::pair<std::string, std::string>>& headers) {
  LastType last;
  for (const auto& [name, value] : headers) {
    if (name != "content-type") continue;
    for (std::string_view rest = value; !rest.empty();) last.Add(TakeItem(rest));
  }
  return last.Take();
}

}  // namespace crawler

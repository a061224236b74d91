#include "crawler/evaluate/page_source.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "crawler/fetch/curl_fetcher.h"
#include "crawler/io/bounded_file.h"
#include "crawler/pipeline/outcome.h"
#include "frontier/url.h"
#include "parser/html_parser.h"
#include "parser/mime_sniff.h"

namespace crawler {
namespace {

/// Names one URL and takes its response.
class OneFetch final : public FetchSource {
 public:
  explicit OneFetch(std::string url) : url_(std::move(url)) {}

  // Run() asks and answers in the thread that called it, so nothing here is shared.
  Next NextFetch() override {
    if (asked_) return Finished{};
    asked_ = true;
    return FetchRequest{.ticket = 1, .url = url_};
  }
  void Fetched(FetchRequest, FetchResponse response) override { response_ = std::move(response); }

  FetchResponse Take() { return std::move(response_); }

 private:
  const std::string url_;
  bool asked_ = false;
  FetchResponse response_;
};

/// A body and what is known of it before it is read.
struct Received {
  std::string name;
  std::string body;
  bool body_cut = false;
  std::string content_type;
  std::string host;
};

base::Result<Received> ReadPageFile(const std::string& name, std::string_view charset,
                                    std::size_t bytes_max) {
  base::Result<BoundedFile> file = ReadBoundedFile(name, bytes_max);
  if (!file) return base::Fail(name + ": cannot be opened: " + file.error().message);
  Received received;
  received.name = name;
  received.body = std::move(file->bytes);
  received.body_cut = file->cut;
  std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".html" || extension == ".htm") received.content_type = "text/html";
  if (extension == ".txt") received.content_type = "text/plain";
  if (!received.content_type.empty() && !charset.empty()) {
    received.content_type += "; charset=" + std::string(charset);
  }
  return received;
}

base::Result<Received> FetchPage(const std::string& where, const Options& options,
                                 const base::Clock& clock) {
  base::Result<frontier::Url> url = frontier::Url::Parse(where, options.url);
  for (std::uint32_t hop = 0; url && hop <= options.frontier.redirects_max; ++hop) {
    auto fetcher = CurlFetcher::Create(options.fetch, clock);
    if (!fetcher) return base::Fail(fetcher.error().message);
    FetchResponse response = FetchOne(**fetcher, url->text());
    if (response.error != FetchError::kNone) {
      return base::Fail(url->text() + ": " + std::string(Name(response.error)) + ": " +
                        response.error_detail);
    }
    if (IsRedirect(response.status)) {
      const std::optional<std::string_view> location = Location(response);
      if (!location) return base::Fail(url->text() + ": redirect without one Location");
      url = TargetOf(*url, *location, options.url);
      continue;
    }
    if (response.status < 200 || response.status >= 300) {
      return base::Fail(url->text() + ": HTTP status " + std::to_string(response.status));
    }
    std::string type = response.ContentType();
    return Received{url->text(), std::move(response.body), response.body_cut, std::move(type),
                    std::string(url->host())};
  }
  if (!url) return base::Fail(where + ": " + url.error().message);
  return base::Fail(where + ": more than " + std::to_string(options.frontier.redirects_max) +
                    " redirects (frontier.redirects_max)");
}

base::Result<SourcedPage> Parsed(Received received, parser::HtmlParser& html) {
  parser::Sniffed sniffed = parser::SniffContent(received.content_type, received.body);
  if (sniffed.kind == parser::ContentKind::kOther) {
    return base::Fail(received.name + ": is neither HTML nor text but " + sniffed.type);
  }
  SourcedPage page;
  page.document =
      html.Parse(received.body, {.content_type = received.content_type, .kind = sniffed.kind});
  page.name = std::move(received.name);
  page.body = std::move(received.body);
  page.body_cut = received.body_cut;
  page.host = std::move(received.host);
  return page;
}

}  // namespace

FetchResponse FetchOne(Fetcher& fetcher, const std::string& url) {
  OneFetch source(url);
  fetcher.Run(source);
  return source.Take();
}

bool IsPageUrl(const std::string& where) {
  return base::StartsWithIgnoreCase(where, "http://") ||
         base::StartsWithIgnoreCase(where, "https://");
}

base::Result<SourcedPage> SourcePage(const std::string& where, const Options& options,
                                     const base::Clock& clock) {
  parser::HtmlParser html(options.parser);
  if (!IsPageUrl(where)) return SourceFile(where, "", options.fetch.body_bytes_max, html);
  base::Result<Received> received = FetchPage(where, options, clock);
  if (!received) return base::Fail(received.error().message);
  return Parsed(std::move(*received), html);
}

base::Result<SourcedPage> SourceFile(const std::string& file, std::string_view charset,
                                     std::size_t bytes_max, parser::HtmlParser& html) {
  base::Result<Received> received = ReadPageFile(file, charset, bytes_max);
  if (!received) return base::Fail(received.error().message);
  return Parsed(std::move(*received), html);
}

}  // namespace crawler

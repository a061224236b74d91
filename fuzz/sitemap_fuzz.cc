// A size of pieces, then a sitemap. What sitemap.h promises of any bytes.

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "fuzz/fuzz_input.h"
#include "parser/sitemap.h"

namespace {

struct Outcome {
  std::vector<parser::SitemapEntry> entries;
  parser::SitemapEnd end = parser::SitemapEnd::kWhole;
  parser::SitemapKind kind = parser::SitemapKind::kUnknown;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome Read(std::string_view body, std::size_t piece) {
  // Short enough that it cannot be too costly: where that ends hangs on the pieces.
  const parser::SitemapLimits limits{
      .body_bytes_max = 1 << 18, .urls_max = 100, .url_bytes_max = 200};
  Outcome outcome;
  parser::SitemapReader reader(limits, [&](const parser::SitemapEntry& entry) {
    CHECK(!entry.url.empty() && entry.url.size() <= limits.url_bytes_max);
    CHECK(entry.modified.size() <= 64);
    outcome.entries.push_back(entry);
  });
  while (!body.empty() && reader.Write(body.substr(0, piece))) {
    body.remove_prefix(std::min(piece, body.size()));
  }
  outcome.end = reader.Finish();
  outcome.kind = reader.kind();
  CHECK(outcome.entries.size() <= limits.urls_max);
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t piece = 1 + input.Byte();
  CHECK(Read(input.Rest(), input.Rest().size() + 1) == Read(input.Rest(), piece));
  return 0;
}

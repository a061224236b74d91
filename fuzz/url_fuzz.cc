// First line: a reference; the rest: the base it stands in. What url.h promises of any bytes.

#include "base/check.h"
#include "frontier/registered_domain.h"
#include "frontier/url.h"
#include "fuzz/fuzz_input.h"

using frontier::Url;
using frontier::UrlRules;

namespace {

void Check(const base::Result<Url>& url, const UrlRules& rules) {
  if (!url) {
    CHECK(!url.error().message.empty());
    return;
  }
  CHECK(url->text().size() <= rules.url_bytes_max);
  for (const char c : url->text()) CHECK(c > 0x20 && c < 0x7f);
  CHECK(url->path().starts_with('/'));
  CHECK(!url->host().empty());
  const auto again = Url::Parse(url->text(), rules);
  CHECK(again && *again == *url);
  CHECK(Url::FromCanonical(url->text()) == *url);
  CHECK(url->host().ends_with(frontier::RegisteredDomain(url->host())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  UrlRules rules;
  const unsigned char choice = input.Byte();
  if (choice & 1) rules = UrlRules::Whatwg();
  if (choice & 2) rules.drop_parameters = {"sid", "utm_*"};
  const std::string_view text = input.Line();
  Check(Url::Parse(text, rules), rules);
  const auto base = Url::Parse(input.Rest(), rules);
  if (!base) return 0;
  const auto resolved = Url::Resolve(*base, text, rules);
  Check(resolved, rules);
  if (resolved) {
    const auto absolute = Url::Resolve(*base, resolved->text(), rules);
    CHECK(absolute && *absolute == *resolved);
  }
  return 0;
}

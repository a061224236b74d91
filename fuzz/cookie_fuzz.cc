// First line: a URL; then a line for each Set-Cookie field that it answers with. What is sent back
// has no control, is bounded, and goes to the domain that set it only.

#include "base/check.h"
#include "crawler/fetch/cookie_date.h"
#include "crawler/fetch/cookie_jar.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto url = frontier::Url::Parse(input.Line());
  if (!url) return 0;
  const crawler::CookieLimits limits{
      .cookies_per_domain_max = 5, .bytes_max = 4'000, .field_bytes_max = 1'000};
  crawler::CookieJar jar(limits);
  const base::WallTime now = base::FakeClock().WallNow();
  while (!input.Rest().empty()) {
    const std::string_view field = input.Line();
    static_cast<void>(crawler::ParseCookieDate(field));
    jar.Set(*url, field, now);
  }
  CHECK(jar.size() <= limits.cookies_per_domain_max);
  const std::string sent = jar.FieldFor(*url, now);
  CHECK(sent.size() <= limits.field_bytes_max);
  for (const unsigned char c : sent) CHECK(c >= 0x20 && c != 0x7F);
  CHECK(jar.FieldFor(*frontier::Url::Parse("https://other.example/"), now).empty() ||
        url->host().ends_with("other.example"));
  return 0;
}

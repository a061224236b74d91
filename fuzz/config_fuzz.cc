// A configuration file. Any bytes give options in range or problems that name their place.

#include <string>

#include "base/check.h"
#include "crawler/settings/config_file.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  crawler::Options options;
  const crawler::OptionTable table = crawler::DeclareOptions(options);
  for (const std::string& problem : crawler::ApplyToml("fuzz.toml", input.Rest(), table)) {
    CHECK(problem.starts_with("fuzz.toml"));
  }
  // Whatever was set can be set again.
  for (const crawler::Option& option : table.options()) {
    CHECK(option.set(option.get()).has_value());
  }
  static_cast<void>(crawler::Contradictions(options));
  return 0;
}

// A skip log, line by line. Any line is a record or has a fault; a record written and read again
// is the same, and its line is one line.

#include <string>

#include "base/check.h"
#include "crawler/data/skip_log.h"
#include "fuzz/fuzz_input.h"

namespace {

bool Read(std::string_view line, crawler::SkipRecord& record) {
  crawler::FieldReader reader(line);
  VisitFields(reader, record);
  return reader.fault().empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  while (!input.Rest().empty()) {
    crawler::SkipRecord record;
    if (!Read(input.Line(), record)) continue;
    std::string line = crawler::LogLine(record);
    CHECK(line.find('\n') == line.size() - 1);
    line.pop_back();
    crawler::SkipRecord first;
    CHECK(Read(line, first));
    // Times are written to the millisecond, so the second reading is the one to compare.
    std::string second_line = crawler::LogLine(first);
    second_line.pop_back();
    CHECK(second_line == line);
  }
  return 0;
}

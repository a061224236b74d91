#include "crawler/crawl/store_tally.h"

#include <string>
#include <string_view>

namespace crawler {

StoreTally TallyOf(const CrawlSnapshot& at) {
  return {.waiting = at.frontier.queued,
          .seen = at.frontier.seen,
          .hosts = at.frontier.hosts,
          .bodies = at.seen.bodies};
}

base::Status CheckTally(const StoreTally& committed, const StoreTally& found) {
  struct Part {
    std::string_view what;
    std::uint64_t StoreTally::*count;
  };
  for (const Part& part :
       {Part{"URLs that wait", &StoreTally::waiting}, Part{"URLs seen", &StoreTally::seen},
        Part{"hosts", &StoreTally::hosts}, Part{"documents", &StoreTally::bodies}}) {
    if (found.*part.count == committed.*part.count) continue;
    return base::Fail("part of the store is lost: it holds " + std::to_string(found.*part.count) +
                      " " + std::string(part.what) + ", and the last commit tells of " +
                      std::to_string(committed.*part.count) +
                      ": put a copy back, or begin anew with --fresh");
  }
  return {};
}

}  // namespace crawler

#include "crawler/report/template_alarm.h"

namespace crawler {
namespace {

constexpr std::uint64_t kPagesMin = 20;
constexpr std::uint64_t kPercentMax = 80;

}  // namespace

bool IsTemplateAlarm(std::uint64_t near, std::uint64_t pages) {
  return pages >= kPagesMin && near * 100 > pages * kPercentMax;
}

std::string TemplateAlarm(std::string_view host, std::uint64_t near, std::uint64_t pages) {
  return "On " + std::string(host) + " " + std::to_string(near) + " of " + std::to_string(pages) +
         " pages are near-duplicates: perhaps of its template only. Look at some of them "
         "('contentseen skipped --host " +
         std::string(host) +
         " --diff N'); a higher contentseen.resemblance_min_same_host tells them apart, or, with "
         "another detector than \"verified\", a smaller contentseen.k.";
}

}  // namespace crawler

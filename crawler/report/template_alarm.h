#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawler {

/// Whether so large a part of a host's pages are near-duplicates (more than 80 of 100, of 20 pages
/// and more) that it may be what all of them share, a template, and not what they say that is
/// compared.
bool IsTemplateAlarm(std::uint64_t near, std::uint64_t pages);

/// One sentence on it that says what to do.
std::string TemplateAlarm(std::string_view host, std::uint64_t near, std::uint64_t pages);

}  // namespace crawler

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parser {

/// What <meta http-equiv=refresh> asks for.
struct MetaRefresh {
  std::uint32_t seconds = 0;
  /// As written; empty means the page itself.
  std::string_view url;
};

/// Reads the content of <meta http-equiv=refresh> (HTML Standard, section 4.2.5.3, "shared
/// declarative refresh steps"), or nothing where it is none. The view is into `content`.
///
/// Thread safety: yes. Cost: linear.
std::optional<MetaRefresh> ParseMetaRefresh(std::string_view content);

}  // namespace parser

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "crawler/web/site_page.h"

namespace crawler {

/// A query parameter of one site whose value, or absence, never changed what a page says.
struct IdleParameter {
  std::string site;
  std::string name;
  /// Times two URLs that differ in nothing but this parameter were held against each other.
  std::uint64_t compared = 0;
  /// Of these, with the same text word for word; the others are near-duplicates.
  std::uint64_t same_text = 0;
  /// In at least so large a share of all cases the content stays (Wilson, 95 %).
  double bound = 0;
  /// Two URLs that show it.
  std::string url;
  std::string same_as;

  /// Whether there is enough to say "never": every text the same, and seen more than twice.
  bool IsCertain() const { return same_text == compared && compared >= 3; }
};

struct IdleParameters {
  /// Most compared first. A parameter that changed one content on a site does not stand here for
  /// that site.
  std::vector<IdleParameter> idle;
  /// Names that are certain somewhere and changed no text on any site: fit for the option
  /// url.drop_parameters, which holds for all sites. By name.
  std::vector<std::string> droppable;
};

/// The parameters of all pages whose content they never changed.
///
///     for (const IdleParameter& idle : FindIdleParameters(pages).idle) Show(idle.site,
///     idle.name);
///
/// Thread safety: pure. Cost: n log n; memory of about 100 bytes a URL, and as much for each of its
/// parameters (at most 16 are looked at), however long it is.
IdleParameters FindIdleParameters(std::span<const SitePage> pages);

}  // namespace crawler

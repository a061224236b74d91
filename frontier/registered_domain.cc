#include "frontier/registered_domain.h"

#include <libpsl.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "frontier/url_host.h"

namespace frontier {
namespace {

/// The list built into libpsl. Not psl_latest(): that reads a file wherever one is installed, and
/// a crawl's scope should not depend on that.
const psl_ctx_t* List() { return psl_builtin(); }

}  // namespace

std::string_view RegisteredDomain(std::string_view host) {
  std::array<char, 256> terminated;  // no DNS name is longer
  if (host.size() >= terminated.size() || IsAddress(host)) return host;
  *std::copy(host.begin(), host.end(), terminated.begin()) = '\0';
  const psl_ctx_t* list = List();
  const char* domain = list == nullptr ? nullptr : psl_registrable_domain(list, terminated.data());
  if (domain == nullptr) return host;
  return host.substr(static_cast<std::size_t>(domain - terminated.data()));
}

}  // namespace frontier

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontier/url.h"

namespace frontier {

/// How far from its seeds a crawl may go.
enum class ScopeReach : std::uint8_t {
  kHost,    // the hosts of the seeds
  kDomain,  // the registered domains of the seeds
  kAny,     // the web
};

struct ScopeOptions {
  ScopeReach reach = ScopeReach::kHost;
  /// Regular expressions (ICU's, searched anywhere in the canonical URL; anchor with ^ and $). A
  /// URL must match one of `include`, if there are any, and none of `exclude`. ASCII only, for a
  /// canonical URL has nothing else.
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  /// Links from a seed to the page. Seeds have depth 0. Range 0 to 1,000,000.
  std::uint32_t depth_max = 20;
  /// Path segments; the web's endless paths are deeper. Range 1 to 1,000.
  std::uint32_t path_segments_max = 20;
  /// Times that one segment may stand in a path, with others between: 2 refuses /a/b/a/c/a. Range
  /// 1 to 1,000.
  std::uint32_t segment_repeats_max = 2;
  /// Parameters of a query; facets pile them up. Range 0 to 1,000.
  std::uint32_t query_parameters_max = 8;
};

/// Whether a URL belongs to the crawl, and why not.
enum class ScopeVerdict : std::uint8_t {
  kIn,
  kOtherHost,
  kOtherDomain,
  kTooDeep,            // depth_max
  kPathTooDeep,        // path_segments_max
  kPathRepeats,        // segment_repeats_max
  kTooManyParameters,  // query_parameters_max
  kNotIncluded,        // matches none of `include`
  kExcluded,           // matches one of `exclude`
  kPatternTooSlow,     // a pattern ran out of its step budget on this URL
};
inline constexpr std::size_t kScopeVerdicts = 10;

/// The verdict as logs and statistics spell it, e.g. "other-host".
std::string_view Name(ScopeVerdict verdict);

/// The rules that say which URLs belong to a crawl.
///
///     base::Result<std::unique_ptr<Scope>> scope = Scope::Make(options);
///     (*scope)->AddSeed(seed);
///     if ((*scope)->Judge(link, depth) == ScopeVerdict::kIn) ...
///
/// Patterns are ICU's, not std::regex's: std::regex recurses once a character and may take
/// exponential time with no way to stop it; ICU's matcher keeps its own stack and stops after a
/// given number of steps.
///
/// Thread safety: all methods. Cost: Judge without patterns well below a microsecond; a pattern a
/// few microseconds, at most some milliseconds.
class Scope {
 public:
  /// Fails with the pattern and the place in it that cannot be understood.
  static base::Result<std::unique_ptr<Scope>> Make(ScopeOptions options);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Brings the host of `seed` (or its registered domain) into the crawl. Also for the target of a
  /// seed's redirect: who asks for example.com and is sent to www.example.com wants that crawled.
  void AddSeed(const Url& seed);

  ScopeVerdict Judge(const Url& url, std::uint32_t depth) const;

 private:
  class Patterns;
  class Reach;
  Scope(ScopeOptions options, std::unique_ptr<const Patterns> include,
        std::unique_ptr<const Patterns> exclude);

  const ScopeOptions options_;
  const std::unique_ptr<const Patterns> include_;
  const std::unique_ptr<const Patterns> exclude_;
  const std::unique_ptr<Reach> reach_;
};

}  // namespace frontier

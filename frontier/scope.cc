#include "frontier/scope.h"

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_set>
#include <utility>

#include "base/mutex.h"
#include "frontier/registered_domain.h"

namespace frontier {
namespace {

// ICU counts about 10,000 steps of its matcher as one unit of its time limit; a unit takes below a
// millisecond. Patterns that are not pathological need far less than one on 2,048 characters.
constexpr std::int32_t kPatternTimeLimit = 5;
constexpr std::int32_t kPatternStackBytes = 1 << 20;

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using StringSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

/// Takes the next segment of a path from `rest`, which begins with the slash before it.
std::string_view TakeSegment(std::string_view& rest) {
  std::size_t end = std::min(rest.find('/', 1), rest.size());
  std::string_view segment = rest.substr(1, end - 1);
  rest.remove_prefix(end);
  return segment;
}

std::size_t CountSegments(std::string_view path) {
  // A slash at the end names no further level.
  if (path.back() == '/') path.remove_suffix(1);
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::size_t CountParameters(std::string_view query) {
  if (query.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::count(query.begin(), query.end(), '&'));
}

/// How often the most frequent segment stands in `path`; a run of one segment counts once.
std::size_t MostRepeats(std::string_view path) {
  std::size_t most = 0;
  std::string_view before;
  for (std::string_view rest = path; !rest.empty();) {
    std::string_view segment = TakeSegment(rest);
    if (segment.empty() || segment == std::exchange(before, segment)) continue;
    std::size_t count = 1;
    std::string_view last = segment;
    for (std::string_view later = rest; !later.empty();) {
      std::string_view other = TakeSegment(later);
      if (other == segment && last != segment) ++count;
      last = other;
    }
    most = std::max(most, count);
  }
  return most;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Why a pattern with other characters than ASCII's is refused: it could match no URL there is.
std::string BeyondAscii(const std::string& pattern) {
  return "the regular expression '" + pattern +
         "' holds a letter beyond ASCII, and URLs are compared in their escaped form: write it as "
         "caf%C3%A9, and in a host as xn--...; `contentseen url` shows that form";
}

}  // namespace

std::string_view Name(ScopeVerdict verdict) {
  static constexpr std::array<std::string_view, kScopeVerdicts> kNames = {
      "in",           "other-host",          "other-domain", "too-deep", "path-too-deep",
      "path-repeats", "too-many-parameters", "not-included", "excluded", "pattern-too-slow"};
  return kNames[static_cast<std::size_t>(verdict)];
}

/// A list of compiled patterns. Immutable, so that threads may share it; each match makes its own
/// matcher.
class Scope::Patterns {
 public:
  enum class Found { kNo, kYes, kTooSlow };

  static base::Result<std::unique_ptr<const Patterns>> Compile(
      const std::vector<std::string>& sources) {
    auto patterns = std::make_unique<Patterns>();
    for (const std::string& source : sources) {
      if (!IsAscii(source)) return base::Fail(BeyondAscii(source));
      UErrorCode status = U_ZERO_ERROR;
      UParseError place{};
      std::unique_ptr<icu::RegexPattern> pattern(
          icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(source), place, status));
      if (U_FAILURE(status)) {
        return base::Fail("the regular expression '" + source + "' is wrong at character " +
                          std::to_string(place.offset) + ": " + u_errorName(status));
      }
      patterns->patterns_.push_back(std::move(pattern));
    }
    return patterns;
  }

  bool empty() const { return patterns_.empty(); }

  /// Whether one of the patterns matches somewhere in `text`.
  Found Find(const icu::UnicodeString& text) const {
    for (const std::unique_ptr<icu::RegexPattern>& pattern : patterns_) {
      UErrorCode status = U_ZERO_ERROR;
      std::unique_ptr<icu::RegexMatcher> matcher(pattern->matcher(text, status));
      if (U_SUCCESS(status)) {
        matcher->setTimeLimit(kPatternTimeLimit, status);
        matcher->setStackLimit(kPatternStackBytes, status);
        if (matcher->find(status) && U_SUCCESS(status)) return Found::kYes;
      }
      if (U_FAILURE(status)) return Found::kTooSlow;
    }
    return Found::kNo;
  }

 private:
  std::vector<std::unique_ptr<icu::RegexPattern>> patterns_;
};

/// The hosts or registered domains that seeds have brought into the crawl.
class Scope::Reach {
 public:
  void Add(std::string_view name) {
    base::MutexLock lock(mutex_);
    names_.emplace(name);
  }
  bool Has(std::string_view name) const {
    base::MutexLock lock(mutex_);
    return names_.contains(name);
  }

 private:
  mutable base::Mutex mutex_;
  StringSet names_ GUARDED_BY(mutex_);
};

base::Result<std::unique_ptr<Scope>> Scope::Make(ScopeOptions options) {
  auto include = Patterns::Compile(options.include);
  if (!include) return base::Fail(std::move(include.error().message));
  auto exclude = Patterns::Compile(options.exclude);
  if (!exclude) return base::Fail(std::move(exclude.error().message));
  return std::unique_ptr<Scope>(
      new Scope(std::move(options), std::move(*include), std::move(*exclude)));
}

Scope::Scope(ScopeOptions options, std::unique_ptr<const Patterns> include,
             std::unique_ptr<const Patterns> exclude)
    : options_(std::move(options)),
      include_(std::move(include)),
      exclude_(std::move(exclude)),
      reach_(std::make_unique<Reach>()) {}

Scope::~Scope() = default;

void Scope::AddSeed(const Url& seed) {
  if (options_.reach == ScopeReach::kHost) reach_->Add(seed.host());
  if (options_.reach == ScopeReach::kDomain) reach_->Add(RegisteredDomain(seed.host()));
}

ScopeVerdict Scope::Judge(const Url& url, std::uint32_t depth) const {
  // Cheap rules first, patterns last.
  if (depth > options_.depth_max) return ScopeVerdict::kTooDeep;
  if (CountSegments(url.path()) > options_.path_segments_max) return ScopeVerdict::kPathTooDeep;
  if (MostRepeats(url.path()) > options_.segment_repeats_max) return ScopeVerdict::kPathRepeats;
  if (CountParameters(url.query()) > options_.query_parameters_max) {
    return ScopeVerdict::kTooManyParameters;
  }
  if (options_.reach == ScopeReach::kHost && !reach_->Has(url.host())) {
    return ScopeVerdict::kOtherHost;
  }
  if (options_.reach == ScopeReach::kDomain && !reach_->Has(RegisteredDomain(url.host()))) {
    return ScopeVerdict::kOtherDomain;
  }
  if (include_->empty() && exclude_->empty()) return ScopeVerdict::kIn;
  const icu::UnicodeString text(url.text().data(), static_cast<std::int32_t>(url.text().size()),
                                US_INV);
  Patterns::Found excluded = exclude_->Find(text);
  if (excluded == Patterns::Found::kTooSlow) return ScopeVerdict::kPatternTooSlow;
  if (excluded == Patterns::Found::kYes) return ScopeVerdict::kExcluded;
  if (include_->empty()) return ScopeVerdict::kIn;
  Patterns::Found included = include_->Find(text);
  if (included == Patterns::Found::kTooSlow) return ScopeVerdict::kPatternTooSlow;
  return included == Patterns::Found::kYes ? ScopeVerdict::kIn : ScopeVerdict::kNotIncluded;
}

}  // namespace frontier

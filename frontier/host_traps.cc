#include "frontier/host_traps.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/ascii.h"

namespace frontier {
namespace {

constexpr std::size_t kPatterns = 64;
constexpr std::size_t kPaths = 64;
constexpr std::size_t kSamples = 128;
constexpr std::size_t kSamplesFirst = 4;
constexpr std::size_t kParametersOfPaths = 64;
constexpr std::size_t kParametersOfHost = 16;
// Of one URL; a longer query is not learned from.
constexpr std::size_t kParametersOfUrl = 16;
constexpr std::uint64_t kWaiting = 500;

std::uint64_t Hash(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

/// Calls visit(name, begin, end) for each parameter of a query.
template <class Visit>
void ForEachParameter(std::string_view query, Visit visit) {
  std::size_t begin = 0;
  while (begin < query.size()) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view parameter = query.substr(begin, end - begin);
    if (!parameter.empty()) visit(parameter.substr(0, parameter.find('=')), begin, end);
    begin = end + 1;
  }
}

std::uint64_t OnPath(std::uint64_t name, std::uint64_t path) { return std::rotl(name, 1) ^ path; }

std::uint64_t PatternOf(const Url& url) {
  const std::string_view path = url.path().substr(1);
  const std::size_t slash = path.find('/');
  std::string pattern;
  // A page at the top has no directory; its own name would make it a pattern of its own.
  if (slash != std::string_view::npos) {
    for (char c : path.substr(0, slash)) {
      if (!base::IsDigit(c)) {
        pattern.push_back(c);
      } else if (pattern.empty() || pattern.back() != '0') {
        pattern.push_back('0');
      }
    }
  }
  pattern.push_back('/');
  pattern += std::to_string(std::count(path.begin(), path.end(), '/'));
  ForEachParameter(url.query(), [&pattern](std::string_view name, std::size_t, std::size_t) {
    pattern.append("&").append(name);
  });
  return Hash(pattern);
}

/// The query less what stands from `begin` to `end`.
std::string Without(std::string_view query, std::size_t begin, std::size_t end) {
  std::string rest(query.substr(0, begin));
  if (end < query.size()) return rest.append(query.substr(end + 1));
  if (!rest.empty()) rest.pop_back();  // the & before it
  return rest;
}

template <class Counts>
auto FindHash(Counts& counts, std::uint64_t hash) {
  return std::find_if(counts.begin(), counts.end(),
                      [hash](const auto& count) { return count.hash == hash; });
}

/// The count of `hash`, from 0 where it is new; when there is no room, the smallest makes some.
template <class Counts>
auto& CountOf(Counts& counts, std::uint64_t hash, std::size_t counts_max) {
  auto found = FindHash(counts, hash);
  if (found != counts.end()) return *found;
  if (counts.size() < counts_max) return counts.emplace_back(typename Counts::value_type{hash, 0});
  found = std::min_element(counts.begin(), counts.end(),
                           [](const auto& a, const auto& b) { return a.count < b.count; });
  *found = {hash, 0};
  return *found;
}

template <class Counts>
void AppendCounts(const Counts& counts, std::string& out) {
  base::AppendVarint(counts.size(), out);
  for (const auto& count : counts) {
    base::AppendBigEndian(count.hash, out);
    base::AppendVarint(count.count, out);
  }
}

template <class Counts>
void ReadCounts(base::ByteReader& reader, std::size_t counts_max, Counts& counts) {
  const std::uint64_t size = reader.Varint();
  for (std::uint64_t i = 0; i < size && reader.ok(); ++i) {
    const std::uint64_t hash = reader.BigEndian();
    const auto count = static_cast<std::uint32_t>(reader.Varint());
    if (counts.size() < counts_max) counts.push_back({hash, count});
  }
}

template <class Parameters>
void AppendParameters(const Parameters& parameters, std::string& out) {
  base::AppendVarint(parameters.size(), out);
  for (const auto& parameter : parameters) {
    base::AppendBigEndian(parameter.hash, out);
    base::AppendBigEndian(parameter.paths, out);
    base::AppendVarint(parameter.same, out);
    base::AppendBigEndian(parameter.differs ? 1 : 0, out, 1);
  }
}

template <class Parameters>
void ReadParameters(base::ByteReader& reader, std::size_t parameters_max, Parameters& parameters) {
  const std::uint64_t size = reader.Varint();
  for (std::uint64_t i = 0; i < size && reader.ok(); ++i) {
    typename Parameters::value_type parameter;
    parameter.hash = reader.BigEndian();
    parameter.paths = reader.BigEndian();
    parameter.same = static_cast<std::uint32_t>(reader.Varint());
    parameter.differs = reader.BigEndian(1) != 0;
    if (parameters.size() < parameters_max) parameters.push_back(parameter);
  }
}

}  // namespace

// ---- Patterns and queries

bool HostTraps::HasNoQueryLeft(const Url& url, const TrapOptions& options) const {
  if (url.query().empty() || queries_.empty()) return false;
  const auto found = FindHash(queries_, Hash(url.path()));
  return found != queries_.end() && found->count >= options.queries_per_path_max;
}

void HostTraps::Accepted(const Url& url) {
  if (!url.query().empty()) ++CountOf(queries_, Hash(url.path()), kPaths).count;
}

bool HostTraps::Closed(const Url& url, const TrapOptions& options) const {
  if (duplicates_.empty()) return false;
  const auto found = FindHash(duplicates_, PatternOf(url));
  return found != duplicates_.end() && found->count >= options.pattern_duplicates_max;
}

bool HostTraps::Ended(const Url& url, const PageContent& content, const TrapOptions& options) {
  if (content.identity != 0) Learn(url, content.identity, options);
  if (content.kind == PageContent::Kind::kNew) TakeBack(url, options);
  if (content.kind == PageContent::Kind::kUnknown) return false;
  last_identity_ = content.identity;
  const std::uint64_t pattern = PatternOf(url);
  if (content.kind == PageContent::Kind::kDuplicate) {
    Count& count = CountOf(duplicates_, pattern, kPatterns);
    return ++count.count == options.pattern_duplicates_max;
  }
  // A row that is broken begins anew; one that was full stays closed.
  const auto found = FindHash(duplicates_, pattern);
  if (found != duplicates_.end() && found->count < options.pattern_duplicates_max) {
    duplicates_.erase(found);
  }
  return false;
}

// ---- Idle parameters

bool HostTraps::HasIdle(const TrapOptions& options) const {
  const auto on_path = [&](const Parameter& known) { return known.Idle(options); };
  const auto on_host = [&](const Parameter& known) { return known.IdleOnHost(options); };
  return std::ranges::any_of(of_paths_, on_path) || std::ranges::any_of(of_host_, on_host);
}

bool HostTraps::IsIdle(std::uint64_t name, std::uint64_t path, const TrapOptions& options) const {
  const auto on_path = FindHash(of_paths_, OnPath(name, path));
  if (on_path != of_paths_.end() && on_path->differs) return false;
  if (on_path != of_paths_.end() && on_path->Idle(options)) return true;
  const auto on_host = FindHash(of_host_, name);
  return on_host != of_host_.end() && on_host->IdleOnHost(options);
}

Url HostTraps::WithoutIdle(const Url& url, const TrapOptions& options) const {
  std::string kept;
  const std::uint64_t path = Hash(url.path());
  ForEachParameter(url.query(), [&](std::string_view name, std::size_t begin, std::size_t end) {
    if (IsIdle(Hash(name), path, options)) return;
    kept.append(kept.empty() ? "" : "&").append(url.query().substr(begin, end - begin));
  });
  std::string text(url.origin());
  text.append(url.path());
  if (!kept.empty()) text.append("?").append(kept);
  return Url::FromCanonical(std::move(text));
}

bool HostTraps::AcceptAnyway(const Url& url) {
  if (!std::has_single_bit(++not_accepted_)) return false;
  anyway_.push_back(Hash(url.text()));
  return true;
}

bool HostTraps::MayWait() const { return not_accepted_ <= kWaiting; }

bool HostTraps::RequestAnyway(const Url& url) {
  const std::uint64_t hash = Hash(url.text());
  if (std::ranges::find(anyway_, hash) != anyway_.end()) return true;
  if (!std::has_single_bit(++not_requested_)) return false;
  anyway_.push_back(hash);
  return true;
}

void HostTraps::Learn(const Url& url, std::uint64_t identity, const TrapOptions& options) {
  const std::string_view query = url.query();
  if (query.empty()) return;
  if (static_cast<std::size_t>(std::count(query.begin(), query.end(), '&')) >= kParametersOfUrl) {
    return;
  }
  const std::uint64_t path = Hash(url.path());
  const bool tells = identity != last_identity_ && !IsGivenElsewhere(identity, path);
  ForEachParameter(query, [&](std::string_view text, std::size_t begin, std::size_t end) {
    if (text.empty()) return;
    const std::uint64_t name = Hash(text);
    const Sample sample{
        .rest = Hash(Without(query, begin, end), Hash(text, path)),
        .identity = identity,
        .value = static_cast<std::uint32_t>(Hash(query.substr(begin, end - begin))),
        .path = static_cast<std::uint32_t>(path)};
    const Sample before = std::exchange(PlaceOf(sample.rest), sample);
    if (before.rest != sample.rest || before.value == sample.value) return;
    const bool same = before.identity == identity;
    if (same && !tells) return;
    Tell(same, name, path, options);
  });
}

// Two values of a parameter were compared on `path`.
void HostTraps::Tell(bool same, std::uint64_t name, std::uint64_t path,
                     const TrapOptions& options) {
  const auto on_path = [&](const Parameter& known) { return known.Idle(options); };
  const auto on_host = [&](const Parameter& known) { return known.IdleOnHost(options); };
  Compared(same, OnPath(name, path), path, kParametersOfPaths, on_path, of_paths_);
  Compared(same, name, path, kParametersOfHost, on_host, of_host_);
}

// Copies of what stands for it are no new pages, however long ago that was asked for.
void HostTraps::TakeBack(const Url& url, const TrapOptions& options) {
  if (std::ranges::find(anyway_, Hash(url.text())) == anyway_.end()) return;
  const std::uint64_t path = Hash(url.path());
  ForEachParameter(url.query(), [&](std::string_view text, std::size_t, std::size_t) {
    const std::uint64_t name = Hash(text);
    if (IsIdle(name, path, options)) Tell(false, name, path, options);
  });
}

bool HostTraps::IsGivenElsewhere(std::uint64_t identity, std::uint64_t path) const {
  return std::ranges::any_of(samples_, [&](const Sample& sample) {
    return sample.identity == identity && sample.path != static_cast<std::uint32_t>(path);
  });
}

// Nothing is learned without room.
template <class InEffect>
void HostTraps::Compared(bool same, std::uint64_t hash, std::uint64_t path,
                         std::size_t parameters_max, InEffect in_effect,
                         std::vector<Parameter>& parameters) {
  auto found = FindHash(parameters, hash);
  if (found == parameters.end()) {
    if (parameters.size() >= parameters_max) return;
    found = parameters.insert(found, {.hash = hash});
  }
  const bool was_idle = in_effect(*found);
  if (same) {
    ++found->same;
    found->paths |= std::uint64_t{1} << path % 64;
  } else if (was_idle) {
    // To be learned anew: a page with a session id may have changed, too.
    *found = {.hash = hash};
  } else {
    found->differs = true;
  }
  if (was_idle || !in_effect(*found)) return;
  not_accepted_ = 0;
  not_requested_ = 0;
  anyway_.clear();
}

// Two that want one place make the table double, until it is as large as it may be.
HostTraps::Sample& HostTraps::PlaceOf(std::uint64_t rest) {
  if (samples_.empty()) samples_.resize(kSamplesFirst);
  for (;;) {
    Sample& place = samples_[rest % samples_.size()];
    if (place.rest == rest || place.rest == 0 || samples_.size() == kSamples) return place;
    std::vector<Sample> larger(2 * samples_.size());
    for (const Sample& sample : samples_) {
      if (sample.rest != 0) larger[sample.rest % larger.size()] = sample;
    }
    samples_ = std::move(larger);
  }
}

std::size_t HostTraps::bytes() const {
  std::size_t bytes =
      sizeof *this + (duplicates_.capacity() + queries_.capacity()) * sizeof(Count);
  bytes += samples_.capacity() * sizeof(Sample);
  bytes += anyway_.capacity() * sizeof(std::uint64_t);
  return bytes + (of_paths_.capacity() + of_host_.capacity()) * sizeof(Parameter);
}

// ---- The store

void HostTraps::Append(std::string& out) const {
  AppendCounts(duplicates_, out);
  AppendCounts(queries_, out);
  AppendParameters(of_paths_, out);
  AppendParameters(of_host_, out);
}

HostTraps HostTraps::Read(base::ByteReader& reader) {
  HostTraps traps;
  ReadCounts(reader, kPatterns, traps.duplicates_);
  ReadCounts(reader, kPaths, traps.queries_);
  ReadParameters(reader, kParametersOfPaths, traps.of_paths_);
  ReadParameters(reader, kParametersOfHost, traps.of_host_);
  return traps;
}

}  // namespace frontier

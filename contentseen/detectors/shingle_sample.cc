#include "contentseen/detectors/shingle_sample.h"

#include <algorithm>
#include <array>

#include "contentseen/text/shingle_hash.h"
#include "contentseen/text/token_hashes.h"

namespace contentseen {
namespace {

constexpr std::uint32_t kNoBound = HostSketch::kNoBound;
// More than any text has beside its main shingles: which number it is matters no more.
constexpr std::uint64_t kLackingMax = std::uint64_t{1} << 24;

// The hash of a shingle above two bits for its kind: in order, the first of equal hashes tells
// where it stands at best.
constexpr unsigned kKindBits = 2;
std::uint64_t Entry(std::uint64_t hash, TextKind kind) {
  return hash >> 32 << kKindBits | static_cast<std::uint64_t>(kind);
}
std::uint32_t HashOf(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry >> kKindBits);
}
TextKind KindOf(std::uint64_t entry) {
  return static_cast<TextKind>(entry & ((1U << kKindBits) - 1));
}

// A shingle is of the most doubtful kind that it reaches into.
std::vector<std::uint64_t> EntriesOf(const AnalyzedText& text, std::uint64_t key) {
  std::vector<std::uint64_t> entries = ShingleHashes(text, kSampleWords, key);
  const std::span<const TextStretch> stretches = text.stretches();
  std::size_t first = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    while (stretches[first].end <= i) ++first;
    TextKind kind = stretches[first].kind;
    for (std::size_t last = first; stretches[last].end < i + kSampleWords;) {
      kind = std::max(kind, stretches[++last].kind);
    }
    entries[i] = Entry(entries[i], kind);
  }
  return entries;
}

// Puts entries in order, and leaves of equal hashes the first.
void SortOut(std::vector<std::uint64_t>* entries) {
  std::sort(entries->begin(), entries->end());
  entries->erase(
      std::unique(entries->begin(), entries->end(),
                  [](std::uint64_t a, std::uint64_t b) { return HashOf(a) == HashOf(b); }),
      entries->end());
}

// The `count` smallest hashes, or all, ascending and each once. Hashes are spread evenly: below
// the limit stand about a third more than are wanted, and only they need be put in order. Where so
// many repeat each other that too few are left, it grows.
std::vector<std::uint64_t> Smallest(std::size_t count, const std::vector<std::uint64_t>& entries) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << (32 + kKindBits);
  std::vector<std::uint64_t> small;
  if (entries.empty()) return small;
  constexpr std::uint64_t kGrowth = 8;
  for (std::uint64_t limit = kEnd / entries.size() * count / 3 * 4;; limit *= kGrowth) {
    small.resize(entries.size());
    std::size_t kept = 0;
    for (const std::uint64_t entry : entries) {
      small[kept] = entry;
      kept += entry < limit ? 1 : 0;
    }
    small.resize(kept);
    SortOut(&small);
    if (small.size() >= count || limit >= kEnd) break;
  }
  if (small.size() > count) small.resize(count);
  return small;
}

// The shingles of one text, and its samples by one view or another of what is main.
class Sampler {
 public:
  Sampler(const AnalyzedText& text, const HostSketch::Reader& host, std::uint64_t key)
      // One more than a sample takes, so that the last can be its bound.
      : host_(host),
        known_end_(host.known_end()),
        entries_(EntriesOf(text, key)),
        smallest_(Smallest(kSampleAll + 1, entries_)) {
    for (const TextStretch& stretch : text.stretches()) Note(stretch.kind);
  }

  bool Has(TextKind kind) const { return has_[static_cast<std::size_t>(kind)]; }

  /// Main is what is at most as doubtful as `widest`, and with `own` not common on the host.
  ShingleSample Draw(TextKind widest, bool own) const {
    ShingleSample sample;
    sample.widest = widest;
    sample.bound = kNoBound;
    // From here on the host's template would pass for the page's own.
    const std::uint32_t end = own ? known_end_ : kNoBound;
    if (own) Prefetch(smallest_);
    for (const std::uint64_t entry : smallest_) {
      if (sample.main.size() == kSampleMain || Size(sample) == kSampleAll) {
        sample.bound = HashOf(entry);
        break;
      }
      Take(entry, own, end, &sample);
    }
    sample.main_bound = std::min(sample.bound, end);
    // The sketch has learned of the doubtful no more than of boilerplate, which ends at the bound.
    const bool unknown_above = own && widest != TextKind::kContent;
    if (sample.main.size() < kSampleOwnMin && sample.bound < end && !unknown_above) {
      DrawMore(own, end, &sample);
    }
    return sample;
  }

 private:
  static std::size_t Size(const ShingleSample& sample) {
    return sample.main.size() + sample.doubtful.size() + sample.unlikely.size() +
           sample.other.size();
  }
  void Note(TextKind kind) { has_[static_cast<std::size_t>(kind)] = true; }

  void Take(std::uint64_t entry, bool own, std::uint32_t end, ShingleSample* sample) const {
    const std::uint32_t hash = HashOf(entry);
    const TextKind kind = KindOf(entry);
    const bool may_be_main = kind <= sample->widest;
    const bool marked = kind >= TextKind::kUnlikely && !may_be_main;  // as the site's
    if ((own || marked) && host_.IsCommon(hash)) return sample->other.push_back(hash);
    // What a host that is known does not repeat may be the page's own, however it is marked.
    const bool unlikely = kind == TextKind::kUnlikely || hash < known_end_;
    if (marked) return (unlikely ? sample->unlikely : sample->other).push_back(hash);
    (may_be_main && hash < end ? sample->main : sample->doubtful).push_back(hash);
  }

  // The next ones, up to `end`, of those that may be main.
  void DrawMore(bool own, std::uint32_t end, ShingleSample* sample) const {
    std::vector<std::uint64_t> more;
    for (const std::uint64_t entry : entries_) {
      const std::uint32_t hash = HashOf(entry);
      if (KindOf(entry) <= sample->widest && hash >= sample->bound && hash < end) {
        more.push_back(entry);
      }
    }
    more = Smallest(kSampleMore + 1, more);
    sample->main_bound = end;
    if (more.size() > kSampleMore) {
      sample->main_bound = HashOf(more.back());
      more.pop_back();
    }
    if (own) Prefetch(more);
    for (const std::uint64_t entry : more) Take(entry, own, end, sample);
  }

  void Prefetch(std::span<const std::uint64_t> entries) const {
    for (const std::uint64_t entry : entries) host_.Prefetch(HashOf(entry));
  }

  const HostSketch::Reader& host_;
  const std::uint32_t known_end_;
  const std::vector<std::uint64_t> entries_;
  const std::vector<std::uint64_t> smallest_;
  std::array<bool, 4> has_{};
};

std::span<const std::uint32_t> Below(std::span<const std::uint32_t> hashes, std::uint32_t bound) {
  const auto end = std::lower_bound(hashes.begin(), hashes.end(), bound);
  return hashes.first(static_cast<std::size_t>(end - hashes.begin()));
}

std::uint32_t CountShared(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::uint32_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[j];
    shared += x == y ? 1 : 0;
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return shared;
}

// In hundredths, as far as the host is known; one is added, so that few tell less than many.
std::uint32_t RepeatedOf(std::span<const std::uint32_t> main, const HostSketch::Reader& host) {
  const auto known = Below(main, host.known_end());
  const auto common =
      std::ranges::count_if(known, [&](std::uint32_t hash) { return host.IsCommon(hash); });
  return static_cast<std::uint32_t>(100 * static_cast<std::size_t>(common) / (known.size() + 1));
}

// Of a text that is all marked as the site's: what the host does not repeat, and the navigation
// within main, are the page's own sooner than the rest.
ShingleSample SampleOfMarked(const Sampler& sampler, const HostSketch::Reader& host) {
  for (const bool own : {true, false}) {
    if (own && host.knows_nothing()) continue;
    for (const TextKind widest : {TextKind::kUnlikely, TextKind::kBoilerplate}) {
      if (!own && widest == TextKind::kBoilerplate) continue;  // the whole
      ShingleSample sample = sampler.Draw(widest, own);
      if (sample.main.size() < kSampleMainMin) continue;
      sample.basis = Basis::kMainText;
      return sample;
    }
  }
  return sampler.Draw(TextKind::kBoilerplate, false);
}

}  // namespace

ShingleSample SampleShingles(const AnalyzedText& text, const HostSketch::Reader& host,
                             std::uint64_t key) {
  const Sampler sampler(text, host, key);
  const bool doubtful = sampler.Has(TextKind::kDoubtful);
  const bool boilerplate = sampler.Has(TextKind::kUnlikely) || sampler.Has(TextKind::kBoilerplate);
  ShingleSample sample;
  for (const bool own : {true, false}) {
    if (own && host.knows_nothing()) continue;
    for (const TextKind widest : {TextKind::kContent, TextKind::kDoubtful}) {
      if (widest == TextKind::kDoubtful && !doubtful) continue;
      sample = sampler.Draw(widest, own);
      if (sample.main.size() < (own ? kSampleOwnMin : kSampleMainMin)) continue;
      const bool all = !boilerplate && (!doubtful || widest == TextKind::kDoubtful);
      sample.basis = own ? Basis::kOwnText : all ? Basis::kWholeText : Basis::kMainText;
      if (!own) sample.repeated = RepeatedOf(sample.main, host);
      return sample;
    }
  }
  if (!boilerplate) return sample;
  if (sample.main.size() < kSampleFewMin) return SampleOfMarked(sampler, host);
  sample.basis = Basis::kMainText;
  return sample;
}

Overlap OverlapOf(const ShingleSample::View& a, const ShingleSample::View& b) {
  const std::uint32_t bound = std::min(a.bound, b.bound);
  const std::uint32_t main_bound = std::min(a.main_bound, b.main_bound);
  const auto main_a = Below(a.main, main_bound);
  const auto main_b = Below(b.main, main_bound);
  const std::uint32_t shared = CountShared(main_a, main_b);
  // (A sample that was stored by others may be anything: what is in two kinds counts once.)
  const auto found = [](std::span<const std::uint32_t> some, const ShingleSample::View& in) {
    const std::size_t all = std::size_t{CountShared(some, in.main)} +
                            CountShared(some, in.doubtful) + CountShared(some, in.unlikely) +
                            CountShared(some, in.other);
    return static_cast<std::uint32_t>(std::min(all, some.size()));
  };
  const auto lacking = [&](std::span<const std::uint32_t> some, const ShingleSample::View& in) {
    const std::uint64_t more = some.size() - found(some, in);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(more * main_bound / std::max(bound, 1U), kLackingMax));
  };
  // Few of the template's shingles are lacking where a date stands at its edge.
  const auto is_edge = [&](std::span<const std::uint32_t> some, const ShingleSample::View& in) {
    return some.size() - found(some, in) < kSampleFewMin || lacking(some, in) < kSampleMainMin;
  };
  const auto side = [&](std::span<const std::uint32_t> main, const ShingleSample::View& x,
                        const ShingleSample::View& y) {
    const auto other = Below(x.other, bound);
    return Overlap::Side{.main = static_cast<std::uint32_t>(main.size()),
                         .found = shared + CountShared(main, y.doubtful) +
                                  CountShared(main, y.unlikely) + CountShared(main, y.other),
                         .doubtful_lacking = lacking(Below(x.doubtful, bound), y),
                         .unlikely_lacking = lacking(Below(x.unlikely, bound), y),
                         .other_lacking = is_edge(other, y) ? 0 : lacking(other, y),
                         .other = static_cast<std::uint32_t>(other.size()),
                         .other_found = found(other, y)};
  };
  return {.a = side(main_a, a, b), .b = side(main_b, b, a)};
}

}  // namespace contentseen

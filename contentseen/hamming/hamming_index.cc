#include "contentseen/hamming/hamming_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "contentseen/hamming/hamming_lookup.h"
#include "contentseen/hamming/hamming_part.h"
#include "contentseen/hamming/hamming_scan.h"
#include "contentseen/hamming/hamming_table.h"
#include "contentseen/memory_refused.h"
#include "contentseen/mix.h"

namespace contentseen {
namespace {

// After so many tries in the way of growth a reader waits for it.
constexpr int kTriesMax = 8;

}  // namespace

class HammingIndex::Impl {
 public:
  Impl(const Options& options, HammingPlan plan)
      : options_(options),
        plan_(std::move(plan)),
        kernels_(ChooseHammingKernels(options.kernel)) {}

  base::Status Build();

  std::optional<Fingerprint> FindWithin(Fingerprint query) const;
  std::optional<Fingerprint> FindNearest(Fingerprint query) const;
  void FindBatch(std::span<const Fingerprint> queries,
                 std::span<std::optional<Fingerprint>> found) const;
  std::uint64_t LinesRead(Fingerprint query) const;
  bool VisitWithin(Fingerprint query, void* context, Visitor visit) const;
  void VisitAll(void* context, Visitor visit) const;
  bool Insert(Fingerprint fingerprint);
  std::uint64_t InsertBatch(std::span<const Fingerprint> fingerprints);
  std::uint64_t bytes() const;
  void Save(ImageWriter& image) const;
  bool Load(ImageReader& image);

  const Options& options() const { return options_; }
  const HammingPlan& plan() const { return plan_; }
  const HammingKernels& kernels() const { return kernels_; }
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  bool HasZero(Fingerprint query) const {
    return zero_.load(std::memory_order_acquire) &&
           static_cast<unsigned>(std::popcount(query)) <= options_.k;
  }
  std::optional<Fingerprint> FindByVisiting(Fingerprint query) const;

  bool InsertIntoCells(Fingerprint fingerprint);
  bool VisitTables(Fingerprint query, void* context, Visitor visit) const;
  bool VisitTable(std::size_t i, Fingerprint query, void* context, Visitor visit) const;
  bool VisitCells(Fingerprint query, void* context, Visitor visit) const;
  bool ReachedEarlier(std::size_t part, Fingerprint query, Fingerprint x) const;

  // Constant after Build().
  const Options options_;
  const HammingPlan plan_;
  const HammingKernels& kernels_;
  // Of the parts with a threshold; one kind or the other.
  std::vector<HammingPlan::Part> parts_;
  std::vector<std::unique_ptr<HammingTable>> tables_;
  std::vector<std::unique_ptr<HammingPart>> cells_;
  // By fingerprint: equal ones are inserted into cells one after another.
  std::array<base::Mutex, 256> cell_locks_;
  // Where all tables have a radius of at most one: the quick way.
  std::optional<HammingLookup> lookup_;

  // Released after the fingerprint is in every table; a number for showing.
  std::atomic<std::uint64_t> size_{0};
  // The fingerprint zero, which tables cannot hold. Released by its insertion.
  std::atomic<bool> zero_{false};
};

base::Status HammingIndex::Impl::Build() {
  for (const HammingPlan::Part& part : plan_.parts) {
    if (part.threshold >= 0) parts_.push_back(part);
  }
  for (const HammingPlan::Part& part : parts_) {
    if (plan_.layout == HammingPlan::Layout::kCells) {
      cells_.push_back(std::make_unique<HammingPart>(part.shift, part.width, part.threshold,
                                                     options_.k, kernels_));
      continue;
    }
    HammingTable::Options options;
    options.half_shift = part.shift;
    options.radius = static_cast<unsigned>(part.threshold);
    options.k = options_.k;
    options.expected_n = options_.expected_n;
    options.huge_pages = options_.huge_pages;
    auto table = HammingTable::Create(options, kernels_);
    if (!table) return base::Fail(table.error().message);
    tables_.push_back(std::move(*table));
  }
  if (std::ranges::all_of(parts_, [](const auto& part) { return part.threshold <= 1; }) &&
      !tables_.empty()) {
    lookup_.emplace(tables_);
  }
  return {};
}

// ---------------------------------------------------------------------------------------------
// Lookups

std::optional<Fingerprint> HammingIndex::Impl::FindByVisiting(Fingerprint query) const {
  std::optional<Fingerprint> found;
  VisitWithin(query, &found, [](void* context, Fingerprint x) {
    *static_cast<std::optional<Fingerprint>*>(context) = x;
    return false;
  });
  return found;
}

std::optional<Fingerprint> HammingIndex::Impl::FindWithin(Fingerprint query) const {
  if (HasZero(query)) return Fingerprint{0};
  for (int i = 0; lookup_ && i < kTriesMax; ++i) {
    if (HammingLookup::Answer answer = lookup_->Find(query)) return *answer;
  }
  // Or growth was always in the way: this waits for it.
  return FindByVisiting(query);
}

void HammingIndex::Impl::FindBatch(std::span<const Fingerprint> queries,
                                   std::span<std::optional<Fingerprint>> found) const {
  CHECK(queries.size() == found.size());
  if (!lookup_) {
    for (std::size_t i = 0; i < queries.size(); ++i) found[i] = FindWithin(queries[i]);
    return;
  }
  for (std::size_t i : lookup_->FindBatch(queries, found)) found[i] = FindWithin(queries[i]);
  if (!zero_.load(std::memory_order_acquire)) return;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (HasZero(queries[i])) found[i] = Fingerprint{0};
  }
}

std::uint64_t HammingIndex::Impl::LinesRead(Fingerprint query) const {
  if (lookup_) return lookup_->LinesRead(query);
  double estimate = 0;
  for (const HammingPlan::Part& part : plan_.parts) estimate += part.lines;
  return static_cast<std::uint64_t>(estimate);
}

// ---------------------------------------------------------------------------------------------
// Visiting

// Whether x, met in part `part`, was in reach of an earlier one already.
bool HammingIndex::Impl::ReachedEarlier(std::size_t part, Fingerprint query, Fingerprint x) const {
  for (std::size_t i = 0; i < part; ++i) {
    std::uint64_t mask = (std::uint64_t{1} << parts_[i].width) - 1;
    if (std::popcount((query ^ x) >> parts_[i].shift & mask) <= parts_[i].threshold) return true;
  }
  return false;
}

bool HammingIndex::Impl::VisitTable(std::size_t i, Fingerprint query, void* context,
                                    Visitor visit) const {
  std::vector<Fingerprint> met;
  auto collect = [](void* to, Fingerprint x) {
    static_cast<std::vector<Fingerprint>*>(to)->push_back(x);
    return true;
  };
  // Nothing is reported before it is known that no line moved meanwhile.
  bool valid = false;
  for (int tries = 0; !valid && tries < kTriesMax; ++tries) {
    met.clear();
    tables_[i]->Visit(query, &met, collect, &valid);
  }
  if (!valid) {
    met.clear();
    HammingTable::Standstill still(*tables_[i]);
    tables_[i]->Visit(query, &met, collect, &valid);
    CHECK(valid);
  }
  for (Fingerprint x : met) {
    if (!ReachedEarlier(i, query, x) && !visit(context, x)) return false;
  }
  return true;
}

bool HammingIndex::Impl::VisitCells(Fingerprint query, void* context, Visitor visit) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    bool all = cells_[i]->VisitWithin(
        query, [&](Fingerprint x) { return ReachedEarlier(i, query, x) || visit(context, x); });
    if (!all) return false;
  }
  return true;
}

bool HammingIndex::Impl::VisitTables(Fingerprint query, void* context, Visitor visit) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (!VisitTable(i, query, context, visit)) return false;
  }
  return true;
}

bool HammingIndex::Impl::VisitWithin(Fingerprint query, void* context, Visitor visit) const {
  if (HasZero(query) && !visit(context, 0)) return false;
  return cells_.empty() ? VisitTables(query, context, visit) : VisitCells(query, context, visit);
}

std::optional<Fingerprint> HammingIndex::Impl::FindNearest(Fingerprint query) const {
  struct Best {
    Fingerprint query;
    std::optional<Fingerprint> found;
  } best{query, {}};
  VisitWithin(query, &best, [](void* context, Fingerprint x) {
    auto& so_far = *static_cast<Best*>(context);
    auto rank = [&](Fingerprint y) { return std::pair(std::popcount(y ^ so_far.query), y); };
    if (!so_far.found || rank(x) < rank(*so_far.found)) so_far.found = x;
    return true;
  });
  return best.found;
}

void HammingIndex::Impl::VisitAll(void* context, Visitor visit) const {
  if (zero_.load(std::memory_order_acquire) && !visit(context, 0)) return;
  if (!tables_.empty()) {
    tables_[0]->VisitAll(context, visit);
    return;
  }
  bool going = true;
  cells_[0]->ForEach([&](Fingerprint x) { going = going && visit(context, x); });
}

// ---------------------------------------------------------------------------------------------
// Inserting

bool HammingIndex::Impl::Insert(Fingerprint fingerprint) {
  bool is_new = false;
  if (fingerprint == 0) {
    is_new = !zero_.exchange(true, std::memory_order_acq_rel);
  } else if (!tables_.empty()) {
    // Every table looks for itself, the first decides and is the last: when any thread's Insert
    // has returned, whatever its answer, all tables have the fingerprint.
    for (const auto& table : tables_) table->Prefetch(fingerprint);
    for (std::size_t t = tables_.size(); t-- > 0;) is_new = tables_[t]->Insert(fingerprint);
  } else {
    is_new = InsertIntoCells(fingerprint);
  }
  if (is_new) size_.fetch_add(1, std::memory_order_relaxed);
  return is_new;
}

// Looked for where the list is shortest: of those around one page each has bits flipped in some
// part.
bool HammingIndex::Impl::InsertIntoCells(Fingerprint fingerprint) {
  base::MutexLock lock(cell_locks_[Mix64(fingerprint) % cell_locks_.size()]);
  const auto size = [fingerprint](const auto& cells) { return cells->ListSize(fingerprint); };
  if ((*std::ranges::min_element(cells_, {}, size))->Contains(fingerprint)) return false;
  for (const auto& cells : cells_) cells->Append(fingerprint);
  return true;
}

std::uint64_t HammingIndex::Impl::InsertBatch(std::span<const Fingerprint> fingerprints) {
  std::uint64_t inserted = 0;
  if (tables_.empty()) {
    for (Fingerprint x : fingerprints) inserted += Insert(x) ? 1 : 0;
    return inserted;
  }
  for (std::size_t t = tables_.size(); t-- > 0;) inserted = tables_[t]->InsertBatch(fingerprints);
  if (std::find(fingerprints.begin(), fingerprints.end(), Fingerprint{0}) != fingerprints.end() &&
      !zero_.exchange(true, std::memory_order_acq_rel)) {
    ++inserted;
  }
  size_.fetch_add(inserted, std::memory_order_relaxed);
  return inserted;
}

// ---------------------------------------------------------------------------------------------
// Images. What Create() needs comes first, for HammingIndex::Load().

void HammingIndex::Impl::Save(ImageWriter& image) const {
  image.Put(options_.k);
  image.Put(options_.expected_n);
  image.Put(size());
  image.Put(std::uint32_t{zero_.load(std::memory_order_acquire)});
  for (const auto& table : tables_) table->Save(image);
  // Lists lie anywhere, and each part has all fingerprints.
  if (cells_.empty()) return;
  cells_[0]->ForEach([&image](Fingerprint x) { image.Put(x); });
}

bool HammingIndex::Impl::Load(ImageReader& image) {
  std::uint64_t size = 0;
  std::uint32_t zero = 0;
  if (!image.Take(size) || !image.Take(zero)) return false;
  zero_.store(zero != 0, std::memory_order_release);
  for (const auto& table : tables_) {
    if (!table->Load(image)) return false;
  }
  // Zero is in none of them.
  for (std::uint64_t n = zero; !cells_.empty() && n < size; ++n) {
    Fingerprint x = 0;
    if (!image.Take(x)) return false;
    for (const auto& cells : cells_) cells->Append(x);
  }
  size_.store(size, std::memory_order_relaxed);
  return true;
}

std::uint64_t HammingIndex::Impl::bytes() const {
  std::uint64_t bytes = sizeof(Impl);
  for (const auto& table : tables_) bytes += table->bytes();
  for (const auto& cells : cells_) bytes += cells->bytes();
  return bytes;
}

// ---------------------------------------------------------------------------------------------

HammingIndex::HammingIndex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HammingIndex::~HammingIndex() = default;

base::Result<std::unique_ptr<HammingIndex>> HammingIndex::Create(const Options& options) {
  const std::string expected = std::to_string(options.expected_n);
  if (options.expected_n > kHammingFingerprintsMax) {
    return base::Fail("the Hamming index has no room for " + expected +
                      " fingerprints, only for " + std::to_string(kHammingFingerprintsMax) +
                      ": expect fewer");
  }
  const auto create = [&]() -> base::Result<std::unique_ptr<HammingIndex>> {
    auto impl = std::make_unique<Impl>(options, ChooseHammingPlan(options.k, options.expected_n));
    if (base::Status built = impl->Build(); !built) return base::Fail(built.error().message);
    return std::unique_ptr<HammingIndex>(new HammingIndex(std::move(impl)));
  };
  return UnlessRefusedMemory(create, "the Hamming index, " + expected + " fingerprints expected",
                             "expect fewer");
}

// Past the noexcept of inserts: an index that is given up half filled is waited for by nobody.
template <class Fill>
base::Result<std::unique_ptr<HammingIndex>> HammingIndex::Filled(const Options& options,
                                                                 std::uint64_t size, Fill fill) {
  Options sized = options;
  sized.expected_n = std::max(options.expected_n, std::min(size, kHammingFingerprintsMax));
  const auto make = [&]() -> base::Result<std::unique_ptr<HammingIndex>> {
    auto index = Create(sized);
    if (index) fill(*(*index)->impl_);
    return index;
  };
  return UnlessRefusedMemory(make, "a Hamming index of " + std::to_string(size) + " fingerprints",
                             "give it fewer");
}

base::Result<std::unique_ptr<HammingIndex>> HammingIndex::Of(
    std::span<const Fingerprint> fingerprints, const Options& options) {
  return Filled(options, fingerprints.size(),
                [fingerprints](Impl& impl) { impl.InsertBatch(fingerprints); });
}

void HammingIndex::Save(ImageWriter& image) const { impl_->Save(image); }

base::Result<std::unique_ptr<HammingIndex>> HammingIndex::Load(ImageReader& image,
                                                               const Options& options) {
  Options saved = options;
  if (!image.Take(saved.k) || !image.Take(saved.expected_n)) return image.Refusal();
  if (saved.k != options.k) return base::Fail("the image is of an index with another k");
  const auto load = [&]() -> base::Result<std::unique_ptr<HammingIndex>> {
    auto index = Create(saved);
    if (index && !(*index)->impl_->Load(image)) return image.Refusal();
    return index;
  };
  return UnlessRefusedMemory(load, "the image of a Hamming index", "use a machine with more");
}

base::Result<std::unique_ptr<HammingIndex>> HammingIndex::Rebuilt(const Options& options) const {
  return Filled(options, size(),
                [this](Impl& impl) { ForEach([&impl](Fingerprint x) { impl.Insert(x); }); });
}

std::optional<Fingerprint> HammingIndex::FindWithin(Fingerprint query) const {
  return impl_->FindWithin(query);
}
std::optional<Fingerprint> HammingIndex::FindNearest(Fingerprint query) const {
  return impl_->FindNearest(query);
}
void HammingIndex::FindBatch(std::span<const Fingerprint> queries,
                             std::span<std::optional<Fingerprint>> found) const {
  impl_->FindBatch(queries, found);
}
std::uint64_t HammingIndex::LinesRead(Fingerprint query) const { return impl_->LinesRead(query); }
void HammingIndex::VisitWithin(Fingerprint query, void* context, Visitor visit) const {
  impl_->VisitWithin(query, context, visit);
}
void HammingIndex::VisitAll(void* context, Visitor visit) const {
  impl_->VisitAll(context, visit);
}
// Growth locks regions by hand and tells readers to wait: thrown out of there, a bad_alloc would
// leave both for ever.
bool HammingIndex::Insert(Fingerprint fingerprint) noexcept { return impl_->Insert(fingerprint); }
std::uint64_t HammingIndex::InsertBatch(std::span<const Fingerprint> fingerprints) noexcept {
  return impl_->InsertBatch(fingerprints);
}
std::uint64_t HammingIndex::size() const { return impl_->size(); }
std::uint64_t HammingIndex::bytes() const { return impl_->bytes(); }
unsigned HammingIndex::k() const { return impl_->options().k; }
const HammingPlan& HammingIndex::plan() const { return impl_->plan(); }
std::string HammingIndex::kernel_name() const { return impl_->kernels().name; }

}  // namespace contentseen

#include "contentseen/hamming/hamming_lookup.h"

#include <algorithm>

namespace contentseen {
namespace {

// Queries that are prepared, and whose home lines are asked for and compared, at once: alone each
// prefetch would wait for its address to be translated, and hold up what follows.
constexpr std::size_t kGroup = 8;

}  // namespace

// REQUIRES: at most kGroup queries.
void HammingLookup::Prepare(std::span<const std::uint64_t> queries, Probes* const* probes) const {
  std::array<HammingProbe*, kGroup> of;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    for (std::size_t i = 0; i < queries.size(); ++i) of[i] = &probes[i]->of[t];
    tables_[t]->Prepare(queries, of.data());
  }
}

// Whether there may be something in a home line.
bool HammingLookup::NearHomes(const Probes& probes) const {
  bool near = false;
  for (std::size_t t = 0; t < tables_.size(); ++t) near |= tables_[t]->NearHome(probes.of[t]);
  return near;
}

// What table t has just given, unless it was rewritten meanwhile.
HammingLookup::Answer HammingLookup::IfValid(std::size_t t, const Probes& probes,
                                             std::optional<std::uint64_t> found) const {
  return tables_[t]->Valid(probes.of[t]) ? Answer(found) : std::nullopt;
}

HammingLookup::Answer HammingLookup::AtHomes(const Probes& probes) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    auto found = tables_[t]->FindAtHome(probes.of[t]);
    if (found) return IfValid(t, probes, found);
  }
  return Answer(std::in_place);
}

void HammingLookup::Around(Probes& probes, const Probes* next) const {
  probes.settled = false;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const HammingTable& table = *tables_[t];
    if (probes.settled) {
      if (next != nullptr) table.PrefetchAround(next->of[t]);
      continue;
    }
    const std::uint32_t near = table.ScanAround(
        probes.of[t], &table, next == nullptr ? nullptr : &next->of[t], probes.pending[t]);
    auto found = table.FindNear(probes.of[t], near, probes.pending[t]);
    if (!found) {
      table.PrefetchPending(probes.pending[t]);
      continue;
    }
    probes.settled = true;
    probes.answer = IfValid(t, probes, found);
  }
}

void HammingLookup::FetchElsewhere(Probes& probes) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t]->FetchPending(probes.pending[t]);
}

HammingLookup::Answer HammingLookup::Elsewhere(const Probes& probes) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    auto found = tables_[t]->FindElsewhere(probes.of[t], probes.pending[t]);
    if (!tables_[t]->Valid(probes.of[t])) return std::nullopt;
    if (found) return Answer(found);
  }
  return Answer(std::in_place);
}

HammingLookup::Answer HammingLookup::Find(std::uint64_t query) const {
  Probes probes;
  // One table's lines are under way while the other's are worked out.
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    HammingProbe* const probe = &probes.of[t];
    tables_[t]->Prepare({&query, 1}, &probe);
    tables_[t]->PrefetchHome(*probe);
    tables_[t]->PrefetchAround(*probe);
  }
  if (NearHomes(probes)) {
    Answer home = AtHomes(probes);
    if (!home || *home) return home;
  }
  // The lines of both tables one after the other, and only then what was seen in them: a branch
  // that waits for the first table's would keep the second's from being compared.
  std::array<std::uint32_t, 2> near{};
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    near[t] = tables_[t]->ScanAround(probes.of[t], nullptr, nullptr, probes.pending[t]);
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    auto found = tables_[t]->FindNear(probes.of[t], near[t], probes.pending[t]);
    if (found) return IfValid(t, probes, found);
  }
  FetchElsewhere(probes);
  return Elsewhere(probes);
}

std::uint64_t HammingLookup::LinesRead(std::uint64_t query) const {
  Probes probes;
  Probes* const of = &probes;
  Prepare({&query, 1}, &of);
  std::uint64_t lines = tables_.size();
  Answer home = AtHomes(probes);
  if (!home || *home) return lines;
  for (const HammingProbe& probe : std::span(probes.of).first(tables_.size())) {
    lines += probe.count - 1 + (probe.flipped == HammingProbe::kNone ? 0 : 1);
  }
  Around(probes, nullptr);
  if (!probes.settled) FetchElsewhere(probes);
  for (std::size_t t = 0; t < tables_.size() && !probes.settled; ++t) {
    lines += probes.pending[t].overflow_count;
  }
  return lines;
}

/// Four stages. Home lines are asked for a group of queries at a time, a group ahead. Who finds
/// nothing there has the lines around fetched, one for each that an earlier query compares. Where
/// the overflow lines are is asked for when it is known that they are needed, they themselves a
/// query later, and another query later they are compared.
class HammingLookup::Batch {
 public:
  Batch(const HammingLookup& lookup, std::span<const std::uint64_t> queries,
        std::span<std::optional<std::uint64_t>> found)
      : lookup_(lookup), queries_(queries), found_(found) {
    for (std::size_t i = 0; i < ring_.size(); ++i) ring_[i] = &all_[i];
  }

  std::vector<std::size_t> Run() {
    Begin(0);
    for (std::size_t first = 0; first < queries_.size(); first += kGroup) {
      Begin(first + kGroup);
      Probes** group = &ring_[first % ring_.size()];
      const std::size_t count = std::min(kGroup, queries_.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        if (lookup_.NearHomes(*group[i]) && SettledAtHome(*group[i], first + i)) continue;
        group[i]->number = first + i;
        group[i] = Advance(group[i]);
      }
    }
    for (std::size_t i = 0; i < kFlight; ++i) Advance(nullptr);
    return std::move(again_);
  }

 private:
  // So many queries set out between a query's asking for the lines around and their comparison,
  // and between that and the comparison of its overflow lines.
  static constexpr std::size_t kAhead = 2;
  static constexpr std::size_t kLag = 2;
  static constexpr std::size_t kFlight = kAhead + kLag;

  void Begin(std::size_t first) {
    if (first >= queries_.size()) return;
    const std::size_t count = std::min(kGroup, queries_.size() - first);
    Probes* const* group = &ring_[first % ring_.size()];
    lookup_.Prepare(queries_.subspan(first, count), group);
    for (std::size_t t = 0; t < lookup_.tables_.size(); ++t) {
      for (std::size_t i = 0; i < count; ++i) lookup_.tables_[t]->PrefetchHome(group[i]->of[t]);
    }
  }

  void Settle(std::size_t number, const Answer& answer) {
    if (answer) {
      found_[number] = *answer;
    } else {
      again_.push_back(number);
    }
  }

  bool SettledAtHome(const Probes& probes, std::size_t number) {
    const Answer home = lookup_.AtHomes(probes);
    if (home && !*home) return false;
    Settle(number, home);
    return true;
  }

  // `next` sets out, unless null, and those under way go a stage on; returns probes of no more
  // use.
  Probes* Advance(Probes* next) {
    Probes* around = flight_[(turn_ + kLag) % kFlight];
    Probes* fetch = flight_[(turn_ + 1) % kFlight];
    Probes* overflow = flight_[turn_];
    if (fetch != nullptr && !fetch->settled) lookup_.FetchElsewhere(*fetch);
    if (around != nullptr) {
      lookup_.Around(*around, next);
      if (around->settled) Settle(around->number, around->answer);
    } else if (next != nullptr) {
      for (std::size_t t = 0; t < lookup_.tables_.size(); ++t) {
        lookup_.tables_[t]->PrefetchAround(next->of[t]);
      }
    }
    if (overflow != nullptr && !overflow->settled) {
      Settle(overflow->number, lookup_.Elsewhere(*overflow));
    }
    flight_[turn_] = next;
    Probes* unused = overflow != nullptr ? overflow : &all_[2 * kGroup + turn_];
    turn_ = (turn_ + 1) % kFlight;
    return unused;
  }

  const HammingLookup& lookup_;
  const std::span<const std::uint64_t> queries_;
  const std::span<std::optional<std::uint64_t>> found_;
  std::vector<std::size_t> again_;
  // Those whose home lines are under way, by number; each points to one of all_.
  std::array<Probes*, 2 * kGroup> ring_;
  // Those that went on from there, from turn_ on the oldest first; null: none yet.
  std::array<Probes*, kFlight> flight_ = {};
  std::size_t turn_ = 0;
  std::array<Probes, 2 * kGroup + kFlight> all_;
};

std::vector<std::size_t> HammingLookup::FindBatch(
    std::span<const std::uint64_t> queries, std::span<std::optional<std::uint64_t>> found) const {
  return Batch(*this, queries, found).Run();
}

}  // namespace contentseen

#include "frontier/frontier_state.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace frontier {
namespace {

// In a block of store::Table::kSeen, big-endian.
constexpr std::size_t kHashBytes = 8;

// In store::Table::kAbout: the next entry number, pages ended, who read robots.txt, and what the
// wall clock said.
constexpr std::string_view kFrontierKey = "frontier";
// What a wall clock can say, in milliseconds: to the year 2255.
constexpr std::uint64_t kWallMax = 9'000'000'000'000;

}  // namespace

void Frontier::State::Touch(std::uint32_t host_id) {
  if (store_ == nullptr || std::exchange(hosts_[host_id].changed, true)) return;
  changed_hosts_.push_back(host_id);
}

FrontierStats Frontier::State::Save(store::Batch& batch) {
  base::MutexLock lock(mutex_);
  const WallTimes times(clock_, wall_ahead_);
  batch.Append(std::exchange(changes_, {}));
  for (std::uint32_t id : changed_hosts_) {
    std::string key;
    base::AppendBigEndian(id, key, 4);
    batch.Put(store::Table::kHosts, key, HostRecord(hosts_[id], times));
    hosts_[id].changed = false;
  }
  changed_hosts_.clear();
  if (!new_hashes_.empty()) {
    std::string key;
    // A number of its own: no block may take the place of another, even where no URL was numbered
    // between the two (one that was found to stand for others has its number).
    base::AppendBigEndian(++next_entry_, key);
    batch.Put(store::Table::kSeen, key, new_hashes_);
    new_hashes_.clear();
  }
  std::string about;
  base::AppendVarint(next_entry_, about);
  base::AppendVarint(pages_ - pages_out_, about);
  base::AppendBigEndian(options_.robots_reader, about);
  base::AppendVarint(static_cast<std::uint64_t>(times.WallNow()), about);
  batch.Put(store::Table::kAbout, kFrontierKey, about);
  return StatsNow();
}

void Frontier::State::Saved() {
  Wake wake;
  {
    base::MutexLock lock(mutex_);
    const base::Time now = clock_.Now();
    const std::vector<QueuePlace> starved = std::exchange(starved_, {});
    for (const QueuePlace& place : starved) {
      Feed(place);
      Replace(place.host, now);
    }
    if (!starved.empty()) wake = TakeWake();
  }
  Call(wake);
}

base::Status Frontier::State::Restore() {
  base::MutexLock lock(mutex_);
  CHECK(store_ != nullptr && hosts_.empty() && next_entry_ == 1);
  auto about = store_->Get(store::Table::kAbout, kFrontierKey);
  if (!about) return base::Fail(about.error().message);
  if (!*about) return {};  // nothing was ever committed
  base::ByteReader reader(**about);
  next_entry_ = reader.Varint();
  pages_ = reader.Varint();
  const bool same_reader = reader.BigEndian() == options_.robots_reader;
  const auto written = std::chrono::milliseconds(std::min(reader.Varint(), kWallMax));
  if (!reader.AtEnd()) return base::Fail("the frontier's own record is none");
  // Where the clock was set back, time goes on from there.
  wall_ahead_ = std::max(base::WallTime(written) - clock_.WallNow(), base::WallTime::duration(0));
  const WallTimes times(clock_, wall_ahead_);
  first_own_entry_ = next_entry_;
  auto seeds = store_->Read(store::Table::kSeeds);
  for (; seeds->Valid(); seeds->Next()) {
    const std::optional<Url> seed = Url::FromStored(std::string(seeds->key()));
    if (!seed) return base::Fail("the table of seeds has a key that is no URL");
    scope_.AddSeed(*seed);
  }
  if (base::Status read = seeds->status(); !read) return read;
  // Two large tables, that do not touch. (Where no thread is to be had, one after the other.)
  auto other = std::async([this] { return RestoreSeen(); });
  base::Status read = RestoreHosts(times);
  if (read) read = RestoreQueue(times);
  if (!same_reader) ForgetRobots();
  const base::Status seen = other.get();
  if (!read || !seen) return read ? seen : read;
  // The seeds of this process, which widen its scope, are not known yet.
  std::swap(retries_, restored_retries_);
  for (std::uint32_t id = 0; id < hosts_.size(); ++id) {
    for (std::uint32_t origin = 0; origin < hosts_[id].origins.size(); ++origin) {
      restored_origins_.push_back({id, origin});
    }
    Replace(id, times.now());
  }
  return {};
}

base::Status Frontier::State::RestoreHosts(const WallTimes& times) {
  auto cursor = store_->Read(store::Table::kHosts);
  for (; cursor->Valid(); cursor->Next()) {
    std::string name;
    auto host = ReadHostRecord(cursor->value(), times, options_, &name);
    base::ByteReader key(cursor->key());
    if (!host) return base::Fail(host.error().message);
    if (key.BigEndian(4) != hosts_.size() || !key.AtEnd() || host_ids_.contains(name)) {
      return base::Fail("the table of hosts has a gap or a name twice");
    }
    Host& added = AddHost(name);
    host->name = added.name;
    host->domain = added.domain;
    added = std::move(*host);
    domains_.accepted(added.domain) += added.accepted;
    // Who starts the crawl again wants a dead host tried again.
    if (added.Dead(options_)) added.failures = 0;
    const std::string address = std::exchange(added.address_text, {});
    if (!address.empty()) MoveToAddress(added, address);
    trap_bytes_ += added.TrapBytes();
  }
  return cursor->status();
}

void Frontier::State::ForgetRobots() {
  for (Host& host : hosts_) {
    for (Origin& origin : host.origins) {
      origin.robots = Origin::Robots::kUnknown;
      origin.crawl_delay = base::Duration(0);
    }
  }
}

base::Status Frontier::State::RestoreSeen() {
  auto cursor = store_->Read(store::Table::kSeen);
  for (; cursor->Valid(); cursor->Next()) {
    if (cursor->value().size() % kHashBytes != 0) {
      return base::Fail("the table of URLs seen has a block that is none");
    }
    std::array<std::uint64_t, kBatch> hashes{};
    for (base::ByteReader rest(cursor->value()); !rest.AtEnd();) {
      const std::size_t size = std::min(kBatch, rest.rest().size() / kHashBytes);
      for (std::size_t i = 0; i < size; ++i) seen_.Prefetch(hashes[i] = rest.BigEndian());
      for (std::size_t i = 0; i < size; ++i) seen_.InsertHash(hashes[i]);
    }
  }
  return cursor->status();
}

base::Status Frontier::State::RestoreQueue(const WallTimes& times) {
  // The first few of each origin are kept, so that none has to be looked for again at once.
  QueuePlace origin;
  std::size_t nth = 0;
  auto cursor = store_->Read(store::Table::kQueue);
  for (; cursor->Valid(); cursor->Next()) {
    std::uint64_t entry = 0;
    std::int64_t retry_at = 0;
    const auto place = QueuePlace::Read(cursor->key(), &entry);
    if (!place) return base::Fail(place.error().message);
    const auto record = ReadQueueValue(cursor->value(), &retry_at);
    if (!record) return base::Fail(record.error().message);
    if (place->host >= hosts_.size() || place->origin >= hosts_[place->host].origins.size() ||
        entry >= next_entry_) {
      return base::Fail("the queue has an entry of no known host");
    }
    if (retry_at == 0) {
      if (place->host != origin.host || place->origin != origin.origin) nth = 0;
      origin = *place;
      const bool first = nth++ < kRefillWhenShort;
      PushBack(hosts_[place->host], *place, entry, *record, first);
      continue;
    }
    Wait({.when = times.FromWall(retry_at, options_.retry_delay_max),
          .turn = retry_turns_++,
          .host = place->host,
          .origin = place->origin,
          .entry = entry,
          .record = std::string(*record)});
  }
  return cursor->status();
}

}  // namespace frontier

// The tables of a data directory, entry by entry: a table's number, a key and a value, each behind
// its length. Whatever stands there is taken back or refused, and what was taken back can be
// worked with.

#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "contentseen/content_seen.h"
#include "contentseen/document_record.h"
#include "crawler/crawl/crawl_state.h"
#include "crawler/pipeline/robots_record.h"
#include "crawler/pipeline/soft_404.h"
#include "frontier/frontier.h"
#include "fuzz/fuzz_input.h"
#include "store/memory_store.h"

namespace {

void Fill(std::string_view bytes, store::Store& store) {
  base::ByteReader reader(bytes);
  store::Batch batch;
  while (reader.ok() && !reader.AtEnd()) {
    const std::uint64_t table = reader.BigEndian(1) % store::kTables;
    const std::string_view key = reader.Text();
    const std::string_view value = reader.Text();
    if (reader.ok()) batch.Put(static_cast<store::Table>(table), key, value);
  }
  CHECK(store.Write(batch, store::Durability::kProcess).has_value());
}

void ReadDocuments(const store::Store& store) {
  auto seen = contentseen::ContentSeen::Create({.verified = {.host_sketch_kib = 4}});
  auto cursor = store.Read(store::Table::kDocuments);
  for (; cursor->Valid(); cursor->Next()) {
    base::ByteReader key(cursor->key());
    const auto record = contentseen::DecodeDocument(key.BigEndian(), cursor->value());
    if (!key.AtEnd() || !record) continue;
    const auto again = contentseen::DecodeDocument(record->id, Encode(*record));
    CHECK(again && *again == *record);
    static_cast<void>((*seen)->Restore(*record));
  }
}

void WalkFrontier(const store::Store& store) {
  const base::FakeClock clock;
  frontier::ScopeOptions reach;
  reach.reach = frontier::ScopeReach::kAny;
  auto scope = frontier::Scope::Make(reach);
  frontier::Frontier frontier({.delay = {}, .queue_bytes_max = 1'000}, **scope, clock, &store);
  if (!frontier.Restore()) return;
  for (int i = 0; i < 20; ++i) {
    frontier::Acquired next = frontier.Acquire();
    auto* lease = std::get_if<frontier::Lease>(&next);
    if (lease == nullptr) break;
    CHECK(lease->url().path().starts_with('/'));
    if (lease->kind() == frontier::Lease::Kind::kRobots) {
      frontier.EndRobots(std::move(*lease), {}, frontier::RobotsKnown{});
    } else {
      frontier.End(std::move(*lease), {});
    }
  }
  store::Batch batch;
  frontier.Save(batch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  store::MemoryStore store;
  Fill(fuzz::Input(data, size).Rest(), store);
  static_cast<void>(crawler::ReadSnapshot(store));
  auto robots = store.Read(store::Table::kRobots, {}, {});
  for (; robots->Valid(); robots->Next()) {
    static_cast<void>(crawler::ReadRobots(store, robots->key()));
  }
  crawler::Soft404 soft_404({}, 0, 3);
  static_cast<void>(soft_404.Restore(store));
  ReadDocuments(store);
  WalkFrontier(store);
  return 0;
}

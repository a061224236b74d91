#include "crawler/settings/crawl_settings.h"

#include <optional>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "contentseen/detectors/lexicon.h"
#include "crawler/settings/option_table.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kSettingPrefix = "setting:";
constexpr std::string_view kAfterSettings = "setting;";  // ';' follows ':'
constexpr std::string_view kSecretPrefix = "secret:";
constexpr std::string_view kAfterSecrets = "secret;";
constexpr std::string_view kHashKey = "hash_key";
constexpr std::string_view kK = "contentseen.k";

constexpr std::string_view kLexicon = "lexicon";

// What pages and URLs are compared by. Of a lexicon its terms count, not the file's name.
bool MustStay(const Option& option) {
  return (option.section == "contentseen" || option.section == "url") &&
         option.Name() != "contentseen.lexicon";
}

base::Status KeepLexicon(const contentseen::ContentSeenOptions& options, const store::Store& store,
                         store::Batch& batch) {
  if (options.detector != "i-match") return {};
  auto lexicon = contentseen::Lexicon::Read(options.i_match.lexicon);
  if (!lexicon) return base::Fail(lexicon.error().message);
  auto before = store.Get(Table::kAbout, kLexicon);
  if (!before) return base::Fail(before.error().message);
  const std::string now = lexicon->version();
  if (*before && **before != now) {
    return base::Fail("contentseen.lexicon: " + options.i_match.lexicon + " is of version " + now +
                      ", and this crawl began with version " + **before +
                      ", so what it keeps could not be compared: name the file it began with, or "
                      "begin another crawl with --data or --fresh");
  }
  batch.Put(Table::kAbout, kLexicon, now);
  return {};
}

// Belongs to a run, not to the crawl.
bool IsOfARun(const Option& option) {
  return option.Name() == "crawl.data" || option.section == "log" || option.section == "metrics";
}

// Notes that a secret option is set, and nothing of it.
void NoteSecret(const Option& option, const OptionTable& defaults, store::Batch& batch) {
  const std::string key = std::string(kSecretPrefix) + option.Name();
  if (option.get() == defaults.Find(option.Name())->get()) {
    batch.Delete(Table::kAbout, key);
  } else {
    batch.Put(Table::kAbout, key, "");
  }
}

// Against URLs made to collide in the hash tables: nobody outside can know it.
std::uint64_t RandomKey() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

// What stands under a prefix, by what follows it.
base::Result<KeptOptions> ReadNamed(const store::Store& store, std::string_view prefix,
                                    std::string_view after) {
  KeptOptions named;
  auto cursor = store.Read(Table::kAbout, prefix, after);
  for (; cursor->Valid(); cursor->Next()) {
    named.emplace(cursor->key().substr(prefix.size()), cursor->value());
  }
  if (auto read = cursor->status(); !read) return base::Fail(read.error().message);
  return named;
}

base::Result<std::uint64_t> KeepHashKey(store::Store& store, store::Batch& batch) {
  auto kept = store.Get(Table::kAbout, kHashKey);
  if (!kept) return base::Fail(kept.error().message);
  if (*kept) {
    base::ByteReader reader(**kept);
    const std::uint64_t key = reader.BigEndian();
    if (!reader.AtEnd()) return base::Fail("the hash key in the store is none");
    return key;
  }
  const std::uint64_t key = RandomKey();
  std::string value;
  base::AppendBigEndian(key, value);
  batch.Put(Table::kAbout, kHashKey, value);
  return key;
}

}  // namespace

base::Result<EarlierOptions> ReadEarlierOptions(const store::Store& store) {
  auto kept = ReadNamed(store, kSettingPrefix, kAfterSettings);
  if (!kept) return base::Fail(kept.error().message);
  auto secret = ReadNamed(store, kSecretPrefix, kAfterSecrets);
  if (!secret) return base::Fail(secret.error().message);
  EarlierOptions earlier{.kept = std::move(*kept), .secret = {}};
  for (const auto& [name, nothing] : *secret) earlier.secret.insert(name);
  return earlier;
}

base::Result<CrawlSettings> KeepSettings(const Options& options, store::Store& store) {
  Options copy = options;
  const OptionTable table = DeclareOptions(copy);
  Options fresh;
  const OptionTable defaults = DeclareOptions(fresh);
  auto earlier = ReadEarlierOptions(store);
  if (!earlier) return base::Fail(earlier.error().message);
  CrawlSettings settings;
  store::Batch batch;
  for (const Option& option : table.options()) {
    if (IsOfARun(option)) continue;
    if (option.secret) {
      NoteSecret(option, defaults, batch);
      continue;
    }
    const std::string now = TomlText(option.get());
    batch.Put(Table::kAbout, std::string(kSettingPrefix) + option.Name(), now);
    const auto before = earlier->kept.find(option.Name());
    if (!MustStay(option) || before == earlier->kept.end() || before->second == now) continue;
    if (option.Name() != kK) {
      return base::Fail(option.Name() + " was " + before->second +
                        " when this crawl began and is " + now +
                        " now, so what it keeps could not be compared: leave it as it was, " +
                        "or begin another crawl with --data or --fresh");
    }
    settings.notes.push_back(option.Name() + " was " + before->second + " so far and is " + now +
                             " now: pages judged from here on are held against it");
  }
  if (auto kept = KeepLexicon(options.contentseen, store, batch); !kept) {
    return base::Fail(kept.error().message);
  }
  auto hash_key = KeepHashKey(store, batch);
  if (!hash_key) return base::Fail(hash_key.error().message);
  settings.hash_key = *hash_key;
  if (auto written = store.Write(batch, store::Durability::kPower); !written) {
    return base::Fail(written.error().message);
  }
  return settings;
}

}  // namespace crawler

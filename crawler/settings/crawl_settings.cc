#include "crawler/settings/crawl_settings.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/random_seed.h"
#include "contentseen/detectors/lexicon.h"
#include "crawler/settings/option_table.h"

namespace crawler {
namespace {

using store::Table;

constexpr std::string_view kSettingPrefix = "setting:";
constexpr std::string_view kSecretPrefix = "secret:";
constexpr std::string_view kHashKey = "hash_key";
constexpr std::string_view kK = "contentseen.k";

constexpr std::string_view kLexicon = "lexicon";

constexpr std::string_view kNarrowed =
    "URLs that wait and are out of scope now wait on, for a start with a wider scope";
constexpr std::string_view kWidened =
    "links left out before are not taken up again, unless a further page has them";

// What pages and URLs are compared by. Of a lexicon its terms count, not the file's name.
bool MustStay(const Option& option) {
  return (option.section == "contentseen" || option.section == "url") &&
         option.Name() != "contentseen.lexicon" && option.Name() != kK;
}

enum class Change { kNarrower, kWider, kEither };

// What an option that leaves URLs out does since it changed.
Change ChangeOf(const Option& option, const std::string& before) {
  const OptionValue now = option.get();
  if (option.kind == OptionKind::kInteger) {
    const auto earlier = ValueFromArgument(option, before);
    return earlier && now < *earlier ? Change::kNarrower : Change::kWider;
  }
  if (option.kind == OptionKind::kChoice) {
    for (const std::string& word : option.words) {  // the narrowest first
      if (OptionValue(word) == now) return Change::kNarrower;
      if (TomlText(word) == before) return Change::kWider;
    }
  }
  if (option.kind == OptionKind::kTextList) {
    const std::string none = TomlText(std::vector<std::string>());
    if (before == none) return Change::kNarrower;
    if (TomlText(now) == none) return Change::kWider;
  }
  return Change::kEither;
}

// What a changed option means to a crawl that goes on; empty where nobody need be told.
std::string NoteOn(const Option& option, const std::string& before) {
  std::string means;
  if (option.Name() == kK) means = "pages judged from here on are held against it";
  if (option.leaves_out) {
    const Change change = ChangeOf(option, before);
    if (option.section == "scope" && change != Change::kWider) means = kNarrowed;
    if (change == Change::kEither && !means.empty()) means += "; ";
    if (change != Change::kNarrower) means += kWidened;
  }
  if (means.empty()) return means;
  return option.Name() + " was " + before + " so far and is " + TomlText(option.get()) +
         " now: " + means;
}

// The version of the lexicon; nothing where the detector needs none. Fails where the crawl began
// with another one.
base::Result<std::optional<std::string>> LexiconOf(const contentseen::ContentSeenOptions& options,
                                                   const store::Store& store) {
  if (options.detector != "i-match") return std::nullopt;
  auto lexicon = contentseen::Lexicon::Read(options.i_match.lexicon);
  if (!lexicon) return base::Fail(lexicon.error().message);
  auto before = store.Get(Table::kAbout, kLexicon);
  if (!before) return base::Fail(before.error().message);
  std::string now = lexicon->version();
  if (*before && **before != now) {
    return base::Fail("contentseen.lexicon: " + options.i_match.lexicon + " is of version " + now +
                      ", and this crawl began with version " + **before +
                      ", so what it keeps could not be compared: name the file it began with, or "
                      "begin another crawl with --data or --fresh");
  }
  return now;
}

// Spells out the names of files, which mean others when the crawl goes on in another directory.
// (A whole name that no option can have, of bytes that are not UTF-8, stays as it was given.)
void SpellOutFiles(const OptionTable& table) {
  for (const char* name : {"fetch.ca_file", "fetch.cookies", "contentseen.lexicon"}) {
    const Option* option = table.Find(name);
    const auto file = std::get<std::string>(option->get());
    if (file.empty() || file == "off" || file == "memory") continue;
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(file, error);
    if (!error) static_cast<void>(option->set(OptionValue(whole.string())));
  }
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

// What stands under a prefix, by what follows it.
base::Result<KeptOptions> ReadNamed(const store::Store& store, std::string_view prefix) {
  KeptOptions named;
  auto cursor = store.ReadPrefix(Table::kAbout, prefix);
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
  // Against URLs made to collide in the hash tables.
  const std::uint64_t key = base::RandomSeed();
  std::string value;
  base::AppendBigEndian(key, value);
  batch.Put(Table::kAbout, kHashKey, value);
  return key;
}

}  // namespace

base::Result<EarlierOptions> ReadEarlierOptions(const store::Store& store) {
  auto kept = ReadNamed(store, kSettingPrefix);
  if (!kept) return base::Fail(kept.error().message);
  auto secret = ReadNamed(store, kSecretPrefix);
  if (!secret) return base::Fail(secret.error().message);
  EarlierOptions earlier{.kept = std::move(*kept), .secret = {}};
  for (const auto& [name, nothing] : *secret) earlier.secret.insert(name);
  return earlier;
}

base::Result<std::vector<std::string>> CompareSettings(const Options& options,
                                                       const store::Store& store) {
  Options copy = options;
  const OptionTable table = DeclareOptions(copy);
  auto earlier = ReadEarlierOptions(store);
  if (!earlier) return base::Fail(earlier.error().message);
  std::vector<std::string> notes;
  for (const Option& option : table.options()) {
    const auto before = earlier->kept.find(option.Name());
    if (before == earlier->kept.end()) continue;
    const std::string now = TomlText(option.get());
    if (before->second == now) continue;
    if (MustStay(option)) {
      return base::Fail(option.Name() + " was " + before->second +
                        " when this crawl began and is " + now +
                        " now, so what it keeps could not be compared: leave it as it was, " +
                        "or begin another crawl with --data or --fresh");
    }
    if (std::string note = NoteOn(option, before->second); !note.empty()) {
      notes.push_back(std::move(note));
    }
  }
  auto lexicon = LexiconOf(options.contentseen, store);
  if (!lexicon) return base::Fail(lexicon.error().message);
  return notes;
}

base::Result<CrawlSettings> KeepSettings(const Options& options, store::Store& store) {
  CrawlSettings settings;
  auto notes = CompareSettings(options, store);
  if (!notes) return base::Fail(notes.error().message);
  settings.notes = std::move(*notes);
  Options copy = options;
  const OptionTable table = DeclareOptions(copy);
  SpellOutFiles(table);
  Options fresh;
  const OptionTable defaults = DeclareOptions(fresh);
  store::Batch batch;
  for (const Option& option : table.options()) {
    if (IsOfARun(option)) continue;
    if (option.secret) {
      NoteSecret(option, defaults, batch);
    } else {
      batch.Put(Table::kAbout, std::string(kSettingPrefix) + option.Name(),
                TomlText(option.get()));
    }
  }
  auto lexicon = LexiconOf(options.contentseen, store);
  if (!lexicon) return base::Fail(lexicon.error().message);
  if (*lexicon) batch.Put(Table::kAbout, kLexicon, **lexicon);
  auto hash_key = KeepHashKey(store, batch);
  if (!hash_key) return base::Fail(hash_key.error().message);
  settings.hash_key = *hash_key;
  if (auto written = store.Write(batch, store::Durability::kPower); !written) {
    return base::Fail(written.error().message);
  }
  return settings;
}

}  // namespace crawler

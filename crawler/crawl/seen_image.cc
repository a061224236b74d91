#include "crawler/crawl/seen_image.h"

#include <optional>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/random_seed.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;
using store::Table;

constexpr std::string_view kKey = "seen_image";

/// In the store: which image counts, and for what.
struct Word {
  std::string name;
  std::uint64_t k = 0;
  contentseen::DocumentId last = contentseen::kNoDocument;
};

// Never one twice: an image that was only half replaced is not taken for a whole one.
std::string NewName() {
  std::string name;
  for (int i = 0; i < 2; ++i) base::AppendBigEndian(base::RandomSeed(), name);
  return name;
}

base::Result<std::optional<Word>> ReadWord(const store::Store& store) {
  auto value = store.Get(Table::kAbout, kKey);
  if (!value) return base::Fail(value.error().message);
  if (!*value) return std::nullopt;
  base::ByteReader reader(**value);
  Word word;
  word.name = std::string(reader.Text());
  word.k = reader.Varint();
  word.last = reader.Varint();
  if (!reader.AtEnd()) return base::Fail("the store's word on the index's image is none");
  return word;
}

}  // namespace

base::Result<SeenImage> LoadSeen(const contentseen::ContentSeenOptions& options,
                                 const fs::path& directory, const store::Store& store) {
  auto word = ReadWord(store);
  if (!word) return base::Fail(word.error().message);
  SeenImage image;
  if (!*word) return image;
  image.last_taken = (*word)->last;
  // With another k it is no use, and there is nothing wrong with it.
  if ((*word)->k != static_cast<std::uint64_t>(options.k)) return image;
  auto seen = contentseen::ContentSeen::Load(options, directory / kSeenImageFolder, (*word)->name);
  if (seen) {
    image.seen = std::move(*seen);
    image.last = (*word)->last;
  } else {
    image.complaint = seen.error().message + "; what was seen is read from the store instead";
  }
  return image;
}

base::Status SaveSeen(const contentseen::ContentSeen& seen, contentseen::DocumentId last,
                      const fs::path& directory, store::Store& store) {
  const std::string name = NewName();
  base::Status saved = seen.Save(directory / kSeenImageFolder, name);
  if (saved) {
    std::string value;
    base::AppendText(name, value);
    base::AppendVarint(static_cast<std::uint64_t>(seen.options().k), value);
    base::AppendVarint(last, value);
    store::Batch batch;
    batch.Put(Table::kAbout, kKey, value);
    saved = store.Write(batch, store::Durability::kProcess);
  }
  if (!saved) {
    std::error_code ignored;  // what stays is of no name that the store knows
    fs::remove_all(directory / kSeenImageFolder, ignored);
  }
  return saved;
}

}  // namespace crawler

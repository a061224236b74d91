// docs/contentseen.md against the library: what a menu costs where passages or host are left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "contentseen/content_seen.h"
#include "tests/read_file.h"

namespace contentseen {
namespace {

constexpr int kSites = 8;
constexpr int kPages = 200;
constexpr int kMenuWords = 300;

struct Given {
  bool passages = false;
  bool host = false;
  const char* detector = "verified";
};

std::string MadeWords(std::mt19937_64& random, int count) {
  std::string words;
  for (int i = 0; i < count; ++i) {
    words.append("w").append(std::to_string(random() % 5'000)).append(" ");
  }
  return words;
}

// Of the pages of a site, which `seed` decides, those that are taken for near-duplicates.
int NearPages(std::uint64_t seed, int own_words, const Given& given) {
  std::mt19937_64 random(seed);
  const std::string menu = MadeWords(random, kMenuWords) + "\n";
  const std::vector<Passage> passages = {
      {.begin = 0, .boilerplate = 255},
      {.begin = static_cast<std::uint32_t>(menu.size()), .boilerplate = 0}};
  const auto seen = ContentSeen::Create({.detector = given.detector}).value();
  int near = 0;
  for (DocumentId id = 1; id <= kPages; ++id) {
    const std::string text = menu + MadeWords(random, own_words);
    Submission page{.id = id, .body = Sha256(text), .text = text};
    if (given.passages) page.passages = passages;
    if (given.host) page.host = 77;
    near += seen->CheckAndInsert(page).kind == Kind::kNear ? 1 : 0;
  }
  return near;
}

// As the table has it: the least of all sites, and the most.
std::string Cell(int own_words, const Given& given) {
  std::vector<int> near;
  for (int seed = 1; seed <= kSites; ++seed) near.push_back(NearPages(seed, own_words, given));
  const auto [least, most] = std::minmax_element(near.begin(), near.end());
  std::string cell = std::to_string(*least);
  if (*least < *most) cell.append(" to ").append(std::to_string(*most));
  return cell;
}

TEST(TemplateTable, IsWhatTheDocumentSays) {
  const std::string document =
      tests::ReadFile(std::filesystem::path(CONTENTSEEN_SOURCE) / "docs/contentseen.md");
  for (const int own_words : {40, 100, 150, 200, 400}) {
    std::string row = "\n| ";
    row.append(std::to_string(own_words));
    for (const Given& given : {Given{}, Given{.host = true}, Given{.passages = true, .host = true},
                               Given{.detector = "simhash"}}) {
      row.append(" | ").append(Cell(own_words, given));
    }
    row.append(" |\n");
    EXPECT_NE(document.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace contentseen

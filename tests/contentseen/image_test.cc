#include "contentseen/image.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "base/check.h"
#include "contentseen/content_seen.h"
#include "contentseen/detectors/detectors.h"
#include "tests/contentseen/hex_detector.h"
#include "tests/contentseen/memory_limit.h"
#include "tests/contentseen/texts.h"
#include "tests/temp_folder.h"

namespace contentseen {
namespace {

namespace fs = std::filesystem;

class Images : public testing::Test {
 protected:
  const tests::TempFolder folder_;
};

using ImageTest = Images;

// Numbers, then 200,000 more (several blocks), then memory that is mostly zeros.
struct Content {
  std::uint32_t number = 0;
  std::vector<std::uint64_t> many;
  std::vector<std::byte> sparse;

  static Content MadeUp() {
    std::mt19937_64 random(1);
    Content content = {7, std::vector<std::uint64_t>(200'000), std::vector<std::byte>(100'001)};
    for (std::uint64_t& x : content.many) x = random();
    for (int i = 0; i < 500; ++i) content.sparse[random() % content.sparse.size()] = std::byte{9};
    std::fill_n(content.sparse.begin() + 8192, 4096, std::byte{1});
    content.sparse.back() = std::byte{2};
    return content;
  }
  void Write(const fs::path& path, std::string_view name) const {
    ImageWriter image(path, name);
    image.Put(number);
    image.Put(std::span<const std::uint64_t>(many));
    image.PutSparse(sparse);
    ASSERT_TRUE(image.Close());
  }
  // Empty when it is there and whole; else why not.
  std::string Read(const fs::path& path, std::string_view name) const {
    ImageReader image(path, name);
    Content read = {0, std::vector<std::uint64_t>(many.size()),
                    std::vector<std::byte>(sparse.size())};
    if (!image.Take(read.number) || !image.Take(std::span(read.many)) ||
        !image.TakeSparse(read.sparse) || !image.AtEnd()) {
      return image.failure().empty() ? "not at its end" : image.failure();
    }
    EXPECT_EQ(read.number, number);
    EXPECT_EQ(read.many, many);
    EXPECT_EQ(read.sparse, sparse);
    return "";
  }
};

TEST_F(ImageTest, GivesBackWhatWasPut) {
  const Content content = Content::MadeUp();
  content.Write(folder_ / "a", "name");
  EXPECT_EQ(content.Read(folder_ / "a", "name"), "");
  // Of the sparse memory, 100,001 bytes, a third is there.
  EXPECT_LT(fs::file_size(folder_ / "a"), 8 * content.many.size() + 50'000);
}

TEST_F(ImageTest, RefusesAnotherName) {
  const Content content = Content::MadeUp();
  content.Write(folder_ / "a", "name");
  EXPECT_NE(content.Read(folder_ / "a", "names").find("was saved under another name"),
            std::string::npos);
}

TEST_F(ImageTest, SaysThatItIsNotThere) {
  const std::string why = Content::MadeUp().Read(folder_ / "none", "name");
  EXPECT_NE(why.find("none: No such file"), std::string::npos) << why;
}

TEST_F(ImageTest, NoticesAnyFlippedBitAndAnyLostEnd) {
  const Content content = Content::MadeUp();
  content.Write(folder_ / "a", "name");
  const std::string sound = tests::ReadFile(folder_ / "a");
  std::mt19937_64 random(2);
  std::vector<std::size_t> places = {0, 7, 8, 23, 24, sound.size() - 24, sound.size() - 1};
  for (int i = 0; i < 60; ++i) places.push_back(random() % sound.size());
  for (const std::size_t place : places) {
    std::string damaged = sound;
    damaged[place] = static_cast<char>(damaged[place] ^ 1 << random() % 8);
    tests::WriteFile(folder_ / "b", damaged);
    const std::string why = content.Read(folder_ / "b", "name");
    EXPECT_NE(why, "") << place;
    EXPECT_EQ(why.find("another name"), std::string::npos) << place;
    tests::WriteFile(folder_ / "b", sound.substr(0, place));
    EXPECT_NE(content.Read(folder_ / "b", "name"), "") << place;
  }
}

TEST_F(ImageTest, NoticesABlockOfAnotherImage) {
  Content content = Content::MadeUp();
  content.Write(folder_ / "a", "name");
  content.many[10] ^= 1;
  content.Write(folder_ / "b", "name");
  // The name and the first block of one, with their checksums, before the rest of the other.
  const std::size_t block = 24 + 16 + 24 + (std::size_t{1} << 20);
  const std::string a = tests::ReadFile(folder_ / "a");
  const std::string b = tests::ReadFile(folder_ / "b");
  tests::WriteFile(folder_ / "c", a.substr(0, block) + b.substr(block));
  EXPECT_NE(content.Read(folder_ / "c", "name").find("is damaged"), std::string::npos);
}

TEST_F(ImageTest, NoticesBytesBehindTheEnd) {
  const Content content = Content::MadeUp();
  content.Write(folder_ / "a", "name");
  const std::string sound = tests::ReadFile(folder_ / "a");
  for (const std::string& more : {std::string(1, '\0'), std::string("x"), sound}) {
    tests::WriteFile(folder_ / "b", sound + more);
    EXPECT_NE(content.Read(folder_ / "b", "name").find("goes on"), std::string::npos);
  }
}

TEST_F(ImageTest, TheEndStaysTheEnd) {
  {
    ImageWriter writer(folder_ / "a", "name");
    writer.Put(std::uint64_t{5});
    ASSERT_TRUE(writer.Close());
  }
  ImageReader image(folder_ / "a", "name");
  EXPECT_FALSE(image.AtEnd());
  std::uint64_t number = 0;
  ASSERT_TRUE(image.Take(number));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(image.AtEnd()) << i;
  EXPECT_EQ(image.failure(), "");
  EXPECT_FALSE(image.Take(number));
  EXPECT_NE(image.failure().find("ends too early"), std::string::npos);
  EXPECT_FALSE(image.AtEnd());
}

TEST_F(ImageTest, ADiskThatIsFullIsSaidAtTheEnd) {
  ImageWriter image("/dev/full", "name");
  image.Put(std::uint64_t{1});
  const base::Status closed = image.Close();
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message.find("No space left"), std::string::npos);
}

// ---- Of a ContentSeen

std::vector<std::string> Pages(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> articles;
  for (int i = 0; i < 30; ++i) articles.push_back(tests::Words(random, 60 + random() % 300));
  std::vector<std::string> pages;
  while (pages.size() < count) {
    std::vector<std::string> words = articles[random() % articles.size()];
    for (std::size_t edits = random() % 3 * 12; edits > 0; --edits) {
      words[random() % words.size()] = "edit" + std::to_string(random() % 1000);
    }
    if (random() % 4 == 0) words = tests::Words(random, 5 + random() % 200);
    for (std::size_t i = 0; i < words.size(); i += 7) words[i] = "the";  // spotsigs needs such
    pages.push_back(tests::Joined(words));
  }
  return pages;
}

Submission SubmissionOf(DocumentId id, const std::string& page) {
  // One of a few hosts; now and then the bytes are told apart though the text is the same.
  return {
      .id = id, .body = Sha256(page + std::to_string(id % 3)), .text = page, .host = 1 + id % 4};
}

class ContentSeenImages : public Images, public testing::WithParamInterface<std::string_view> {
 protected:
  ContentSeenOptions Options() {
    ContentSeenOptions options;
    options.detector = GetParam();
    options.features.key = 5;
    options.verified.host_sketch_kib = 64;
    return options;
  }
};

TEST_P(ContentSeenImages, JudgeOnAsIfNothingHadHappened) {
  const std::vector<std::string> pages = Pages(3, 600);
  auto seen = ContentSeen::Create(Options());
  ASSERT_TRUE(seen);
  for (std::size_t i = 0; i < 400; ++i) (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  ASSERT_TRUE((*seen)->Save(folder_ / "seen", "first"));

  auto loaded = ContentSeen::Load(Options(), folder_ / "seen", "first");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->counts().documents, (*seen)->counts().documents);
  EXPECT_EQ((*loaded)->counts().bodies, (*seen)->counts().bodies);
  EXPECT_EQ((*loaded)->counts().near, (*seen)->counts().near);
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const Submission again = SubmissionOf(1'000 + i - i % 3, pages[i]);
    EXPECT_EQ((*loaded)->FindExact(again.body), (*seen)->FindExact(again.body)) << i;
    Verdict verdict = (*loaded)->CheckAndInsert(SubmissionOf(1'000 + i, pages[i]));
    Verdict expected = (*seen)->CheckAndInsert(SubmissionOf(1'000 + i, pages[i]));
    verdict.sequence = expected.sequence = 0;
    ASSERT_EQ(verdict, expected) << i;
    repeated += verdict.IsNew() ? 0 : 1;
  }
  EXPECT_GT(repeated, 400u);
  EXPECT_LT(repeated, pages.size());
}

TEST_P(ContentSeenImages, RefuseOtherOptionsNamesAndBytes) {
  auto seen = ContentSeen::Create(Options());
  ASSERT_TRUE(seen);
  const std::vector<std::string> pages = Pages(4, 50);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  }
  ASSERT_TRUE((*seen)->Save(folder_.path(), "name"));
  EXPECT_TRUE(ContentSeen::Load(Options(), folder_.path(), "name"));
  const auto expect_of_others = [&](const ContentSeenOptions& options, const char* name) {
    const auto loaded = ContentSeen::Load(options, folder_.path(), name);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("under another name, with other options"),
              std::string::npos)
        << loaded.error().message;
  };
  expect_of_others(Options(), "other");
  ContentSeenOptions options = Options();
  options.k = 4;
  expect_of_others(options, "name");
  options = Options();
  options.features.key = 6;
  expect_of_others(options, "name");
  options = Options();
  options.documents_expected = 10'000;
  EXPECT_TRUE(ContentSeen::Load(options, folder_.path(), "name"));

  std::mt19937_64 random(5);
  for (const char* part : {"bodies", "texts", "detector"}) {
    const std::string sound = tests::ReadFile(folder_ / part);
    for (int i = 0; i < 20; ++i) {
      std::string damaged = sound;
      const std::size_t place = random() % sound.size();
      damaged[place] = static_cast<char>(damaged[place] ^ 1 << random() % 8);
      tests::WriteFile(folder_ / part, damaged);
      const auto loaded = ContentSeen::Load(Options(), folder_.path(), "name");
      ASSERT_FALSE(loaded) << part << place;
      EXPECT_NE(loaded.error().message.find(part), std::string::npos);
    }
    tests::WriteFile(folder_ / part, sound + '\0');
    EXPECT_FALSE(ContentSeen::Load(Options(), folder_.path(), "name")) << part;
    tests::WriteFile(folder_ / part, sound);
  }
  EXPECT_TRUE(ContentSeen::Load(Options(), folder_.path(), "name"));
}

// All of one name, as of who saves again and again. Whichever file is the older one's.
TEST_P(ContentSeenImages, RefuseFilesOfTwo) {
  const auto seen = ContentSeen::Create(Options());
  ASSERT_TRUE(seen);
  const std::vector<std::string> pages = Pages(11, 60);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (i == 30) {
      ASSERT_TRUE((*seen)->Save(folder_ / "0", "name"));
    }
    (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  }
  ASSERT_TRUE((*seen)->Save(folder_ / "1", "name"));
  fs::create_directory(folder_ / "mixed");
  const std::array parts = {"bodies", "texts", "detector"};
  for (unsigned mixture = 0; mixture < 1U << parts.size(); ++mixture) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      fs::copy_file(folder_ / std::to_string(mixture >> i & 1) / parts[i],
                    folder_ / "mixed" / parts[i], fs::copy_options::overwrite_existing);
    }
    const auto loaded = ContentSeen::Load(Options(), folder_ / "mixed", "name");
    const std::string said = loaded ? "" : loaded.error().message;
    const bool whole = mixture == 0 || mixture == (1U << parts.size()) - 1;
    EXPECT_EQ(said.find("mixed: its files are of two images") != said.npos, !whole) << mixture;
    EXPECT_EQ(loaded.has_value(), whole) << mixture << said;
  }
}

// A sound image is never called damaged, and it takes no more address space than an empty index.
TEST_F(ImageTest, RefusedMemoryIsSaid) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  const std::vector<std::string> pages = Pages(6, 50);
  for (const char* detector : {"simhash", "verified"}) {
    const ContentSeenOptions options{.detector = detector};
    const std::uint64_t before = tests::AddressSpace();
    auto seen = ContentSeen::Create(options);
    ASSERT_TRUE(seen);
    const std::uint64_t cost = tests::AddressSpace() - before;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
    }
    ASSERT_TRUE((*seen)->Save(folder_ / detector, "name"));
    seen->reset();
    const auto load = [&] { return ContentSeen::Load(options, folder_ / detector, "name"); };
    EXPECT_EXIT(tests::ExpectRefusals(cost - (100 << 20), load), testing::ExitedWithCode(0), "");
  }
}

// Where nothing is left but what other calls hold: of the detector, whose reason is passed on.
TEST_F(ImageTest, RefusedAddressSpaceIsNotTakenForDamage) {
  if (tests::kSanitized) GTEST_SKIP() << "sanitizers end the process themselves";
  for (const char* name : {"simhash", "verified"}) {
    const auto load = [&] {
      const std::uint64_t before = tests::AddressSpace();
      const auto detector = MakeDetector(name, {});
      const std::uint64_t cost = tests::AddressSpace() - before;
      {
        ImageWriter image(folder_ / name, name);
        CHECK((*detector)->Save(image));
        CHECK(image.Close());
      }
      ImageReader image(folder_ / name, name);
      tests::LimitAddressSpace(before + cost / 2);
      const base::Status loaded = (*detector)->Load(image);
      std::fputs(loaded ? "loaded" : loaded.error().message.c_str(), stderr);
      std::_Exit(0);
    };
    EXPECT_EXIT(load(), testing::ExitedWithCode(0), "cannot reserve .* MB of address space");
  }
}

// What verified learnt of a host: from signatures, and from the image.
TEST_F(ImageTest, WhatAHostRepeatsComesBack) {
  std::mt19937_64 random(7);
  const std::string notice = tests::Article(random, 200);
  const auto seen = ContentSeen::Create({});
  const auto restored = ContentSeen::Create({});
  ASSERT_TRUE(seen && restored);
  for (DocumentId id = 1; id <= 5; ++id) {
    const std::string page = notice + tests::Article(random, 400);
    DocumentRecord record;
    EXPECT_TRUE((*seen)->CheckAndInsert({.id = id, .text = page, .host = 1}, &record).IsNew());
    const auto read = DecodeDocument(id, Encode(record));
    ASSERT_TRUE(read);
    ASSERT_TRUE((*restored)->Restore(*read));
  }
  ASSERT_TRUE((*seen)->Save(folder_.path(), "name"));
  const auto loaded = ContentSeen::Load({}, folder_.path(), "name");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::string page = notice + tests::Article(random, 300);
  const Submission sixth{.id = 6, .text = page, .host = 1};
  for (ContentSeen* each : {seen->get(), restored->get(), loaded->get()}) {
    EXPECT_EQ(each->CheckAndInsert(sixth).basis, Basis::kOwnText);
  }
}

TEST_F(ImageTest, ADetectorThatKeepsNoneSaysSo) {
  const ContentSeen seen({}, std::make_unique<tests::HexDetector>(3));
  const base::Status saved = seen.Save(folder_.path(), "name");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().message, "the detector hex keeps no image");
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  tests::HexDetector other(3);
  ImageReader image(folder_ / "detector", "name");
  EXPECT_EQ(other.Load(image).error().message, "the detector hex keeps no image");
}

// Another method's index under the options' name would find nothing, or read nonsense.
TEST_F(ImageTest, IsKnownByItsDetectorNotByTheOptions) {
  const ContentSeenOptions options{.detector = "shingling"};
  const auto simhash = [&] { return std::move(*MakeDetector("simhash", options)); };
  ContentSeen seen(options, simhash());
  const std::string page = Pages(8, 1).front();
  seen.CheckAndInsert({.id = 1, .text = page});
  ASSERT_TRUE(seen.Save(folder_.path(), "name"));
  const auto built_in = ContentSeen::Load(options, folder_.path(), "name");
  ASSERT_FALSE(built_in);
  EXPECT_NE(built_in.error().message.find("with other options"), std::string::npos);

  const auto loaded = ContentSeen::Load(options, folder_.path(), "name", simhash());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->CheckAndInsert({.id = 2, .text = page + " more"}).original, 1U);
  EXPECT_TRUE(
      ContentSeen::Load({.detector = "of another's making"}, folder_.path(), "name", simhash()));
  // The options' own serves as well where it is the same.
  EXPECT_TRUE(ContentSeen::Load({.detector = "simhash"}, folder_.path(), "name"));
}

// No file may be longer than `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit less{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  }
  ~FileSizeLimit() { EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(ImageTest, OneThatCannotBeWrittenLeavesTheLastOne) {
  const auto seen = ContentSeen::Create({.detector = "simhash"});
  ASSERT_TRUE(seen);
  const std::vector<std::string> pages = Pages(9, 200);
  for (std::size_t i = 0; i < pages.size() / 2; ++i) {
    (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  }
  ASSERT_TRUE((*seen)->Save(folder_.path(), "first"));
  const std::uint64_t documents = (*seen)->counts().documents;
  for (std::size_t i = pages.size() / 2; i < pages.size(); ++i) {
    (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  }
  std::vector<std::uintmax_t> sizes;
  for (const char* part : {"detector", "bodies", "texts"}) {
    sizes.push_back(fs::file_size(folder_ / part));
  }
  std::sort(sizes.begin(), sizes.end());
  // Each part in turn is the first that has no room.
  for (const std::uintmax_t bytes : sizes) {
    const FileSizeLimit full(bytes - 1);
    const base::Status saved = (*seen)->Save(folder_.path(), "second");
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find("File too large"), std::string::npos);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 3);
    const auto last = ContentSeen::Load({.detector = "simhash"}, folder_.path(), "first");
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_EQ((*last)->counts().documents, documents);
  }
  ASSERT_TRUE((*seen)->Save(folder_.path(), "second"));
  EXPECT_TRUE(ContentSeen::Load({.detector = "simhash"}, folder_.path(), "second"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 3);
}

TEST_F(ImageTest, SavesAtOnceLeaveOneThatIsWhole) {
  const auto seen = ContentSeen::Create({.detector = "simhash"});
  ASSERT_TRUE(seen);
  const std::vector<std::string> pages = Pages(9, 200);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    (*seen)->CheckAndInsert(SubmissionOf(i + 1, pages[i]));
  }
  for (int round = 0; round < 10; ++round) {
    std::vector<std::future<base::Status>> saves;
    for (int i = 0; i < 3; ++i) {
      saves.push_back(std::async(std::launch::async,
                                 [&] { return (*seen)->Save(folder_.path(), "periodic"); }));
    }
    for (auto& save : saves) EXPECT_TRUE(save.get());
    ASSERT_TRUE(ContentSeen::Load({.detector = "simhash"}, folder_.path(), "periodic"));
  }
}

TEST_F(ImageTest, AFolderInTheWayLeavesTheLastOne) {
  const auto seen = ContentSeen::Create({.detector = "simhash"});
  ASSERT_TRUE(seen);
  ASSERT_TRUE((*seen)->Save(folder_.path(), "first"));
  fs::remove(folder_ / "texts");
  fs::create_directory(folder_ / "texts");
  const base::Status saved = (*seen)->Save(folder_.path(), "second");
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("texts: is a folder"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "bodies"));
}

TEST_F(ImageTest, ASaveWithoutADirectorySaysThatNoneIsNamed) {
  const auto seen = ContentSeen::Create({.detector = "simhash"});
  ASSERT_TRUE(seen);
  const base::Status saved = (*seen)->Save("", "name");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().message, "no directory is named to save an image in");
}

INSTANTIATE_TEST_SUITE_P(All, ContentSeenImages,
                         testing::Values("verified", "simhash", "shingling", "random-projection",
                                         "combined", "spotsigs", "minhash", "text-profile"),
                         [](const auto& each) {
                           std::string name(each.param);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace contentseen

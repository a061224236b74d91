#include "contentseen/detectors/lexicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace contentseen {
namespace {

using testing::HasSubstr;

class LexiconTest : public testing::Test {
 protected:
  ~LexiconTest() override { unlink(path_.c_str()); }

  void Add(LexiconBuilder& builder, std::string_view text) {
    text_.Assign(text);
    builder.Add(text_);
  }

  std::string ReadBack() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  void Overwrite(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  AnalyzedText text_{FeatureOptions{}};
  const std::string path_ = testing::TempDir() + "lexicon_test." + std::to_string(getpid());
};

// N = 99: nidf of 1, 10, 99 documents is 1, .5 and .002.
LexiconBuilder HundredLessOne() {
  LexiconBuilder builder;
  AnalyzedText text{FeatureOptions{}};
  for (int i = 0; i < 99; ++i) {
    std::string words = "everywhere everywhere unique" + std::to_string(i);
    if (i < 10) words += " middling mäßig";
    text.Assign(words);
    builder.Add(text);
  }
  return builder;
}

TEST_F(LexiconTest, TakesTheTermsInTheWindow) {
  const Lexicon lexicon = HundredLessOne().Build({});
  EXPECT_EQ(lexicon.terms().size(), 2u);
  EXPECT_TRUE(lexicon.Contains("middling"));
  EXPECT_TRUE(lexicon.Contains("mässig"));  // as normalised
  EXPECT_FALSE(lexicon.Contains("everywhere"));
  EXPECT_FALSE(lexicon.Contains("unique1"));
  EXPECT_EQ(lexicon.terms()[0].documents, 10u);
  EXPECT_EQ(lexicon.documents(), 99u);
  EXPECT_EQ(HundredLessOne().Build({0, 100}).terms().size(), 102u);
  EXPECT_EQ(HundredLessOne().Build({50, 50}).terms().size(), 2u) << "the ends belong to it";
}

TEST_F(LexiconTest, IsReadAsItWasWritten) {
  const Lexicon lexicon = HundredLessOne().Build({10, 90});
  ASSERT_TRUE(lexicon.Write(path_).has_value());
  const auto read = Lexicon::Read(path_);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->version(), lexicon.version());
  EXPECT_EQ(read->terms().size(), lexicon.terms().size());
  EXPECT_TRUE(read->Contains("middling"));
  EXPECT_EQ(read->window().nidf_max_percent, 90u);
  EXPECT_NE(lexicon.version(), HundredLessOne().Build({}).version());
}

TEST_F(LexiconTest, EveryDamageIsNoticed) {
  ASSERT_TRUE(HundredLessOne().Build({}).Write(path_).has_value());
  const std::string whole = ReadBack();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    Overwrite(damaged);
    ASSERT_FALSE(Lexicon::Read(path_).has_value()) << i;
    Overwrite(whole.substr(0, i));
    ASSERT_FALSE(Lexicon::Read(path_).has_value()) << i;
  }
  Overwrite(whole + "more\n");
  EXPECT_THAT(Lexicon::Read(path_).error().message, HasSubstr("damaged"));
  Overwrite("contentseen-lexicon 2\n");
  EXPECT_THAT(Lexicon::Read(path_).error().message, HasSubstr("no lexicon of version 1"));
  EXPECT_THAT(Lexicon::Read(path_ + ".none").error().message, HasSubstr("cannot open"));
  EXPECT_THAT(Lexicon::Read(testing::TempDir()).error().message, HasSubstr("cannot read"));
  EXPECT_FALSE(HundredLessOne().Build({}).Write("/nowhere/lexicon").has_value());
}

TEST_F(LexiconTest, TheRarestAreForgottenWhenThereAreTooMany) {
  LexiconBuilder builder(/*terms_max=*/100);
  for (int i = 0; i < 500; ++i) {
    Add(builder, "often rare" + std::to_string(2 * i) + " rare" + std::to_string(2 * i + 1));
  }
  const Lexicon lexicon = builder.Build({0, 100});
  EXPECT_LE(lexicon.terms().size(), 101u);
  EXPECT_TRUE(lexicon.Contains("often"));
}

// Each stands in a tenth of one half, among twenty words of its page's own.
TEST_F(LexiconTest, ATermThatComesLateIsKeptAsOneThatCameEarly) {
  constexpr int kPages = 8'000;
  LexiconBuilder builder(/*terms_max=*/1000);
  for (int i = 0; i < kPages; ++i) {
    std::string words = i % 10 != 0 ? "" : i < kPages / 2 ? "early" : "late";
    for (int w = 0; w < 20; ++w) words += " own" + std::to_string(20 * i + w);
    Add(builder, words);
  }
  const Lexicon lexicon = builder.Build({0, 100});
  EXPECT_LE(lexicon.terms().size(), 1000u);
  const auto documents_of = [&lexicon](std::string_view text) -> std::uint64_t {
    const auto& terms = lexicon.terms();
    const auto found = std::ranges::find(terms, text, &Lexicon::Term::text);
    return found == terms.end() ? 0 : found->documents;
  };
  // Too small at most by what each was counted before it was forgotten.
  EXPECT_GE(documents_of("early"), kPages / 20 - 5);
  EXPECT_GE(documents_of("late"), kPages / 20 - 5);
}

}  // namespace
}  // namespace contentseen

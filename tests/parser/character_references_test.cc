#include "parser/character_references.h"

#include <gtest/gtest.h>

#include <string>

namespace parser {
namespace {

TEST(CharacterReferencesTest, AReferenceEndsWhereNothingMoreBelongsToIt) {
  EXPECT_EQ(ReferenceLength("&"), 1u);
  EXPECT_EQ(ReferenceLength("& x"), 1u);
  EXPECT_EQ(ReferenceLength("&amp;x"), 5u);
  EXPECT_EQ(ReferenceLength("&ampx y"), 5u);
  EXPECT_EQ(ReferenceLength("&#65;x"), 5u);
  EXPECT_EQ(ReferenceLength("&#65x"), 4u);
  EXPECT_EQ(ReferenceLength("&#x41g"), 5u);
  EXPECT_EQ(ReferenceLength("&#x;"), 1u);
  EXPECT_EQ(ReferenceLength("&CounterClockwiseContourIntegral;x"), 33u);
  // A number may be padded, a name may not.
  EXPECT_EQ(ReferenceLength("&#" + std::string(5'000, '0') + "65;x"), 5'005u);
  EXPECT_EQ(ReferenceLength("&" + std::string(5'000, 'a')), 40u);
}

TEST(CharacterReferencesTest, WhiteSpaceMayBeWrittenAsAReference) {
  for (const auto* space :
       {"&#32;", "&#32", "&#x20;", "&#X00000a", "&#9;", "&Tab;", "&NewLine;"}) {
    EXPECT_TRUE(IsSpaceReference(space)) << space;
  }
  for (const auto* other : {"&", "&nbsp;", "&#160;", "&#0;", "&#x120;", "&tab;", "&a9;", "&#"}) {
    EXPECT_FALSE(IsSpaceReference(other)) << other;
  }
}

}  // namespace
}  // namespace parser

#include "crawler/fetch/uncoded_origins.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

TEST(UncodedOriginsTest, TellsOriginsApartAndForgetsWhenFull) {
  UncodedOrigins uncoded;
  uncoded.Add("http://a.test/x");
  EXPECT_TRUE(uncoded.Has("http://a.test/y?z"));
  EXPECT_FALSE(uncoded.Has("https://a.test/x"));
  EXPECT_FALSE(uncoded.Has("http://a.test:8080/x"));
  for (int i = 0; i < 2'500; ++i) {
    const std::string url = "https://h" + std::to_string(i) + ".test/";
    uncoded.Add(url);
    EXPECT_TRUE(uncoded.Has(url));
    EXPECT_LE(uncoded.size(), UncodedOrigins::kOriginsMax);
  }
}

}  // namespace
}  // namespace crawler

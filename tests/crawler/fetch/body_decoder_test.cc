#include "crawler/fetch/body_decoder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/crawler/fetch/compress.h"

namespace crawler {
namespace {

using State = BodyDecoder::State;

constexpr std::size_t kLimit = std::size_t{2} * 1024 * 1024;

struct Outcome {
  State state = State::kMore;
  bool ended = false;
  std::string body;
};

/// Decodes `wire` given in pieces of `piece` bytes.
Outcome Decode(BodyDecoder& decoder, ContentCoding coding, std::string_view wire,
               std::size_t piece = 4096, std::size_t limit = kLimit) {
  Outcome outcome;
  decoder.Start(coding, limit);
  while (!wire.empty() && outcome.state == State::kMore) {
    outcome.state = decoder.Write(wire.substr(0, piece), outcome.body);
    wire.remove_prefix(std::min(piece, wire.size()));
  }
  outcome.ended = decoder.Ended();
  return outcome;
}

Outcome Decode(ContentCoding coding, std::string_view wire, std::size_t piece = 4096,
               std::size_t limit = kLimit) {
  BodyDecoder decoder;
  return Decode(decoder, coding, wire, piece, limit);
}

/// Text that compresses like a page, about 4:1.
std::string Page(std::size_t bytes) {
  static constexpr std::string_view kWords[] = {"harbour", "ferry ", "<p>",  "the ",
                                                "council", " of ",   "tram", "</p>\n"};
  std::mt19937 random(7);
  std::string page;
  while (page.size() < bytes) {
    page += kWords[random() % 8];
    page += std::to_string(random() % 1000);
  }
  page.resize(bytes);
  return page;
}

TEST(ContentCodingTest, ReadsTheHeader) {
  EXPECT_EQ(ParseContentCoding(""), ContentCoding::kIdentity);
  EXPECT_EQ(ParseContentCoding("identity"), ContentCoding::kIdentity);
  EXPECT_EQ(ParseContentCoding(" GZip "), ContentCoding::kGzip);
  EXPECT_EQ(ParseContentCoding("x-gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ParseContentCoding("deflate"), ContentCoding::kDeflate);
  EXPECT_EQ(ParseContentCoding("br,identity,"), ContentCoding::kBrotli);
  EXPECT_EQ(ParseContentCoding("zstd"), ContentCoding::kUnknown);
  EXPECT_EQ(ParseContentCoding("utf-8"), ContentCoding::kUnknown);
  EXPECT_EQ(ParseContentCoding("gzip, gzip"), ContentCoding::kNested);
  EXPECT_EQ(ParseContentCoding("zstd, br"), ContentCoding::kNested);
}

TEST(BodyDecoderTest, GivesBackWhatWasCoded) {
  EXPECT_TRUE(rc::check([](const std::string& some) {
    const std::string plain = some + Page(*rc::gen::inRange<std::size_t>(0, 100'000));
    const auto piece = *rc::gen::element<std::size_t>(1, 2, 7, 1000, 16384);
    const std::pair<ContentCoding, std::string> wires[] = {
        {ContentCoding::kIdentity, plain},
        {ContentCoding::kGzip, tests::Gzip(plain)},
        {ContentCoding::kDeflate, tests::Deflate(plain, 15)},
        {ContentCoding::kDeflate, tests::Deflate(plain, -15)},
        {ContentCoding::kBrotli, tests::BrotliOf(plain)}};
    BodyDecoder decoder;  // one for all: Start() must leave nothing behind
    for (const auto& [coding, wire] : wires) {
      const Outcome outcome = Decode(decoder, coding, wire, piece);
      RC_ASSERT(outcome.state == State::kMore);
      RC_ASSERT(outcome.ended);
      RC_ASSERT(outcome.body == plain);
      RC_ASSERT(decoder.wire_bytes() == wire.size());
    }
  }));
}

TEST(BodyDecoderTest, GzipMembersAreJoinedAndGarbageAfterThemIgnored) {
  const std::string members = tests::Gzip("one ") + tests::Gzip("") + tests::Gzip("two");
  for (const std::size_t piece : {1, 3, 4096}) {
    EXPECT_EQ(Decode(ContentCoding::kGzip, members, piece).body, "one two");
    for (const std::string& garbage : {std::string("\0\0\0", 3), std::string("\x1f"),
                                       std::string("\x1f\x1f\x8b garbage"), tests::Gzip("x")}) {
      const Outcome outcome =
          Decode(ContentCoding::kGzip, std::string(members).append("\n\n").append(garbage), piece);
      EXPECT_EQ(outcome.state, State::kMore);
      EXPECT_TRUE(outcome.ended);
      EXPECT_EQ(outcome.body, "one two");
    }
  }
  EXPECT_EQ(Decode(ContentCoding::kDeflate, tests::Deflate("one", 15) + "xx").body, "one");
  EXPECT_EQ(Decode(ContentCoding::kBrotli, tests::BrotliOf("one") + "xx", 1).body, "one");
}

TEST(BodyDecoderTest, Row21_ATruncatedStreamIsNoticedWhereverItEnds) {
  const std::string plain = Page(3000);
  const std::pair<ContentCoding, std::string> wires[] = {
      {ContentCoding::kGzip, tests::Gzip(plain)},
      {ContentCoding::kDeflate, tests::Deflate(plain, 15)},
      {ContentCoding::kBrotli, tests::BrotliOf(plain)}};
  for (const auto& [coding, wire] : wires) {
    for (std::size_t length = 1; length < wire.size(); ++length) {
      const Outcome outcome = Decode(coding, wire.substr(0, length));
      EXPECT_EQ(outcome.state, State::kMore);
      EXPECT_FALSE(outcome.ended) << length;
      EXPECT_EQ(plain.substr(0, outcome.body.size()), outcome.body);
    }
  }
}

TEST(BodyDecoderTest, AnEmptyWireIsAnEmptyBody) {
  for (const ContentCoding coding : {ContentCoding::kIdentity, ContentCoding::kGzip,
                                     ContentCoding::kDeflate, ContentCoding::kBrotli}) {
    EXPECT_TRUE(Decode(coding, "").ended);
  }
}

TEST(BodyDecoderTest, Row1_ABombIsStopped) {
  const std::string zeros(std::size_t{64} * 1024 * 1024, '\0');
  for (const auto& [coding, wire] :
       {std::pair(ContentCoding::kGzip, tests::Gzip(zeros)),
        std::pair(ContentCoding::kDeflate, tests::Deflate(zeros, -15)),
        std::pair(ContentCoding::kBrotli, tests::BrotliOf(zeros))}) {
    const Outcome outcome = Decode(coding, wire, 16384, zeros.size());
    EXPECT_EQ(outcome.state, State::kBomb);
    EXPECT_LE(outcome.body.size(), 2 * BodyDecoder::kBombBytes);
    // With a limit below what it takes to see a bomb, the limit holds.
    const Outcome small = Decode(coding, wire, 16384, 100'000);
    EXPECT_EQ(small.state, State::kFull);
    EXPECT_EQ(small.body.size(), 100'000u);
  }
}

TEST(BodyDecoderTest, APageThatCompressesWellIsNoBomb) {
  const std::string plain = Page(1'900'000);
  const Outcome outcome = Decode(ContentCoding::kGzip, tests::Gzip(plain));
  EXPECT_EQ(outcome.state, State::kMore);
  EXPECT_EQ(outcome.body, plain);
}

TEST(BodyDecoderTest, Row3_TheLimitCutsExactly) {
  const std::string plain = Page(5000);
  for (const auto& [coding, wire] : {std::pair(ContentCoding::kIdentity, plain),
                                     std::pair(ContentCoding::kGzip, tests::Gzip(plain)),
                                     std::pair(ContentCoding::kBrotli, tests::BrotliOf(plain))}) {
    const Outcome cut = Decode(coding, wire, 4096, 4999);
    EXPECT_EQ(cut.state, State::kFull);
    EXPECT_EQ(cut.body, plain.substr(0, 4999));
    const Outcome whole = Decode(coding, wire, 4096, 5000);
    EXPECT_EQ(whole.state, State::kMore);
    EXPECT_EQ(whole.body, plain);
  }
}

TEST(BodyDecoderTest, AStreamThatDecodesToNothingIsCut) {
  const std::string empty_member = tests::Gzip("");
  std::string wire;
  while (wire.size() < 300'000) wire += empty_member;
  const Outcome outcome = Decode(ContentCoding::kGzip, wire, 4096, 100'000);
  EXPECT_EQ(outcome.state, State::kFull);
  EXPECT_TRUE(outcome.body.empty());
}

TEST(BodyDecoderTest, Row22_WhatIsNotTheCodingIsCorrupt) {
  EXPECT_EQ(Decode(ContentCoding::kGzip, "<html>plain</html>").state, State::kCorrupt);
  EXPECT_EQ(Decode(ContentCoding::kGzip, "<html>plain</html>", 1).state, State::kCorrupt);
  EXPECT_EQ(Decode(ContentCoding::kDeflate, "<html>plain</html>").state, State::kCorrupt);
  EXPECT_EQ(Decode(ContentCoding::kBrotli, "<html>plain</html>").state, State::kCorrupt);
  std::string wrong_sum = tests::Gzip(Page(1000));
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(Decode(ContentCoding::kGzip, wrong_sum).state, State::kCorrupt);
}

TEST(BodyDecoderTest, HostileBytesNeitherCrashNorSwell) {
  EXPECT_TRUE(rc::check([](std::string noise) {
    const std::string good = tests::Gzip(Page(2000));
    std::string flipped = good;
    if (!noise.empty()) flipped[noise.size() % flipped.size()] ^= noise[0];
    noise.insert(0, "\x1f\x8b\x08");
    for (const ContentCoding coding :
         {ContentCoding::kGzip, ContentCoding::kDeflate, ContentCoding::kBrotli}) {
      for (const std::string& wire : {noise, flipped}) {
        RC_ASSERT(Decode(coding, wire, 5, 10'000).body.size() <= 10'000u);
      }
    }
  }));
}

}  // namespace
}  // namespace crawler

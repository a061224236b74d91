#include "contentseen/digest.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <string>
#include <string_view>
#include <thread>

#include "contentseen/content_seen.h"
#include "contentseen/detectors/detectors.h"

namespace contentseen {
namespace {

// FIPS 180-2, appendix B, and the digest of nothing.
TEST(Digest, IsSha256) {
  EXPECT_EQ(Sha256("").Hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc").Hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").Hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')).Hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, OneContextServesCallAfterCallAndThreads) {
  const Digest abc = Sha256("abc");
  Digest other;
  std::thread([&other] { other = Sha256("abc"); }).join();
  EXPECT_EQ(other, abc);
  EXPECT_EQ(Sha256("abc"), abc);
}

// As where only validated algorithms count, and there are none.
class StrictOpenSsl {
 public:
  StrictOpenSsl() { EXPECT_EQ(EVP_set_default_properties(nullptr, "fips=yes"), 1); }
  ~StrictOpenSsl() { EXPECT_EQ(EVP_set_default_properties(nullptr, ""), 1); }
  StrictOpenSsl(const StrictOpenSsl&) = delete;
  StrictOpenSsl& operator=(const StrictOpenSsl&) = delete;
};

TEST(Digest, WhatOpenSslDoesNotOfferIsSaid) {
  for (const char* algorithm : {"SHA256", "SHA1", "MD5"}) {
    EXPECT_TRUE(OffersDigest(algorithm));
    const StrictOpenSsl strict;
    EXPECT_FALSE(OffersDigest(algorithm));
  }
  const StrictOpenSsl strict;
  for (const std::string_view detector : DetectorNames()) {
    const auto seen = ContentSeen::Create({.detector = std::string(detector)});
    ASSERT_FALSE(seen) << detector;
    EXPECT_NE(seen.error().message.find("OpenSSL does not offer SHA256"), std::string::npos);
  }
}

TEST(Digest, EmptyInputIsItsOwnClass) {
  EXPECT_TRUE(Sha256("").IsOfNothing());
  EXPECT_FALSE(Sha256("").IsNone());
  EXPECT_FALSE(Sha256(" ").IsOfNothing());
  EXPECT_TRUE(Digest{}.IsNone());
}

TEST(Digest, HexGoesBothWays) {
  const Digest digest = Sha256("x");
  EXPECT_EQ(Digest::FromHex(digest.Hex()), digest);
  EXPECT_FALSE(Digest::FromHex("").has_value());
  EXPECT_FALSE(Digest::FromHex(digest.Hex().substr(1)).has_value());
  EXPECT_FALSE(Digest::FromHex(digest.Hex() + "00").has_value());
  EXPECT_FALSE(Digest::FromHex("z" + digest.Hex().substr(1)).has_value());
}

TEST(Digest, KeysDifferWhereDigestsDo) {
  EXPECT_EQ(Sha256("a").Key(), Sha256("a").Key());
  EXPECT_NE(Sha256("a").Key(), Sha256("b").Key());
}

// The reference values of xxHash's own documentation for XXH3_128bits of nothing.
TEST(Digest, Xxh3KeyIsXxh3) {
  EXPECT_EQ(Xxh3Key("").high, 0x99aa06d3014798d8u);
  EXPECT_EQ(Xxh3Key("").low, 0x6001c324468d497fu);
  EXPECT_NE(Xxh3Key("a"), Xxh3Key("a", 1));
}

}  // namespace
}  // namespace contentseen

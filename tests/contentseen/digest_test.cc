#include "contentseen/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

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

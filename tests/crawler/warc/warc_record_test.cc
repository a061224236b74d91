#include "crawler/warc/warc_record.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace crawler {
namespace {

TEST(WarcRecord, WritesDigestsAsTheVectorsSay) {
  EXPECT_EQ(LabelledDigest(WarcDigest::kSha1, ""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
  EXPECT_EQ(LabelledDigest(WarcDigest::kSha1, "abc"), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
  EXPECT_EQ(LabelledDigest(WarcDigest::kSha256, "abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(WarcRecord, ReadsDigestsInEverySpelling) {
  for (const char* label :
       {"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", "SHA-1:vgmt4nsha2awvor6evyxqugcnsonbwe5",
        "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
        "sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "md5:900150983cd24fb0d6963f7d28e17f72", "md5:SAAVBGB42JH3BVUWH56SRYL7OI======"}) {
    EXPECT_EQ(DigestMatches(label, "abc"), true) << label;
    EXPECT_EQ(DigestMatches(label, "abd"), false) << label;
  }
  EXPECT_EQ(DigestMatches("crc32:1", "abc"), std::nullopt);
  EXPECT_EQ(DigestMatches("", "abc"), std::nullopt);
}

// RFC 4648 section 10.
TEST(WarcRecord, WritesBase32) {
  EXPECT_EQ(Base32(""), "");
  EXPECT_EQ(Base32("f"), "MY======");
  EXPECT_EQ(Base32("fo"), "MZXQ====");
  EXPECT_EQ(Base32("foo"), "MZXW6===");
  EXPECT_EQ(Base32("foob"), "MZXW6YQ=");
  EXPECT_EQ(Base32("fooba"), "MZXW6YTB");
  EXPECT_EQ(Base32("foobar"), "MZXW6YTBOI======");
}

TEST(WarcRecord, KeepsAHostileValueInItsField) {
  WarcRecord record("metadata", base::WallTime{});
  record.Add("WARC-Target-URI", "http://a/\r\nWARC-Type: response");
  record.SetBlock("text/plain", "block", WarcDigest::kSha1);
  const std::string text = record.text();
  EXPECT_NE(text.find("WARC-Target-URI: http://a/  WARC-Type: response\r\n"), std::string::npos);
  EXPECT_TRUE(text.starts_with("WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:"));
  EXPECT_NE(text.find("WARC-Date: 1970-01-01T00:00:00Z\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("Content-Length: 5\r\n\r\nblock\r\n\r\n"));
}

TEST(WarcRecord, NamesEachRecordOnce) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(WarcRecordId());
  EXPECT_EQ(ids.size(), 1000u);
  const std::string& id = *ids.begin();
  ASSERT_EQ(id.size(), std::string("<urn:uuid:00000000-0000-4000-8000-000000000000>").size());
  EXPECT_EQ(id[24], '4');  // RFC 4122 section 4.4
}

}  // namespace
}  // namespace crawler

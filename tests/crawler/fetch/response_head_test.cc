#include "crawler/fetch/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ResponseHeadTest : public ::testing::Test {
 protected:
  ResponseHeadTest() { head_.Start(1024); }

  /// The first error that a line of `lines` brings.
  FetchError Add(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines) {
      if (const FetchError error = head_.AddLine(line); error != FetchError::kNone) return error;
    }
    return FetchError::kNone;
  }

  ResponseHead head_;
};

TEST_F(ResponseHeadTest, ReadsStatusAndFields) {
  EXPECT_EQ(Add({"HTTP/1.1 404 Not Found\r\n", "Content-Type: text/html\r\n", "X-Empty:\r\n"}),
            FetchError::kNone);
  EXPECT_FALSE(head_.ended());
  EXPECT_EQ(Add({"Content-Length: 12\r\n", "\r\n"}), FetchError::kNone);
  EXPECT_TRUE(head_.ended());
  EXPECT_EQ(head_.status(), 404);
  EXPECT_EQ(head_.content_length(), 12u);
  EXPECT_THAT(head_.TakeFields(), ElementsAre(Pair("content-type", "text/html"),
                                              Pair("x-empty", ""), Pair("content-length", "12")));
}

TEST_F(ResponseHeadTest, StatusLines) {
  for (const std::string_view line : {"HTTP/2 200 \r\n", "HTTP/1.0 200\n", "HTTP/1.1 999 x\r\n"}) {
    head_.Start(1024);
    EXPECT_EQ(Add({line}), FetchError::kNone) << line;
  }
  for (const std::string_view line :
       {"HTTP/1.1 abc\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.1\r\n", "\r\n", "HTTP/1.1 2000 x\r\n",
        "HTTP/1.1 -20 x\r\n", "ICY 200 OK\r\n", "HTTP/1.1 101 Switching Protocols\r\n"}) {
    head_.Start(1024);
    EXPECT_EQ(Add({line}), FetchError::kProtocol) << line;
  }
}

TEST_F(ResponseHeadTest, Row14_BareLfFoldedLinesAndSpaceBeforeColon) {
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\n", " folded before any field\n", "Server : nginx \n",
                 "X-Long: one\n", "\ttwo\n", "no colon\n", ": no name\n", "\n"}),
            FetchError::kNone);
  EXPECT_THAT(head_.TakeFields(), ElementsAre(Pair("server", "nginx"), Pair("x-long", "one two")));
}

// libcurl would take such a field for none, and with it the body for another one.
TEST_F(ResponseHeadTest, WhatSaysWhereTheBodyEndsIsReadInOneWayOnly) {
  for (const std::string_view field :
       {"Transfer-Encoding : chunked\r\n", "Content-Length : 5\r\n", "content-length\t: 5\r\n"}) {
    head_.Start(1024);
    EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", field, "Server : x\r\n"}), FetchError::kNone) << field;
    EXPECT_EQ(Add({"\r\n"}), FetchError::kProtocol) << field;
    EXPECT_THAT(head_.fault(), HasSubstr("blank before its colon"));
  }
  for (const std::string_view field :
       {"Transfer-Encoding:\r\n", "Content-Length: 5\r\n", "CONTENT-LENGTH:\r\n"}) {
    head_.Start(1024);
    EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", field, " 5\r\n", "\r\n"}), FetchError::kProtocol)
        << field;
  }
  // One response's sloppiness is not held against the next, nor an interim one's.
  head_.Start(1024);
  EXPECT_EQ(Add({"HTTP/1.1 103 Early Hints\r\n", "Content-Length : 9\r\n", "\r\n",
                 "HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "X: a\r\n", " b\r\n", "\r\n"}),
            FetchError::kNone);
  EXPECT_EQ(head_.content_length(), 5u);
}

TEST_F(ResponseHeadTest, Row17_DifferentContentLengths) {
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "Content-Length: 6\r\n", "\r\n"}),
            FetchError::kProtocol);
  EXPECT_THAT(head_.fault(), HasSubstr("Content-Length"));
  head_.Start(1024);
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Length: 5, 6\r\n", "\r\n"}),
            FetchError::kProtocol);
  head_.Start(1024);
  EXPECT_EQ(
      Add({"HTTP/1.1 200 OK\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 5\r\n", "\r\n"}),
      FetchError::kNone);
  EXPECT_EQ(head_.content_length(), 5u);
}

TEST_F(ResponseHeadTest, Row19_ContentLengthThatIsNoNumber) {
  for (const std::string_view length :
       {"-1", "abc", "", "5x", "0x5", "+5", "100000000000000000000000"}) {
    head_.Start(1024);
    const std::string line = "Content-Length: " + std::string(length) + "\r\n";
    EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", line, "\r\n"}), FetchError::kProtocol) << length;
  }
}

TEST_F(ResponseHeadTest, Row18_LengthAndChunkedIsAmbiguous) {
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: Chunked\r\n",
                 "\r\n"}),
            FetchError::kNone);
  EXPECT_TRUE(head_.ambiguous_length());
}

TEST_F(ResponseHeadTest, TransferCodingsOtherThanChunkedAreRefused) {
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Transfer-Encoding: gzip, chunked\r\n", "\r\n"}),
            FetchError::kBadEncoding);
  head_.Start(1024);
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n",
                 "Transfer-Encoding: chunked\r\n", "\r\n"}),
            FetchError::kBadEncoding);
}

TEST_F(ResponseHeadTest, Row2_NestedContentCodingIsRefused) {
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Encoding: gzip, gzip\r\n", "\r\n"}),
            FetchError::kBadEncoding);
  head_.Start(1024);
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n",
                 "\r\n"}),
            FetchError::kBadEncoding);
  head_.Start(1024);
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "Content-Encoding: identity, GZIP\r\n", "\r\n"}),
            FetchError::kNone);
  EXPECT_EQ(head_.coding(), ContentCoding::kGzip);
}

TEST_F(ResponseHeadTest, Row8_TooManyBytesTrailersIncluded) {
  head_.Start(64);
  EXPECT_EQ(Add({"HTTP/1.1 200 OK\r\n", "\r\n", "X-Trailer: 0123456789\r\n"}), FetchError::kNone);
  EXPECT_EQ(Add({"X-Trailer: 01234567890123456789\r\n"}), FetchError::kHeadersTooLarge);
  EXPECT_TRUE(head_.TakeFields().empty());
}

TEST_F(ResponseHeadTest, Row10_InterimResponsesAreDroppedAndBounded) {
  EXPECT_EQ(Add({"HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "Content-Length: 9\r\n", "\r\n",
                 "HTTP/1.1 200 OK\r\n", "\r\n"}),
            FetchError::kNone);
  EXPECT_EQ(head_.status(), 200);
  EXPECT_TRUE(head_.TakeFields().empty());

  head_.Start(65'536);
  FetchError error = FetchError::kNone;
  int taken = 0;
  while (error == FetchError::kNone) {
    error = Add({"HTTP/1.1 100 Continue\r\n", "\r\n"});
    ++taken;
    ASSERT_LT(taken, 1000);
  }
  EXPECT_EQ(error, FetchError::kProtocol);
  EXPECT_EQ(taken, ResponseHead::kInterimMax + 1);
}

}  // namespace
}  // namespace crawler

#include "crawler/fetch/request_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/crawler/fetch/fetch_one.h"
#include "tests/crawler/fetch/raw_server.h"

namespace crawler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::RawServer;

TEST(RequestFieldsTest, BelongToTheirHosts) {
  const auto fields =
      RequestFields::Create({"Accept-Language: de"}, {"A.test X-Key: 1:2"},
                            {"a.test Aladdin:open sesame",
                             "b.test:8080 u:", "https://C.test u:", "https://[::1]:8443 u:"});
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->common(), std::vector<std::string>{"Accept-Language: de"});
  EXPECT_EQ(fields->by_origin().at("https://a.test:443"),
            (std::vector<std::string>{"X-Key: 1:2",
                                      "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}));
  std::vector<std::string> origins;
  for (const auto& [origin, own] : fields->by_origin()) origins.push_back(origin);
  EXPECT_THAT(origins,
              ElementsAre("http://a.test:80", "http://b.test:8080", "https://[::1]:8443",
                          "https://a.test:443", "https://b.test:8080", "https://c.test:443"));
  EXPECT_EQ(FieldOrigin("https", "a.test", 443), "https://a.test:443");
}

TEST(RequestFieldsTest, AHostIsMeantInTheFormThatUrlsHave) {
  const auto fields = RequestFields::Create(
      {}, {"B\u00fccher.test X: 1", "a.test.:080 X: 1", "HTTPS://127.1 X: 1"}, {});
  ASSERT_TRUE(fields);
  std::vector<std::string> origins;
  for (const auto& [origin, own] : fields->by_origin()) origins.push_back(origin);
  EXPECT_THAT(origins, ElementsAre("http://a.test:80", "http://xn--bcher-kva.test:80",
                                   "https://127.0.0.1:443", "https://a.test:80",
                                   "https://xn--bcher-kva.test:443"));
  for (const char* entry : {"a.test: X: 1", "a.test:x X: 1", "a\\b.test X: 1", "a\tb.test X: 1"}) {
    EXPECT_EQ(HostHeaderFault(entry), "does not begin with a host and a space") << entry;
  }
}

TEST(RequestFieldsTest, RefusesWithoutShowing) {
  for (const char* header : {"no colon", ": x", "A b: c", "X: a\r\nY: b", "Host: evil",
                             "content-length: 1", "Transfer-Encoding: chunked"}) {
    const auto refused = RequestFields::Create({header}, {}, {});
    ASSERT_FALSE(refused) << header;
    EXPECT_THAT(refused.error().message, HasSubstr("headers: entry 1"));
  }
  for (const char* auth : {"secret", "a.test secret", "a.test :secret", "http://a.test u:secret",
                           "https:// u:secret", "https://a.test/ u:secret"}) {
    const auto refused = RequestFields::Create({}, {}, {auth});
    ASSERT_FALSE(refused) << auth;
    EXPECT_THAT(refused.error().message, Not(HasSubstr("secret")));
  }
}

TEST(RequestFieldsTest, Base64AsTheRfcShows) {  // RFC 4648 section 10
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

TEST(RequestFieldsTest, Row49_CredentialsOfOneHostReachNoOther) {
  std::atomic<int> with_secret{0};
  std::atomic<int> with_common{0};
  RawServer server([&](RawServer::Connection& client) {
    for (std::string request; !(request = client.ReadRequest()).empty();) {
      if (request.find("Authorization: Basic dTpw\r\n") != std::string::npos) ++with_secret;
      if (request.find("X-All: 1\r\n") != std::string::npos) ++with_common;
      client.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    }
  });
  const std::string port = std::to_string(server.port());
  FetcherOptions options = tests::LoopbackOptions();
  options.transfers_max = 1;
  options.headers = {"X-All: 1"};
  options.basic_auth = {"a.test:" + port + " u:p", "b.test u:p",
                        "https://sub.a.test:" + port + " u:p"};
  for (const char* host : {"a.test", "b.test", "sub.a.test"}) {
    options.resolve.push_back(std::string(host) + ":" + port + ":127.0.0.1");
  }
  std::vector<std::string> urls;
  for (const char* host : {"a.test", "b.test", "sub.a.test", "a.test", "b.test"}) {
    urls.push_back("http://" + std::string(host) + ":" + port + "/");
  }
  urls.push_back("http://a.test:" + port + "/" + std::string(5'000, 'x'));
  for (const auto& [ticket, response] : tests::FetchAll(urls, options)) {
    EXPECT_EQ(response.body, "hi") << response.error_detail;
  }
  EXPECT_EQ(with_secret.load(), 3) << "nor another port, nor in clear text what is for https";
  EXPECT_EQ(with_common.load(), 6);
}

}  // namespace
}  // namespace crawler

#pragma once

#include <random>
#include <string>

#include "crawler/io/gzip_member.h"
#include "crawler/warc/warc_record.h"

namespace crawler {

/// Words that nobody else has.
inline std::string Prose(unsigned seed, int words) {
  std::mt19937 random(seed * 7919 + 1);
  std::string text;
  for (int i = 0; i < words; ++i) {
    for (unsigned s = 0; s <= random() % 3; ++s) {
      text += "bdfgklmnprst"[random() % 12];
      text += "aeiou"[random() % 5];
    }
    text += ' ';
  }
  return text;
}

inline std::string Page(const std::string& text) {
  return "<html><body><p>" + text + "</p></html>";
}

/// A line of JSON, its URL http://a.test/`i`.
inline std::string Line(const std::string& text, int i) {
  return "{\"url\":\"http://a.test/" + std::to_string(i) + "\",\"text\":\"" + text + "\"}\n";
}

/// A WARC record of a response, as it stands in a plain file.
inline WarcRecord ResponseRecord(const std::string& url, const std::string& head,
                                 const std::string& body) {
  WarcRecord record("response", base::WallTime{});
  record.Add("WARC-Target-URI", url);
  record.Add("WARC-Payload-Digest", LabelledDigest(WarcDigest::kSha1, body));
  record.SetBlock("application/http; msgtype=response", head + "\r\n\r\n" + body,
                  WarcDigest::kSha1);
  return record;
}

/// The request of the response of that id.
inline WarcRecord RequestRecord(const std::string& url, const std::string& id) {
  WarcRecord record("request", base::WallTime{});
  record.Add("WARC-Target-URI", url);
  record.Add("WARC-Concurrent-To", id);
  record.SetBlock("application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n",
                  WarcDigest::kSha1);
  return record;
}

/// A visit that found the bytes of `body` again.
inline WarcRecord RevisitRecord(const std::string& url, const std::string& body) {
  WarcRecord record("revisit", base::WallTime{});
  record.Add("WARC-Target-URI", url);
  record.Add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest");
  record.Add("WARC-Payload-Digest", LabelledDigest(WarcDigest::kSha1, body));
  record.SetBlock("application/http; msgtype=response", "HTTP/1.1 200 OK\r\n\r\n",
                  WarcDigest::kSha1);
  return record;
}

inline std::string Gzipped(const WarcRecord& record) { return GzipMember(record.text(), 6); }

inline constexpr char kHtmlHead[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html";

}  // namespace crawler

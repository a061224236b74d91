#include "crawler/warc/warc_record.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.h"
#include "base/check.h"
#include "base/hex.h"
#include "contentseen/digest.h"
#include "crawler/io/units.h"

namespace crawler {
namespace {

template <std::size_t N>
std::string_view ViewOf(const std::array<std::uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string DigestOf(std::string_view algorithm, std::string_view bytes) {
  if (algorithm == "sha1" || algorithm == "sha-1") {
    return std::string(ViewOf(contentseen::Sha1(bytes)));
  }
  if (algorithm == "sha256" || algorithm == "sha-256") {
    return std::string(ViewOf(contentseen::Sha256(bytes).bytes));
  }
  if (algorithm == "md5") return std::string(ViewOf(contentseen::Md5(bytes)));
  return {};
}

}  // namespace

WarcRecord::WarcRecord(std::string_view type, base::WallTime date, std::string id)
    : id_(std::move(id)) {
  Add("WARC-Type", type);
  Add("WARC-Record-ID", id_);
  Add("WARC-Date", WarcDate(date));
}

void WarcRecord::Add(std::string_view name, std::string_view value) {
  text_.append(name).append(": ");
  const auto begin = static_cast<std::ptrdiff_t>(text_.size());
  text_.append(value);
  std::replace_if(
      text_.begin() + begin, text_.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  text_.append("\r\n");
}

void WarcRecord::SetBlock(std::string_view content_type, std::string_view block,
                          WarcDigest digest) {
  constexpr std::size_t kFieldsRoom = 256;
  text_.reserve(text_.size() + kFieldsRoom + block.size());
  Add("WARC-Block-Digest", LabelledDigest(digest, block));
  Add("Content-Type", content_type);
  Add("Content-Length", std::to_string(block.size()));
  text_.append("\r\n").append(block).append("\r\n\r\n");
}

std::string WarcDate(base::WallTime time) {
  const std::string precise = FormatTime(time);  // with milliseconds
  return precise.substr(0, precise.find('.')) + "Z";
}

std::string WarcRecordId() {
  // Not std::random_device: where that asks the processor, four words may take longer than the
  // rest of a record.
  std::array<std::uint8_t, 16> bytes{};
  CHECK(::getentropy(bytes.data(), bytes.size()) == 0);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  std::string hex = base::ToHex(bytes);
  for (const std::size_t at : {20, 16, 12, 8}) hex.insert(at, 1, '-');
  return "<urn:uuid:" + hex + ">";
}

std::string Base32(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    count += 8;
    for (; count >= 5; count -= 5) text += kAlphabet[bits >> (count - 5) & 31U];
  }
  if (count > 0) text += kAlphabet[bits << (5 - count) & 31U];
  while (text.size() % 8 != 0) text += '=';
  return text;
}

std::string_view DigestLabel(WarcDigest kind) {
  return kind == WarcDigest::kSha1 ? "sha1:" : "sha256:";
}

std::string LabelledDigest(WarcDigest kind, std::string_view bytes) {
  const std::string label(DigestLabel(kind));
  switch (kind) {
    case WarcDigest::kSha1:
      return label + Base32(ViewOf(contentseen::Sha1(bytes)));
    case WarcDigest::kSha256:
      return label + contentseen::Sha256(bytes).Hex();
  }
  CHECK(false);
}

std::optional<bool> DigestMatches(std::string_view label, std::string_view bytes) {
  const std::size_t colon = label.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string digest = DigestOf(base::ToLower(label.substr(0, colon)), bytes);
  if (digest.empty()) return std::nullopt;
  const std::string_view value = label.substr(colon + 1);
  // (An MD5 has as many characters in padded Base32 as in hexadecimal.)
  if (base::ToLower(value) == base::ToHex(digest)) return true;
  std::string base32 = Base32(digest);
  std::string given(value);
  for (std::string* text : {&base32, &given}) {
    *text = base::ToLower(*text);
    text->erase(std::find(text->begin(), text->end(), '='), text->end());
  }
  return given == base32;
}

}  // namespace crawler

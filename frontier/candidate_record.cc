#include "frontier/candidate_record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace frontier {
namespace {

constexpr unsigned char kSeed = 1;
constexpr unsigned char kHasReferrer = 2;
constexpr unsigned char kHasAsked = 4;

void AppendDifference(std::string_view known, std::string_view text, std::string& out) {
  auto [in_known, in_text] = std::mismatch(known.begin(), known.end(), text.begin(), text.end());
  auto shared = static_cast<std::size_t>(in_text - text.begin());
  AppendVarint(shared, out);
  AppendVarint(text.size() - shared, out);
  out.append(text.substr(shared));
}

std::string_view TakeBytes(std::size_t size, std::string_view& bytes) {
  CHECK(size <= bytes.size());
  std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

Url TakeDifference(std::string_view known, std::string_view& bytes) {
  std::size_t shared = TakeVarint(bytes);
  std::size_t size = TakeVarint(bytes);
  std::string text;
  text.reserve(shared + size);
  text.append(known.substr(0, shared));
  text.append(TakeBytes(size, bytes));
  return Url::FromCanonical(std::move(text));
}

}  // namespace

void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

std::uint64_t TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    CHECK(!bytes.empty() && shift < 64);
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

void AppendRecord(const Candidate& candidate, std::string& out) {
  unsigned flags = (candidate.seed ? kSeed : 0U) | (candidate.referrer ? kHasReferrer : 0U) |
                   (candidate.asked ? kHasAsked : 0U);
  out.push_back(static_cast<char>(flags));
  AppendVarint(candidate.depth, out);
  AppendVarint(candidate.redirects, out);
  AppendVarint(candidate.attempt, out);
  std::string_view path = candidate.url.path_and_query();
  AppendVarint(path.size(), out);
  out.append(path);
  if (candidate.referrer) AppendDifference(candidate.url.text(), candidate.referrer->text(), out);
  if (candidate.asked) AppendDifference(candidate.url.text(), candidate.asked->text(), out);
}

Candidate ReadRecord(std::string_view origin, std::string_view record) {
  auto flags = static_cast<unsigned char>(TakeBytes(1, record).front());
  auto depth = static_cast<std::uint32_t>(TakeVarint(record));
  auto redirects = static_cast<std::uint32_t>(TakeVarint(record));
  auto attempt = static_cast<std::uint32_t>(TakeVarint(record));
  std::size_t path_size = TakeVarint(record);
  std::string text;
  text.reserve(origin.size() + path_size);
  text.append(origin).append(TakeBytes(path_size, record));
  Candidate candidate{.url = Url::FromCanonical(std::move(text)),
                      .depth = depth,
                      .redirects = redirects,
                      .attempt = attempt,
                      .seed = (flags & kSeed) != 0};
  if ((flags & kHasReferrer) != 0) {
    candidate.referrer = TakeDifference(candidate.url.text(), record);
  }
  if ((flags & kHasAsked) != 0) candidate.asked = TakeDifference(candidate.url.text(), record);
  return candidate;
}

}  // namespace frontier

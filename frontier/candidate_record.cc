#include "frontier/candidate_record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.h"

namespace frontier {
namespace {

constexpr unsigned char kSeed = 1;
constexpr unsigned char kHasReferrer = 2;
constexpr unsigned char kHasAsked = 4;
constexpr unsigned kRoleShift = 3;  // two bits
constexpr unsigned char kHasModified = 32;
constexpr std::uint64_t kRoleMask = 3;
constexpr std::uint64_t kNoRole = 2;

void AppendDifference(std::string_view known, std::string_view text, std::string& out) {
  auto [in_known, in_text] = std::mismatch(known.begin(), known.end(), text.begin(), text.end());
  auto shared = static_cast<std::size_t>(in_text - text.begin());
  base::AppendVarint(shared, out);
  base::AppendText(text.substr(shared), out);
}

std::optional<Url> TakeDifference(std::string_view known, base::ByteReader& reader) {
  const std::uint64_t shared = reader.Varint();
  const std::string_view rest = reader.Text();
  if (!reader.ok() || shared > known.size()) return std::nullopt;
  return Url::FromStored(std::string(known.substr(0, shared)).append(rest));
}

}  // namespace

void AppendRecord(const Candidate& candidate, std::string& out) {
  unsigned flags = (candidate.seed ? kSeed : 0U) | (candidate.referrer ? kHasReferrer : 0U) |
                   (candidate.asked ? kHasAsked : 0U) |
                   (candidate.modified.empty() ? 0U : kHasModified) |
                   static_cast<unsigned>(candidate.role) << kRoleShift;
  out.push_back(static_cast<char>(flags));
  base::AppendVarint(candidate.depth, out);
  base::AppendVarint(candidate.redirects, out);
  base::AppendVarint(candidate.attempt, out);
  base::AppendText(candidate.url.path_and_query(), out);
  if (candidate.referrer) AppendDifference(candidate.url.text(), candidate.referrer->text(), out);
  if (candidate.asked) AppendDifference(candidate.url.text(), candidate.asked->text(), out);
  if (!candidate.modified.empty()) base::AppendText(candidate.modified, out);
}

std::optional<Candidate> ReadRecord(std::string_view origin, std::string_view record) {
  base::ByteReader reader(record);
  const std::uint64_t flags = reader.BigEndian(1);
  auto depth = static_cast<std::uint32_t>(reader.Varint());
  auto redirects = static_cast<std::uint32_t>(reader.Varint());
  auto attempt = static_cast<std::uint32_t>(reader.Varint());
  const std::string_view path = reader.Text();
  const std::uint64_t role = (flags >> kRoleShift) & kRoleMask;
  if (!reader.ok() || !path.starts_with('/')) return std::nullopt;
  if (role == kNoRole) return std::nullopt;
  std::optional<Url> url = Url::FromStored(std::string(origin).append(path));
  if (!url) return std::nullopt;
  Candidate candidate{.url = std::move(*url),
                      .depth = depth,
                      .redirects = redirects,
                      .attempt = attempt,
                      .seed = (flags & kSeed) != 0,
                      .role = static_cast<CandidateRole>(role)};
  if ((flags & kHasReferrer) != 0) {
    candidate.referrer = TakeDifference(candidate.url.text(), reader);
    if (!candidate.referrer) return std::nullopt;
  }
  if ((flags & kHasAsked) != 0) {
    candidate.asked = TakeDifference(candidate.url.text(), reader);
    if (!candidate.asked) return std::nullopt;
  }
  if ((flags & kHasModified) != 0) candidate.modified = reader.Text();
  if (!reader.AtEnd()) return std::nullopt;
  return candidate;
}

}  // namespace frontier

#include "crawler/warc/cdxj.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/system_failure.h"
#include "base/whole_number.h"
#include "crawler/io/jsonl.h"
#include "crawler/warc/surt.h"
#include "crawler/warc/warc_record.h"

namespace crawler {
namespace {

// "2026-01-01T00:00:00Z" as "20260101000000".
std::string Timestamp(base::WallTime time) {
  std::string digits = WarcDate(time);
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  return digits;
}

constexpr std::string_view kPayloadKey = "payload";
const contentseen::Key128 kNoPayload{};

}  // namespace

bool MayBeOriginal(const CdxjEntry& entry) {
  return entry.status == 200 && entry.mime != kRevisitMime && entry.payload != kNoPayload;
}

void CdxjIndex::Add(const CdxjEntry& entry) {
  JsonLine json;
  json.Text("url", entry.url);
  if (!entry.mime.empty()) json.Text("mime", entry.mime);
  if (entry.status != 0) json.Text("status", std::to_string(entry.status));
  json.Text("digest", entry.digest);
  json.Text("length", std::to_string(entry.length));
  json.Text("offset", std::to_string(entry.offset));
  json.Text("filename", file_name_);
  if (MayBeOriginal(entry)) {
    json.Text(kPayloadKey, fmt::format("{:016x}{:016x}", entry.payload.high, entry.payload.low));
  }
  lines_.push_back(Surt(frontier::Url::FromCanonical(entry.url)) + " " + Timestamp(entry.time) +
                   " " + json.Finish());
  text_bytes_ += lines_.back().capacity() + 1;
}

base::Status CdxjIndex::Write(const std::filesystem::path& path) {
  std::sort(lines_.begin(), lines_.end());
  const std::filesystem::path fresh = path.string() + ".open";
  const base::Descriptor file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  bool good = file.ok();
  std::string bytes;
  auto flush = [&] {
    for (std::string_view rest = bytes; good && !rest.empty();) {
      const ssize_t written = ::write(file.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      good = written > 0;
      if (good) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    bytes.clear();
  };
  for (const std::string& line : lines_) {
    bytes += line;
    if (bytes.size() > (std::size_t{1} << 16)) flush();
  }
  flush();
  good = good && ::fsync(file.get()) == 0;
  good = good && ::rename(fresh.c_str(), path.c_str()) == 0;
  if (good) return {};
  return base::SystemFailure(path, "cannot be written");
}

std::optional<CdxjPayload> ParseCdxjPayload(const std::string& line) {
  const std::size_t brace = line.find('{');
  if (brace == std::string::npos) return std::nullopt;
  const auto json = nlohmann::json::parse(line.substr(brace), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  auto text = [&json](std::string_view key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto offset = base::WholeNumber<std::uint64_t>(text("offset"));
  const auto length = base::WholeNumber<std::uint64_t>(text("length"));
  if (!offset || !length) return std::nullopt;
  CdxjPayload payload;
  payload.offset = *offset;
  payload.length = *length;
  payload.digest = text("digest");
  const std::string key = text(kPayloadKey);
  if (key.size() != 32) return payload;
  const auto high = base::WholeNumber<std::uint64_t>(std::string_view(key).substr(0, 16), 16);
  const auto low = base::WholeNumber<std::uint64_t>(std::string_view(key).substr(16), 16);
  payload.may_be_original = high && low;
  if (payload.may_be_original) payload.payload = {.high = *high, .low = *low};
  return payload;
}

}  // namespace crawler

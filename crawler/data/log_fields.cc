#include "crawler/data/log_fields.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "crawler/io/units.h"

namespace crawler {

using contentseen::Digest;
using contentseen::Fingerprint;
using contentseen::Kind;

void FieldWriter::Time(std::string_view key, base::WallTime value) {
  line_.Text(key, FormatTime(value));
}

void FieldWriter::Hex(std::string_view key, Fingerprint value) {
  line_.Text(key, contentseen::FormatFingerprint(value));
}

void FieldWriter::Hex(std::string_view key, const Digest& value) {
  line_.Text(key, value.IsNone() ? "" : value.Hex());
}

void FieldWriter::Verdict(std::string_view key, Kind value) {
  line_.Text(key, contentseen::Name(value));
}

struct FieldReader::Object {
  nlohmann::json json;
};

FieldReader::FieldReader(std::string_view line)
    : object_(std::make_unique<Object>(
          Object{nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false)})) {
  if (!object_->json.is_object()) fault_ = "is not a JSON object";
}

FieldReader::~FieldReader() = default;

void FieldReader::Refuse(std::string_view key, std::string_view what) {
  if (fault_.empty()) fault_ = "\"" + std::string(key) + "\" " + std::string(what);
}

const std::string* FieldReader::Find(std::string_view key) {
  auto found = object_->json.find(key);
  if (found == object_->json.end()) return nullptr;
  const auto* text = found->get_ptr<const std::string*>();
  if (text == nullptr) Refuse(key, "is not text");
  return text;
}

bool FieldReader::Integer(std::string_view key, std::int64_t& value) {
  auto found = object_->json.find(key);
  if (found == object_->json.end()) return false;
  const auto* large = found->get_ptr<const std::uint64_t*>();
  if (!found->is_number_integer() ||
      (large != nullptr && *large > std::numeric_limits<std::int64_t>::max())) {
    Refuse(key, "is not a whole number that fits");
    return false;
  }
  value = found->get<std::int64_t>();
  return true;
}

void FieldReader::Time(std::string_view key, base::WallTime& value) {
  const std::string* text = Find(key);
  if (text == nullptr) return;
  std::optional<base::WallTime> time = ParseTime(*text);
  if (!time) return Refuse(key, "is not an RFC 3339 time");
  value = *time;
}

void FieldReader::Text(std::string_view key, std::string& value) {
  if (const std::string* text = Find(key)) value = *text;
}

void FieldReader::Hex(std::string_view key, Fingerprint& value) {
  const std::string* text = Find(key);
  if (text == nullptr) return;
  std::optional<Fingerprint> fingerprint = contentseen::ParseFingerprint(*text);
  if (!fingerprint) return Refuse(key, "is not a fingerprint");
  value = *fingerprint;
}

void FieldReader::Hex(std::string_view key, Digest& value) {
  const std::string* text = Find(key);
  if (text == nullptr) return;
  std::optional<Digest> digest = text->empty() ? Digest{} : Digest::FromHex(*text);
  if (!digest) return Refuse(key, "is not a SHA-256 digest");
  value = *digest;
}

void FieldReader::Verdict(std::string_view key, Kind& value) {
  const std::string* text = Find(key);
  if (text == nullptr) return;
  for (Kind kind : {Kind::kNew, Kind::kExactBytes, Kind::kExactText, Kind::kNear}) {
    if (*text == contentseen::Name(kind)) {
      value = kind;
      return;
    }
  }
  Refuse(key, "is not a kind of verdict");
}

std::string DescribeFaults(const std::filesystem::path& log, const std::vector<LogFault>& faults) {
  const std::string many = faults.size() == kLogFaultsMax ? " or more" : "";
  return log.string() + ":" + std::to_string(faults[0].line) + ": " + faults[0].reason +
         " (lines that are no records, and were passed over: " + std::to_string(faults.size()) +
         many + ")";
}

}  // namespace crawler

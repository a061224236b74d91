#pragma once

#include <cstdint>
#include <string>

#include "crawler/data/log_fields.h"

namespace crawler {

/// One page that was neither stored nor skipped as a duplicate, and why: a line of
/// DATA/other.jsonl. Pages put back (a retry, a stop) are left out: they end once more.
struct OtherRecord {
  base::WallTime time{};
  /// The URL first asked for, and where redirects led.
  std::string url;
  std::string final_url;
  /// Name of the Disposition.
  std::string disposition;
  /// One line in words; may be empty.
  std::string detail;
  /// HTTP status, 0 when none arrived.
  int status = 0;
  std::string referrer;
  std::uint32_t depth = 0;

  friend bool operator==(const OtherRecord&, const OtherRecord&) = default;
};

/// The fields in their order on the line. `Record` is OtherRecord, const for writing.
template <class Visitor, class Record>
requires std::same_as<std::remove_const_t<Record>, OtherRecord>
void VisitFields(Visitor& visitor, Record& record) {
  visitor.Time("time", record.time);
  visitor.Text("url", record.url);
  visitor.Text("final_url", record.final_url);
  visitor.Text("disposition", record.disposition);
  visitor.Text("detail", record.detail);
  visitor.Number("status", record.status);
  visitor.Text("referrer", record.referrer);
  visitor.Number("depth", record.depth);
}

/// Name of the log in a data directory.
inline constexpr char kOtherLogName[] = "other.jsonl";

}  // namespace crawler

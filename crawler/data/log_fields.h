#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "contentseen/digest.h"
#include "contentseen/fingerprint.h"
#include "contentseen/verdict.h"
#include "crawler/io/jsonl.h"

namespace crawler {

/// A line of a log that is no record, and why.
struct LogFault {
  std::size_t line = 0;  // from 1
  std::string reason;
};

/// Writes the fields of a record as JSON. A record names its fields once, in a function
/// `VisitFields(visitor, record)`, and this and FieldReader are the visitors.
///
/// Thread safety: none.
class FieldWriter {
 public:
  void Time(std::string_view key, base::WallTime value);
  void Text(std::string_view key, std::string_view value) { line_.Text(key, value); }
  void Number(std::string_view key, std::integral auto value) {
    line_.Number(key, static_cast<std::int64_t>(value));
  }
  void Microseconds(std::string_view key, std::chrono::microseconds value) {
    Number(key, value.count());
  }
  void Hex(std::string_view key, contentseen::Fingerprint value);
  void Hex(std::string_view key, const contentseen::Digest& value);
  void Verdict(std::string_view key, contentseen::Kind value);

  std::string Finish() { return line_.Finish(); }

 private:
  JsonLine line_;
};

/// Fills the fields of a record from a line of JSON. A key that is absent leaves its field as it
/// is, so that logs of earlier versions stay readable; one of the wrong type is a fault.
///
/// Thread safety: none.
class FieldReader {
 public:
  explicit FieldReader(std::string_view line);
  ~FieldReader();
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;

  void Time(std::string_view key, base::WallTime& value);
  void Text(std::string_view key, std::string& value);
  template <std::integral T>
  void Number(std::string_view key, T& value) {
    std::int64_t number = 0;
    if (!Integer(key, number)) return;
    if (std::in_range<T>(number)) {
      value = static_cast<T>(number);
    } else {
      Refuse(key, "is out of range");
    }
  }
  void Microseconds(std::string_view key, std::chrono::microseconds& value) {
    std::int64_t number = 0;
    if (Integer(key, number)) value = std::chrono::microseconds(number);
  }
  void Hex(std::string_view key, contentseen::Fingerprint& value);
  void Hex(std::string_view key, contentseen::Digest& value);
  void Verdict(std::string_view key, contentseen::Kind& value);

  /// The first thing that is wrong with the line; empty when nothing.
  const std::string& fault() const { return fault_; }

 private:
  struct Object;
  bool Integer(std::string_view key, std::int64_t& value);
  /// Nothing when the key is absent or its value no text (a fault).
  const std::string* Find(std::string_view key);
  void Refuse(std::string_view key, std::string_view what);

  std::unique_ptr<Object> object_;
  std::string fault_;
};

inline constexpr std::size_t kLogFaultsMax = 100;

/// A record as its line in the log.
template <class Record>
std::string LogLine(const Record& record) {
  FieldWriter writer;
  VisitFields(writer, record);
  return writer.Finish();
}

/// What is said of lines that were passed over: "LOG:3: ... (lines that are no records, and were
/// passed over: 2)". REQUIRES: there are some.
std::string DescribeFaults(const std::filesystem::path& log, const std::vector<LogFault>& faults);

/// Reads the records of a log in order, with their line numbers, until `take` gives false. Lines
/// that are no record are collected in `faults`, at most kLogFaultsMax of them. Of a log that is
/// being written, TextStore::LogBytes() says how far it goes with a store.
template <class Record>
base::Status ReadLog(const std::filesystem::path& path,
                     const std::function<bool(std::size_t line, Record record)>& take,
                     std::vector<LogFault>& faults,
                     std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max()) {
  base::Result<JsonlReader> lines = JsonlReader::Open(path, bytes_max);
  if (!lines) return base::Fail(lines.error().message);
  while (std::optional<JsonlReader::Line> line = lines->Next()) {
    Record record;
    FieldReader reader(line->text);
    VisitFields(reader, record);
    if (line->too_long || !reader.fault().empty()) {
      if (faults.size() < kLogFaultsMax) {
        faults.push_back({line->number, line->too_long ? "is too long" : reader.fault()});
      }
    } else if (!take(line->number, std::move(record))) {
      break;
    }
  }
  return lines->status();
}

}  // namespace crawler

#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "contentseen/digest.h"
#include "contentseen/fingerprint.h"
#include "contentseen/verdict.h"

namespace crawler {

/// A record as a line of a table for spreadsheets (RFC 4180), from the fields that also make its
/// line of JSON.
///
///     CsvFields fields;
///     VisitFields(fields, record);
///     file << fields.heads() << fields.line();
///
/// Cells hold what strangers wrote, and spreadsheets run what looks like a formula: a text that
/// begins with =, +, -, @, a tab or a line end has an apostrophe before it (OWASP, "CSV
/// Injection"). Controls are escaped as \xNN, so a record is one line.
///
/// Thread safety: none.
class CsvFields {
 public:
  void Time(std::string_view key, base::WallTime value);
  void Text(std::string_view key, std::string_view value);
  void Number(std::string_view key, std::integral auto value) { Cell(key, std::to_string(value)); }
  void Microseconds(std::string_view key, std::chrono::microseconds value) {
    Cell(key, std::to_string(value.count()));
  }
  void Hex(std::string_view key, contentseen::Fingerprint value);
  void Hex(std::string_view key, const contentseen::Digest& value);
  void Verdict(std::string_view key, contentseen::Kind value);

  /// The names of the fields, and the fields, each with a line end.
  std::string heads() const { return heads_ + "\r\n"; }
  std::string line() const { return line_ + "\r\n"; }

 private:
  // REQUIRES: nothing in them needs quotes.
  void Cell(std::string_view key, std::string_view value);

  std::string heads_;
  std::string line_;
};

}  // namespace crawler

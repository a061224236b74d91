#include "crawler/io/csv_fields.h"

#include "crawler/io/terminal.h"
#include "crawler/io/units.h"

namespace crawler {

void CsvFields::Cell(std::string_view key, std::string_view value) {
  if (!heads_.empty()) {
    heads_ += ',';
    line_ += ',';
  }
  heads_ += key;
  line_ += value;
}

void CsvFields::Text(std::string_view key, std::string_view value) {
  constexpr std::string_view kBeginsFormula = "=+-@\t\r\n";
  const bool formula = !value.empty() && kBeginsFormula.find(value.front()) != std::string::npos;
  std::string cell = "\"";
  if (formula) cell += '\'';
  for (const char c : Escaped(value)) {
    if (c == '"') cell += '"';
    cell += c;
  }
  Cell(key, cell + '"');
}

void CsvFields::Time(std::string_view key, base::WallTime value) { Cell(key, FormatTime(value)); }

void CsvFields::Hex(std::string_view key, contentseen::Fingerprint value) {
  // In quotes: 0000000012345678 and 1e10 are no numbers.
  Text(key, contentseen::FormatFingerprint(value));
}

void CsvFields::Hex(std::string_view key, const contentseen::Digest& value) {
  Text(key, value.IsNone() ? std::string() : value.Hex());
}

void CsvFields::Verdict(std::string_view key, contentseen::Kind value) {
  Cell(key, contentseen::Name(value));
}

}  // namespace crawler

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "crawler/data/page_log.h"
#include "crawler/io/terminal.h"

namespace crawler {

/// For commands that read what a crawl left behind.

/// Fails where writing `output` ("--output" of a command) would destroy what a crawl keeps in the
/// directory `data`. Anything else there, as an earlier report, may be written anew.
base::Status SparesData(const std::string& output, const std::string& data);

/// How reading the kept texts went.
struct KeptTexts {
  std::uint64_t texts = 0;
  /// Stored pages whose text was not kept.
  std::uint64_t missing = 0;
  /// Lines of the log that are no records.
  std::vector<LogFault> faults;
};

/// Gives each stored page of a crawl whose text was kept to `take`, in the order of the log, until
/// that gives false. Fails where the log or the store cannot be read, and where there is no text.
///
///     auto read = ReadKeptTexts(data, [&](const PageRecord& page, const std::string& text) {
///       return terminal.out.Write(LineOf(page, text));
///     });
///
/// Cost: holds one text.
base::Result<KeptTexts> ReadKeptTexts(
    const std::filesystem::path& data,
    const std::function<bool(const PageRecord& page, const std::string& text)>& take);

/// Tells on the error stream what was passed over, if anything.
void TellPassedOver(const KeptTexts& read, Terminal& terminal);

}  // namespace crawler

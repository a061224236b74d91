#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "crawler/command/command_line.h"
#include "crawler/data/page_log.h"
#include "crawler/io/terminal.h"
#include "crawler/io/whole_file.h"

namespace crawler {

/// kExitOk where all files and folders named for reading are there and may be read; else says
/// which is not, and gives kExitUsage, for nothing was begun. Opens none, for it may be a pipe.
ExitCode MayBeRead(const std::vector<std::string>& names, Terminal& terminal);
/// The same for files alone: a folder is none.
ExitCode FilesMayBeRead(const std::vector<std::string>& names, Terminal& terminal);

/// For commands that read what a crawl left behind.

/// kExitOk where `data` is the directory of a crawl; else says what it is instead.
ExitCode FindCrawl(const std::string& data, Terminal& terminal);

/// Fails where writing `output` ("--output" of a command) would destroy what a crawl keeps in the
/// directory `data`. Anything else there, as an earlier report, may be written anew.
base::Status SparesData(const std::string& output, const std::string& data);

/// What such a command writes: a file that takes its place when it is complete, or for "-" the
/// standard output.
///
///     auto output = DataOutput::Open(command.output, terminal);
///     if (!output) return Complain(terminal, output.error().message);
///     output->Write(page);
///     return output->Close("3 pages");     // "report.html: 3 pages"
class DataOutput {
 public:
  static base::Result<DataOutput> Open(const std::string& name, Terminal& terminal);

  /// False where nobody takes more.
  bool Write(std::string_view text);
  /// Ends it, and says `what` it holds, where that is not said amid it; or why it could not be
  /// written. REQUIRES: once.
  ExitCode Close(const std::string& what);

 private:
  DataOutput(std::string name, Terminal& terminal, std::unique_ptr<WholeFile> file)
      : name_(std::move(name)), terminal_(terminal), file_(std::move(file)) {}

  std::string name_;
  Terminal& terminal_;
  std::unique_ptr<WholeFile> file_;  // null: the standard output
};

/// How reading the kept texts went.
struct KeptTexts {
  std::uint64_t texts = 0;
  /// Stored pages whose text was not kept.
  std::uint64_t missing = 0;
  /// Lines of the log that are no records.
  std::vector<LogFault> faults;
};

/// Gives each stored page of a crawl whose text was kept to `take`, in the order of the log, until
/// that gives false. Fails where the log or the store cannot be read, and where pages were stored
/// and of none the text was kept. (Where no page was stored there are no texts, as there should
/// be.)
///
///     auto read = ReadKeptTexts(data, [&](const PageRecord& page, const std::string& text) {
///       return terminal.out.Write(LineOf(page, text));
///     });
///
/// Cost: holds one text.
base::Result<KeptTexts> ReadKeptTexts(
    const std::filesystem::path& data,
    const std::function<bool(const PageRecord& page, const std::string& text)>& take);

/// What is to be said of a crawl that has come to no page.
std::string NoPageStored(const std::string& data);

/// Tells on the error stream what was passed over, if anything.
void TellPassedOver(const KeptTexts& read, Terminal& terminal);

}  // namespace crawler

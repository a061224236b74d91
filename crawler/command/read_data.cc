#include "crawler/command/read_data.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "crawler/crawl/data_directory.h"
#include "crawler/crawl/seen_image.h"
#include "crawler/data/data_format.h"
#include "crawler/data/data_lock.h"
#include "crawler/data/text_store.h"
#include "crawler/io/overwriting.h"
#include "crawler/pipeline/suspects.h"
#include "crawler/warc/page_archive.h"

namespace crawler {

ExitCode MayBeRead(const std::vector<std::string>& names, Terminal& terminal) {
  for (const std::string& name : names) {
    if (::access(name.c_str(), R_OK) == 0) continue;
    return Complain(terminal, name + ": cannot be opened: " + std::strerror(errno), kExitUsage);
  }
  return kExitOk;
}

ExitCode FilesMayBeRead(const std::vector<std::string>& names, Terminal& terminal) {
  for (const std::string& name : names) {
    std::error_code ignored;  // a failure to ask shows as a failure to open
    if (!std::filesystem::is_directory(name, ignored)) continue;
    return Complain(terminal, name + ": cannot be opened: it is a directory", kExitUsage);
  }
  return MayBeRead(names, terminal);
}

ExitCode FindCrawl(const std::string& data, Terminal& terminal) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(data, error);
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    return Complain(terminal, data + ": " + error.message(), kExitUsage);
  }
  if (DataDirectory::IsThere(data)) return kExitOk;
  return Complain(terminal, data + " holds no crawl: name the directory of one", kExitUsage);
}

base::Status SparesData(const std::string& output, const std::string& data) {
  std::vector<std::string> kept = LogsIn(data);
  for (const char* name :
       {kTextStoreName, kWarcFolder, kSeenImageFolder, kWorkingName, kLockName}) {
    kept.push_back((std::filesystem::path(data) / name).string());
  }
  return SparesInputs("--output", output, kept);
}

base::Result<DataOutput> DataOutput::Open(const std::string& name, Terminal& terminal) {
  if (name == "-") return DataOutput(name, terminal, nullptr);
  auto file = WholeFile::Open(name);
  if (!file) return base::Fail(file.error().message);
  return DataOutput(name, terminal, std::move(*file));
}

bool DataOutput::Write(std::string_view text) {
  return file_ ? file_->Write(text) : terminal_.out.Write(text);
}

ExitCode DataOutput::Close(const std::string& what) {
  if (!file_) return kExitOk;
  if (auto written = file_->Finish(); !written) {
    return Complain(terminal_, written.error().message);
  }
  terminal_.out.Write(Escaped(name_) + ": " + what + "\n");
  return kExitOk;
}

base::Result<KeptTexts> ReadKeptTexts(
    const std::filesystem::path& data,
    const std::function<bool(const PageRecord& page, const std::string& text)>& take) {
  auto store = OpenTextStoreForReading(data / kTextStoreName);
  if (!store) return base::Fail(store.error().message);
  auto counted = (*store)->LogBytes(Log::kPages);
  if (!counted) return base::Fail(counted.error().message);
  KeptTexts read;
  base::Status failed;
  base::Status log = ReadLog<PageRecord>(
      data / kPageLogName,
      [&](std::size_t, const PageRecord& page) {
        auto text = (*store)->Get(page.text_id);
        if (!text) {
          failed = base::Fail(text.error().message);
          return false;
        }
        if (!*text) {
          ++read.missing;
          return true;
        }
        ++read.texts;
        return take(page, **text);
      },
      read.faults, *counted);
  if (!log) return base::Fail(log.error().message);
  if (!failed) return base::Fail(failed.error().message);
  if (read.texts > 0 || (read.missing == 0 && read.faults.empty())) return read;
  return base::Fail(data.string() +
                    ": holds no text of a stored page; crawl with texts.keep = true");
}

std::string NoPageStored(const std::string& data) { return data + ": no page was stored"; }

void TellPassedOver(const KeptTexts& read, Terminal& terminal) {
  if (read.missing > 0) {
    terminal.err.Write(fmt::format("{} stored pages have no text\n", read.missing));
  }
  if (!read.faults.empty()) {
    terminal.err.Write(fmt::format("{} lines of {} are no records, and were passed over\n",
                                   read.faults.size(), kPageLogName));
  }
}

}  // namespace crawler

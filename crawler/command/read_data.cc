#include "crawler/command/read_data.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "crawler/crawl/seen_image.h"
#include "crawler/data/data_format.h"
#include "crawler/data/data_lock.h"
#include "crawler/data/text_store.h"
#include "crawler/io/overwriting.h"
#include "crawler/pipeline/suspects.h"
#include "crawler/warc/page_archive.h"

namespace crawler {

base::Status SparesData(const std::string& output, const std::string& data) {
  std::vector<std::string> kept = LogsIn(data);
  for (const char* name :
       {kTextStoreName, kWarcFolder, kSeenImageFolder, kWorkingName, kLockName}) {
    kept.push_back((std::filesystem::path(data) / name).string());
  }
  return SparesInputs("--output", output, kept);
}

base::Result<KeptTexts> ReadKeptTexts(
    const std::filesystem::path& data,
    const std::function<bool(const PageRecord& page, const std::string& text)>& take) {
  auto store = OpenTextStoreForReading(data / kTextStoreName);
  if (!store) return base::Fail(store.error().message);
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
      read.faults);
  if (!log) return base::Fail(log.error().message);
  if (!failed) return base::Fail(failed.error().message);
  if (read.texts > 0) return read;
  return base::Fail(data.string() +
                    ": holds no text of a stored page; crawl with texts.keep = true");
}

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

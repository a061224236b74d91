#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "crawler/data/page_log.h"
#include "crawler/data/text_store.h"
#include "store/rocks_store.h"
#include "tests/temp_folder.h"

namespace crawler {

/// A crawl's data directory with a text for each page but the last, and a line that is no record.
inline void WriteKeptTexts(const std::filesystem::path& data,
                           const std::vector<std::string>& texts) {
  std::filesystem::create_directories(data);
  auto store = store::OpenRocksStore(data / kTextStoreName, {});
  ASSERT_TRUE(store) << store.error().message;
  std::string log;
  for (std::size_t i = 0; i <= texts.size(); ++i) {
    PageRecord page;
    page.url = "http://a.example/" + std::to_string(i);
    page.title = "Page " + std::to_string(i);
    page.text_id = i + 1;
    log += LogLine(page);
    if (i == texts.size()) break;
    store::Batch batch;
    PutText(i + 1, texts[i], 1 << 20, batch);
    ASSERT_TRUE((*store)->Write(batch, store::Durability::kProcess));
  }
  tests::WriteFile(data / kPageLogName, log + "no record\n");
}

}  // namespace crawler

#pragma once

#include <array>
#include <string_view>

namespace crawler {

/// A text without spaces between its words, and the same with a small correction.
struct DemoForeignText {
  std::string_view title;
  std::string_view paragraphs;  // paragraphs end with a newline
  /// Replace `before` by `after`, once, to get the near copy; empty where there is none.
  std::string_view before;
  std::string_view after;
};

/// Chinese and Japanese texts of the demo web, written for it.
extern const std::array<DemoForeignText, 2> kDemoChinese;
extern const std::array<DemoForeignText, 2> kDemoJapanese;

}  // namespace crawler

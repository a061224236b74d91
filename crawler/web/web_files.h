#pragma once

#include <span>
#include <string_view>

namespace crawler::web {

/// A file of the folder crawler/web/ as it was when the program was built.
struct File {
  std::string_view name;
  std::string_view bytes;
};

/// All of them; defined in a source that web_files.cmake writes.
std::span<const File> Files();

}  // namespace crawler::web

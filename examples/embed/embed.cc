// Reads text files named on the command line and says which repeat an earlier one.
#include <contentseen/content_seen.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

int main(int argc, char** argv) {
  // The secret of a crawl: who knows it can make texts that pass for other people's. A crawl that
  // continues from records or an image needs the one it began with.
  std::random_device random;
  contentseen::ContentSeenOptions options{.k = 3};
  options.features.key = std::uint64_t{random()} << 32 | random();
  auto seen = contentseen::ContentSeen::Create(options);
  if (!seen) {
    std::cerr << seen.error().message << '\n';
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::string text;
    for (std::array<char, 65'536> piece; file;) {
      file.read(piece.data(), piece.size());
      text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (!file.is_open() || file.bad()) {
      std::cerr << argv[i] << ": cannot be read\n";
      return 1;
    }
    // A text file has neither menus nor a host. Of a page give `.passages` and `.host` too:
    // without them the default detector takes pages with one long menu for one page.
    const contentseen::Verdict verdict =
        (*seen)->CheckAndInsert({.id = static_cast<contentseen::DocumentId>(i),
                                 .body = contentseen::Sha256(text),
                                 .text = text});
    std::cout << argv[i] << ": " << Name(verdict.kind);
    if (!verdict.IsNew()) {
      std::cout << " to " << argv[verdict.original] << ", " << verdict.distance << " bits apart";
    }
    std::cout << '\n';
  }
}

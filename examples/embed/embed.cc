// Reads text files named on the command line and says which repeat an earlier one.
#include <contentseen/content_seen.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  auto seen = contentseen::ContentSeen::Create({.k = 3});
  if (!seen) {
    std::cerr << seen.error().message << '\n';
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
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

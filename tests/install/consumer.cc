// Includes every installed header that a user has reason to, and checks one verdict of each kind.
#include <contentseen/compare.h>
#include <contentseen/content_seen.h>
#include <contentseen/detectors/detectors.h>
#include <contentseen/fingerprint.h>
#include <contentseen/hamming/hamming_index.h>
#include <contentseen/text/simhash.h>
#include <contentseen/text/text.h>
#include <contentseen/text/tokens.h>

#include <cstdio>
#include <string>

using contentseen::Kind;

namespace {

std::string Article(const std::string& last_word) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "word" + std::to_string(i) + ' ';
  return text + last_word;
}

Kind Judge(contentseen::ContentSeen& seen, contentseen::DocumentId id, const std::string& body,
           const std::string& text) {
  return seen.CheckAndInsert({.id = id, .body = contentseen::Sha256(body), .text = text}).kind;
}

}  // namespace

int main() {
  auto seen = contentseen::ContentSeen::Create({.k = 10});
  if (!seen) return 1;
  const bool right = Judge(**seen, 1, "a", Article("end")) == Kind::kNew &&
                     Judge(**seen, 2, "a", Article("end")) == Kind::kExactBytes &&
                     Judge(**seen, 3, "b", Article("END")) == Kind::kExactText &&
                     Judge(**seen, 4, "c", Article("fin")) == Kind::kNear &&
                     Judge(**seen, 5, "d", "caf\u00e9 \u4e2d\u56fd") == Kind::kNew;
  std::puts(right ? "installed library: all verdicts right" : "installed library: wrong verdict");
  return right ? 0 : 1;
}

#include "contentseen/detectors/spots.h"

#include <algorithm>
#include <unordered_map>

#include "contentseen/digest.h"
#include "contentseen/text/shingle_hash.h"

namespace contentseen {
namespace {

using Word = std::string_view;

constexpr Word kEnglishAntecedents[] = {
    "a",    "an",    "the",    "be",    "am",   "is",    "are",   "was",    "were",
    "been", "being", "can",    "could", "will", "would", "shall", "should", "have",
    "has",  "had",   "having", "do",    "does", "did",   "done",  "doing"};
constexpr Word kGermanAntecedents[] = {
    "der",   "die", "das",  "den", "dem",   "des", "ein",   "eine", "einen",  "einem", "einer",
    "eines", "ist", "sind", "war", "waren", "hat", "haben", "wird", "werden", "kann",  "können"};
constexpr Word kFrenchAntecedents[] = {"le",  "la",   "les",   "un",      "une",  "des",  "du",
                                       "est", "sont", "était", "étaient", "sera", "peut", "fait"};
constexpr Word kSpanishAntecedents[] = {"el", "los", "las", "una", "unos", "unas", "al",   "del",
                                        "es", "son", "fue", "era", "ha",   "han",  "puede"};
constexpr Word kItalianAntecedents[] = {"il",    "lo", "gli",  "uno", "della", "dello",
                                        "degli", "è",  "sono", "può", "hanno"};
constexpr Word kPortugueseAntecedents[] = {"o",   "os", "as",  "um",  "uma", "dos",
                                           "das", "é",  "são", "foi", "tem", "pode"};
constexpr Word kDutchAntecedents[] = {"de",    "het",    "een",   "zijn",
                                      "heeft", "hebben", "wordt", "kan"};

constexpr Word kEnglishStops[] = {
    "about",   "above",   "after",  "again", "against", "all",     "also", "and",  "any",
    "at",      "because", "before", "below", "between", "both",    "but",  "by",   "down",
    "during",  "each",    "few",    "for",   "from",    "further", "he",   "her",  "here",
    "hers",    "him",     "his",    "how",   "i",       "if",      "in",   "into", "it",
    "its",     "me",      "more",   "most",  "my",      "no",      "nor",  "not",  "of",
    "off",     "on",      "once",   "only",  "or",      "other",   "our",  "out",  "over",
    "own",     "s",       "same",   "she",   "so",      "some",    "such", "t",    "than",
    "that",    "their",   "them",   "then",  "there",   "these",   "they", "this", "those",
    "through", "to",      "too",    "under", "until",   "up",      "us",   "very", "we",
    "what",    "when",    "where",  "which", "while",   "who",     "whom", "why",  "with",
    "you",     "your"};
constexpr Word kGermanStops[] = {"aber", "als",   "am",    "auch", "auf",  "aus",  "bei",  "bis",
                                 "dass", "durch", "er",    "es",   "für",  "im",   "ich",  "ihr",
                                 "mit",  "nach",  "nicht", "noch", "nur",  "oder", "sich", "sie",
                                 "sein", "so",    "um",    "und",  "von",  "vor",  "wenn", "wie",
                                 "wir",  "zu",    "zum",   "zur",  "über", "unter"};
constexpr Word kFrenchStops[] = {
    "à",    "au",   "aux", "avec", "ce",   "ces", "cette", "d",   "dans", "elle", "en",
    "et",   "il",   "ils", "l",    "mais", "ne",  "nous",  "on",  "ou",   "par",  "pas",
    "plus", "pour", "qu",  "que",  "qui",  "sa",  "se",    "ses", "son",  "sur",  "vous"};
constexpr Word kRomanceStops[] = {"como", "con",  "da",  "di",   "e",   "em",  "entre", "in",
                                  "más",  "mas",  "na",  "nas",  "nel", "no",  "nos",   "não",
                                  "o",    "para", "per", "pero", "por", "si",  "sin",   "sobre",
                                  "su",   "sus",  "y",   "ya",   "che", "non", "com",   "ao"};
constexpr Word kDutchStops[] = {"aan", "bij", "dat", "dit",  "en",   "er",   "het", "ik",
                                "in",  "je",  "met", "naar", "niet", "of",   "om",  "ook",
                                "op",  "te",  "tot", "uit",  "van",  "voor", "ze",  "zij"};

// Chinese, then the particles of Japanese. Three bytes each.
constexpr Word kGrammarCharacters[] = {"的", "了", "在", "是", "は", "が",
                                       "を", "に", "の", "と", "で", "も"};
constexpr std::size_t kGrammarBytes = 3;

using Roles = std::unordered_map<Word, SpotRole>;

Roles MakeRoles() {
  Roles roles;
  const std::span<const Word> antecedents[] = {
      kEnglishAntecedents, kGermanAntecedents,     kFrenchAntecedents, kSpanishAntecedents,
      kItalianAntecedents, kPortugueseAntecedents, kDutchAntecedents};
  const std::span<const Word> stops[] = {kEnglishStops, kGermanStops, kFrenchStops, kRomanceStops,
                                         kDutchStops};
  // The first role stays: an antecedent of one language may be a stop-word of another.
  for (const std::span<const Word> words : antecedents) {
    for (const Word word : words) roles.emplace(word, SpotRole::kAntecedent);
  }
  for (const std::span<const Word> words : stops) {
    for (const Word word : words) roles.emplace(word, SpotRole::kStop);
  }
  return roles;
}

bool IsGrammar(Word character) {
  return std::find(std::begin(kGrammarCharacters), std::end(kGrammarCharacters), character) !=
         std::end(kGrammarCharacters);
}

// The antecedent of a bigram is its first character.
Word AntecedentIn(Word token) {
  return IsGrammar(token.substr(0, kGrammarBytes)) ? token.substr(0, kGrammarBytes) : token;
}

std::uint64_t HashOf(Word word, std::uint64_t key) { return Xxh3Key(word, key).low; }

}  // namespace

SpotRole RoleOf(std::string_view token) {
  static const Roles roles = MakeRoles();
  if (const auto found = roles.find(token); found != roles.end()) return found->second;
  const auto lead = static_cast<unsigned char>(token.empty() ? 0 : token.front());
  if (lead < 0xE3) return SpotRole::kContent;
  if (IsGrammar(token.substr(0, kGrammarBytes))) return SpotRole::kAntecedent;
  if (token.size() > kGrammarBytes && IsGrammar(token.substr(token.size() - kGrammarBytes))) {
    return SpotRole::kStop;
  }
  return SpotRole::kContent;
}

std::vector<std::uint64_t> SpotHashes(std::string_view text, std::span<const Token> tokens,
                                      const SpotSigsOptions& options, std::uint64_t key) {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> parts;
  ForEachSpot(text, tokens, options, [&](const Spot& spot) {
    parts.assign(1, HashOf(AntecedentIn(spot.antecedent), key));
    for (const std::string_view word : spot.words) parts.push_back(HashOf(word, key));
    hashes.emplace_back();
    HashShinglesScalar(parts, parts.size(), &hashes.back());
  });
  return hashes;
}

}  // namespace contentseen

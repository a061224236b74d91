#include "contentseen/detectors/lexicon.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/random_seed.h"
#include "base/whole_number.h"
#include "contentseen/digest.h"

namespace contentseen {
namespace {

constexpr std::string_view kFirstLine = "contentseen-lexicon 1";
constexpr std::string_view kDigestWord = "sha256 ";

// Lines of a file, one after another.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Nothing when no whole line is left.
  std::optional<std::string_view> Next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }
  bool AtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// The number in the line "WORD NUMBER".
std::optional<std::uint64_t> NumberAfter(std::string_view word,
                                         std::optional<std::string_view> line) {
  if (!line || !line->starts_with(word)) return std::nullopt;
  return base::WholeNumber<std::uint64_t>(line->substr(word.size()));
}

std::optional<LexiconWindow> WindowIn(std::optional<std::string_view> line) {
  constexpr std::string_view kWord = "nidf ";
  if (!line || !line->starts_with(kWord)) return std::nullopt;
  const std::string_view numbers = line->substr(kWord.size());
  const std::size_t space = numbers.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto low = base::WholeNumber<std::uint64_t>(numbers.substr(0, space));
  const auto high = base::WholeNumber<std::uint64_t>(numbers.substr(space + 1));
  if (!low || !high || *low > *high || *high > 100) return std::nullopt;
  return LexiconWindow{static_cast<std::uint32_t>(*low), static_cast<std::uint32_t>(*high)};
}

std::optional<Lexicon::Term> TermIn(std::optional<std::string_view> line) {
  const std::size_t tab = line ? line->find('\t') : std::string_view::npos;
  if (tab == std::string_view::npos || tab == 0) return std::nullopt;
  const auto documents = base::WholeNumber<std::uint64_t>(line->substr(tab + 1));
  if (!documents) return std::nullopt;
  return Lexicon::Term{std::string(line->substr(0, tab)), *documents};
}

double Nidf(std::uint64_t documents, std::uint64_t with_term) {
  const double all = static_cast<double>(documents) + 1;
  return std::log(all / static_cast<double>(with_term)) / std::log(all);
}

}  // namespace

Lexicon::Lexicon(std::vector<Term> terms, std::uint64_t documents, LexiconWindow window)
    : terms_(std::move(terms)), documents_(documents), window_(window) {
  index_.reserve(terms_.size());
  for (const Term& term : terms_) index_.insert(term.text);
}

std::string Lexicon::Body() const {
  std::string body = std::string(kFirstLine) + "\ndocuments " + std::to_string(documents_) +
                     "\nnidf " + std::to_string(window_.nidf_min_percent) + " " +
                     std::to_string(window_.nidf_max_percent) + "\nterms " +
                     std::to_string(terms_.size()) + "\n";
  for (const Term& term : terms_) {
    body += term.text + '\t' + std::to_string(term.documents) + '\n';
  }
  return body;
}

std::string Lexicon::version() const { return Sha256(Body()).Hex().substr(0, 16); }

std::string Lexicon::Text() const {
  const std::string body = Body();
  return body + std::string(kDigestWord) + Sha256(body).Hex() + '\n';
}

base::Status Lexicon::Write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << Text();
  file.close();
  if (!file) return base::Fail(path + ": cannot write the lexicon");
  return {};
}

base::Result<Lexicon> Lexicon::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return base::Fail(path + ": cannot open the lexicon; make one with `contentseen lexicon`");
  }
  std::string text;
  for (std::array<char, 65'536> piece; file;) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return base::Fail(path + ": cannot read the lexicon");
  return Parse(text, path);
}

base::Result<Lexicon> Lexicon::Parse(std::string_view file, const std::string& path) {
  const auto damaged = [&path](std::string_view what) {
    return base::Fail(path + ": the lexicon is damaged (" + std::string(what) +
                      "); make it anew with `contentseen lexicon`");
  };
  Lines lines(file);
  if (lines.Next() != kFirstLine) {
    return base::Fail(path + ": no lexicon of version 1; make one with `contentseen lexicon`");
  }
  const auto documents = NumberAfter("documents ", lines.Next());
  const auto window = WindowIn(lines.Next());
  const auto count = NumberAfter("terms ", lines.Next());
  if (!documents || !window || !count) return damaged("its head");
  std::vector<Term> terms;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto term = TermIn(lines.Next());
    if (!term || (!terms.empty() && terms.back().text >= term->text)) return damaged("a term");
    terms.push_back(std::move(*term));
  }
  Lexicon lexicon(std::move(terms), *documents, *window);
  const auto last = lines.Next();
  const std::string digest = std::string(kDigestWord) + Sha256(lexicon.Body()).Hex();
  if (last != digest || !lines.AtEnd()) return damaged("its SHA-256");
  return lexicon;
}

LexiconBuilder::LexiconBuilder(std::size_t terms_max)
    : terms_max_(terms_max), counts_(0, KeyedHash{base::RandomSeed()}) {}

void LexiconBuilder::Add(const AnalyzedText& text) {
  ++documents_;
  std::vector<std::string_view> terms;
  for (const Token& token : text.tokens()) {
    if (token.size <= kTermBytesMax) terms.push_back(token.In(text.normalized()));
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  for (const std::string_view term : terms) {
    ++counts_.try_emplace(std::string(term), Count{.before = forgotten_}).first->second.documents;
  }
  if (counts_.size() > terms_max_) Forget();
}

void LexiconBuilder::Forget() {
  while (counts_.size() > terms_max_ / 2) {
    ++forgotten_;
    std::erase_if(counts_, [this](const auto& entry) {
      return entry.second.documents + entry.second.before <= forgotten_;
    });
  }
}

Lexicon LexiconBuilder::Build(const LexiconWindow& window) const {
  CHECK(window.nidf_min_percent <= window.nidf_max_percent && window.nidf_max_percent <= 100);
  std::vector<Lexicon::Term> terms;
  for (const auto& [term, count] : counts_) {
    const double percent = 100 * Nidf(documents_, count.documents);
    if (percent < window.nidf_min_percent || percent > window.nidf_max_percent) continue;
    terms.push_back({term, count.documents});
  }
  std::sort(terms.begin(), terms.end(),
            [](const Lexicon::Term& a, const Lexicon::Term& b) { return a.text < b.text; });
  return {std::move(terms), documents_, window};
}

}  // namespace contentseen

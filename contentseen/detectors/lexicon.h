#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "contentseen/digest.h"
#include "contentseen/text/analyzed_text.h"

namespace contentseen {

/// Which terms of a collection a lexicon takes, by their normalised inverse document frequency
/// nidf(t) = ln((N + 1) / df) / ln(N + 1), which is 1 for a term of one document in N and near 0
/// for one of all. In percent, 0..100, both ends included.
struct LexiconWindow {
  std::uint32_t nidf_min_percent = 20;
  std::uint32_t nidf_max_percent = 85;
};

/// The terms that I-Match looks at: neither so rare that they may be typing errors nor so frequent
/// that they say nothing. Frozen once made: another lexicon changes every signature, and version()
/// says which one it is.
///
///     LexiconBuilder builder;
///     for (...) builder.Add(text);
///     base::Status written = builder.Build({}).Write(path);
///     base::Result<Lexicon> lexicon = Lexicon::Read(path);
///
/// The file is text: "contentseen-lexicon 1", "documents N", "nidf LOW HIGH" (percent), "terms N",
/// a line "term TAB document-frequency" for each in the order of bytes, then "sha256 HEX" of all
/// that stands before.
///
/// Thread safety: const methods, at once. Cost: about 100 bytes a term, and its letters
/// where they are more than 15.
class Lexicon {
 public:
  struct Term {
    std::string text;
    std::uint64_t documents = 0;
  };

  /// Fails when the file cannot be read, has another version, or is damaged.
  static base::Result<Lexicon> Read(const std::string& path);
  base::Status Write(const std::string& path) const;
  /// What Write() writes.
  std::string Text() const;

  bool Contains(std::string_view term) const { return index_.contains(term); }
  const std::vector<Term>& terms() const { return terms_; }
  /// Documents that frequencies were counted in.
  std::uint64_t documents() const { return documents_; }
  LexiconWindow window() const { return window_; }
  /// Sixteen hex digits that name these terms.
  std::string version() const;

  Lexicon(Lexicon&&) noexcept = default;
  Lexicon& operator=(Lexicon&&) noexcept = default;
  Lexicon(const Lexicon&) = delete;
  Lexicon& operator=(const Lexicon&) = delete;
  ~Lexicon() = default;

 private:
  friend class LexiconBuilder;
  // REQUIRES: terms in the order of bytes, each once.
  Lexicon(std::vector<Term> terms, std::uint64_t documents, LexiconWindow window);
  static base::Result<Lexicon> Parse(std::string_view file, const std::string& path);
  // The file but for its last line.
  std::string Body() const;

  std::vector<Term> terms_;
  std::uint64_t documents_;
  LexiconWindow window_;
  // Into terms_, whose elements never move.
  std::unordered_set<std::string_view> index_;
};

/// Counts in how many documents each term stands. When more than kTermsMax are met, the rarest are
/// forgotten (lossy counting; Manku, Motwani, VLDB 2002): rare for the time since they were met
/// first, so a term that comes late is held against no more than one that came early. A count is
/// then too small by what may have been forgotten before.
///
/// Thread safety: one thread at a time. Cost: about 80 bytes a different term, and its
/// letters where they are more than 15.
class LexiconBuilder {
 public:
  static constexpr std::size_t kTermsMax = 4'000'000;
  /// A longer term is no word.
  static constexpr std::size_t kTermBytesMax = 128;

  explicit LexiconBuilder(std::size_t terms_max = kTermsMax);

  /// REQUIRES: fewer than 2^32 texts.
  void Add(const AnalyzedText& text);
  /// REQUIRES: window.nidf_min_percent <= window.nidf_max_percent <= 100.
  Lexicon Build(const LexiconWindow& window) const;

 private:
  void Forget();

  struct Count {
    std::uint32_t documents = 0;
    // In so many it may have stood before, and was forgotten: forgotten_ when it was met.
    std::uint32_t before = 0;
  };

  std::size_t terms_max_;
  std::uint64_t documents_ = 0;
  // Terms that stood in this many documents at most were forgotten last. Never above documents_.
  std::uint32_t forgotten_ = 0;
  // Nobody outside knows the key: words chosen to collide cannot be found.
  struct KeyedHash {
    std::uint64_t key;
    std::size_t operator()(std::string_view term) const { return Xxh3Key(term, key).low; }
  };
  std::unordered_map<std::string, Count, KeyedHash> counts_;
};

}  // namespace contentseen

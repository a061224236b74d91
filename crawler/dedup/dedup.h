#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contentseen/content_seen.h"
#include "contentseen/digest_map.h"
#include "contentseen/verdict.h"
#include "crawler/dedup/dedup_corpus.h"
#include "crawler/dedup/dedup_document.h"
#include "crawler/page/submission.h"

namespace crawler {

/// What was found about one document of a corpus.
struct DedupVerdict {
  std::uint64_t number = 0;  // of the document, from 1 over all corpora
  std::string name;
  std::uint64_t place = 0;       // as CorpusItem::place
  std::uint64_t read_bytes = 0;  // of its corpus when it was read
  contentseen::Digest body;
  contentseen::Verdict verdict;
};

/// What became of the documents so far.
struct DedupCounts {
  std::uint64_t documents = 0;
  std::uint64_t kept = 0;
  std::uint64_t exact_bytes = 0;
  std::uint64_t exact_text = 0;
  std::uint64_t near = 0;
  std::uint64_t empty = 0;
  /// Why others were not judged.
  std::map<std::string, std::uint64_t, std::less<>> not_judged;
  std::uint64_t wrong_digests = 0;

  std::uint64_t Skipped() const { return exact_bytes + exact_text + near; }
};

/// Lines of a corpus that were not judged because they cannot be read as JSON objects.
struct UnreadLines {
  std::uint64_t count = 0;
  /// Which was the first, and why: "line 3 is not JSON from byte 17 on".
  std::string first;
};

/// Runs the ContentSeen stage over corpora, as a crawl runs it over pages.
///
///     Dedup dedup(seen, reading, threads);
///     base::Status read = dedup.Run(*corpus, [&](const DedupVerdict& v) { return List(v); });
///
/// Promises: the verdicts are those of the documents judged one by one in their order, whatever
/// the number of threads.
/// Thread safety: Run() from one thread at a time. Ownership: `seen` must outlive it.
/// Cost: reading, decoding and parsing by `threads` threads, judging by one. Memory: what
/// ContentSeen takes; 256 MiB of documents under way; 40 bytes for each WARC payload, a bit for
/// each document.
class Dedup {
 public:
  Dedup(contentseen::ContentSeen& seen, const DedupReading& reading, std::uint32_t threads);

  /// Called in order for each document that was judged and is not empty. Failing ends Run().
  using Found = std::function<base::Status(const DedupVerdict&)>;
  /// Reads `corpus` to its end, with fewer threads where the system starts no more, and fails
  /// where it starts fewer than two.
  base::Status Run(Corpus& corpus, const Found& found);

  const DedupCounts& counts() const { return counts_; }
  /// Of the corpus that was read last.
  const CorpusTrace& trace() const { return trace_; }
  const UnreadLines& unread_lines() const { return unread_lines_; }
  /// Whether that document is a duplicate. REQUIRES: there is one of that number.
  bool IsSkipped(std::uint64_t number) const;

 private:
  class Window;
  base::Status TakeAll(Corpus& corpus, const Found& found);
  static void AddAll(Corpus& corpus, Window& window);
  void ParseAll(Window& window);
  base::Status Take(const CorpusItem& item, DedupDocument& document, const Found& found);
  std::string_view Judge(DedupDocument& document, DedupVerdict& result);
  void Count(const contentseen::Verdict& verdict);

  contentseen::ContentSeen& seen_;
  const DedupReading reading_;
  const std::uint32_t threads_;
  SubmissionMaker submission_;
  DedupCounts counts_;
  CorpusTrace trace_;
  UnreadLines unread_lines_;
  std::vector<bool> skipped_{false};
  contentseen::DigestMap<contentseen::Digest> payloads_;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "contentseen/detectors/detector.h"
#include "contentseen/digest.h"
#include "contentseen/document_id.h"
#include "contentseen/document_record.h"
#include "contentseen/options.h"
#include "contentseen/text/passage.h"
#include "contentseen/verdict.h"

namespace contentseen {

/// A page put before ContentSeen.
///
/// Only `verified`, the default detector, reads `passages`, `host` and `title`, and it needs them
/// to see past a template. Without passages, of a site whose menu has three times the words that
/// its pages have of their own nearly all are taken for one; at twice, nearly all without the host
/// and few with it; at half as much again, many without it and hardly one with it. Who has
/// neither chooses `detector = "simhash"`, which asks for nearly the same words all over.
struct Submission {
  /// The name under which the page is remembered if it is new.
  DocumentId id = kNoDocument;
  /// Sha256() of the decoded body.
  Digest body{};
  /// The visible text, UTF-8, as it stands on the page. Ill-formed bytes do no harm. Its first
  /// kTextBytesMax bytes (256 MiB, text/text.h) are judged, what follows is not.
  std::string_view text{};
  /// Where pieces of the text begin, and what each is. REQUIRES: in order, or the process ends;
  /// and white space before each: a word divided among two counts as two words. What stands before
  /// the first is content: without passages all of the text is, menus and footers too.
  std::span<const Passage> passages{};
  /// A number that stands for the page's host, `Xxh3Key(name).low` for instance; 0 where unknown.
  /// Two pages of host 0 count as of two hosts, and nothing is learned of what their site repeats.
  std::uint64_t host = 0;
  /// What the page calls itself: its title element, UTF-8. Two pages of one host whose titles
  /// share no word that the site does not repeat are near only where nearly all of their texts
  /// agrees.
  std::string_view title{};
};

/// Tells whether content like this has been seen before, and remembers it, in one atomic step.
///
///     ContentSeenOptions options{.k = 3};
///     options.features.key = secret;                    // drawn at random once a crawl, and kept
///     auto seen = ContentSeen::Create(options);
///     if (!seen) return base::Fail(seen.error().message);
///     Digest body = Sha256(bytes);
///     std::optional<Verdict> verdict = (*seen)->FindExact(body);   // before any parsing
///     if (!verdict) {
///       const std::uint64_t host = Xxh3Key(page.host).low;
///       verdict = (*seen)->CheckAndInsert({.id = id, .body = body, .text = text,
///                                          .passages = passages, .host = host, .title = title});
///     }
///     if (!verdict->IsNew()) Skip(*verdict);
///
/// Verdicts, the first that holds: (1) the same bytes were judged before: the verdict of those is
/// repeated (kExactBytes of an admitted page; the same original, kind and distance as before where
/// they were rejected); (2) kExactText of an admitted document; (3) kNear to the admitted document
/// that the detector finds most alike (detector.h), of several the one with the smallest id;
/// (4) kNew, and admitted. A page without visible text is always kNew, and leaves no trace. So no
/// page is ever called a duplicate of one that was itself rejected, and of identical pages exactly
/// one is new.
///
/// Linearizable: the verdicts of concurrent calls are those of the same calls made one at a time
/// in the order of Verdict::sequence. How that comes about, and why, stands in content_seen.cc and
/// docs/contentseen.md. (Two things are left open. `verified` and `spotsigs` look at a bounded
/// number of candidates: where a text has more, which of them are seen. And `verified` learns from
/// the documents admitted what a host repeats on all its pages: of concurrent calls with a host
/// which have taught that when a text is signed.)
///
/// Nothing is ever forgotten. Who fetches a page again and submits it again asks whether the page
/// is like its own former self: an unchanged one is an exact copy, one with a small change near.
/// And there is no asking about a text without admitting it if it is new, but for FindExact() and
/// Compare() (compare.h), which holds two texts against each other.
///
/// Memory refused in the analysis of a text is thrown as std::bad_alloc, and nothing has changed;
/// refused while something is remembered it ends the process, because half of a page would be
/// remembered.
///
/// Thread safety: all methods, at once.
/// Ownership: keeps nothing of a submission's text.
/// Cost: a call is the analysis of its text (about 5 ns a byte), outside every lock, then a
/// few microseconds, and what comparing with the detector's candidates takes: under `verified` 0.3
/// us for each, few on most pages and 1,023 at most. Memory, about: 49 bytes for each different
/// body judged (106 where it was not admitted), 41 for each different admitted text, and the
/// detector's index; under `verified` 26 MB at once. `verified` and `simhash` reserve 26 GB of
/// address space, which is no memory but counts where address space is limited (`ulimit -v`).
class ContentSeen {
 public:
  /// Fails when an option is out of range, there is no such detector, or memory is refused.
  static base::Result<std::unique_ptr<ContentSeen>> Create(const ContentSeenOptions& options);

  /// The same with a detector of the caller's making, whatever `options.detector` says. REQUIRES:
  /// options that are valid but for that, and a detector.
  ContentSeen(const ContentSeenOptions& options, std::unique_ptr<Detector> detector);
  ~ContentSeen();
  ContentSeen(const ContentSeen&) = delete;
  ContentSeen& operator=(const ContentSeen&) = delete;

  /// Judges and remembers. REQUIRES: `submission.id` is not 0 and was never submitted before.
  /// `record`, if given, is set to what must be kept for Restore(); its id is kNoDocument where
  /// nothing must be: of a page without text, and of bytes that were judged before.
  Verdict CheckAndInsert(const Submission& submission, DocumentRecord* record = nullptr);

  /// Remembers, without judging, what an earlier ContentSeen with the same options (another k may
  /// do) made the record of. False for a record that none can have made, by its shape. REQUIRES:
  /// its id was never submitted or restored before.
  bool Restore(const DocumentRecord& record) noexcept { return Restore({&record, 1}); }
  /// The same for each, faster from some thousand on; false if it is for any.
  /// Several threads may share the records among them: what is remembered in the end is the same
  /// (but for a detector that learns as it goes, or that keeps a bounded number under a key: it
  /// goes by the order of the calls).
  bool Restore(std::span<const DocumentRecord> records) noexcept;

  /// Writes all that is remembered to the files `bodies`, `texts` and `detector` of `directory`,
  /// which is made where it is missing and should hold nothing else: an image, from which Load()
  /// has it back sooner than Restore() has. `name` tells it from earlier ones there. It takes the
  /// place of the last one there when it is whole: until then the disk holds both, and where
  /// writing fails the last one stays. (Who dies in the moment of exchange leaves none.) Fails
  /// with the system's reason, and for detectors that do not know how. REQUIRES: no page is
  /// submitted or restored meanwhile, and no other object or process saves there. Cost: writes
  /// about 100 bytes a document under SimHash, 0.9 KB under `verified`; nothing is synced.
  base::Status Save(const std::filesystem::path& directory, std::string_view name) const;
  /// What was saved under `name` with the same options (`documents_expected` aside) and the same
  /// detector: of the caller's making a new one, known by its name(). Fails for anything else, be
  /// it damaged by a bit or of two images (as while Save() exchanges them), with a sentence that
  /// tells damage from other options or another name: then Create() and Restore(). Cost: that of
  /// reading. REQUIRES: with `detector`, options as for its constructor.
  static base::Result<std::unique_ptr<ContentSeen>> Load(
      const ContentSeenOptions& options, const std::filesystem::path& directory,
      std::string_view name, std::unique_ptr<Detector> detector = nullptr);

  /// The verdict for bytes judged before, known without parsing them; final. Nothing when they are
  /// unknown: then parse, and call CheckAndInsert().
  std::optional<Verdict> FindExact(const Digest& body) const;

  /// What is remembered.
  struct Counts {
    std::uint64_t documents = 0;  // admitted, the empty ones left out
    std::uint64_t bodies = 0;     // different bodies judged, admitted or not
    std::uint64_t near = 0;       // documents in the detector's index
    std::uint64_t memory_bytes = 0;
  };
  Counts counts() const;

  const ContentSeenOptions& options() const;
  const Detector& detector() const;

 private:
  struct State;
  static std::unique_ptr<State> StateOf(const ContentSeenOptions& options,
                                        std::unique_ptr<Detector> detector);

  const std::unique_ptr<State> state_;
};

}  // namespace contentseen

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "frontier/url.h"

namespace frontier {

struct TrapOptions {
  /// URLs accepted that differ in their query only. Range 1 to 1,000,000,000.
  std::uint32_t queries_per_path_max = 50'000;
  /// Pages of one pattern, one after another, that bring nothing new, before the pattern is
  /// closed. From 1.
  std::uint32_t pattern_duplicates_max = 1'000;
  /// Times that two values of a query parameter gave the same page, and none another one, before
  /// the parameter is idle. From 1.
  std::uint32_t idle_parameter_pages = 20;
};

/// What one page's content says about the URLs like it.
struct PageContent {
  enum class Kind : std::uint8_t {
    kUnknown,  // not judged
    kNew,
    kDuplicate,
  };
  Kind kind = Kind::kUnknown;
  /// Two pages with the same one have exactly the same content; 0: not known.
  std::uint64_t identity = 0;
};

/// What a crawl learns of one host's URLs, so as not to go round in circles there.
///
///  * Patterns. URLs with the same first directory, number of segments and parameter names, digits
///    left aside, are of one pattern: /2026/11/21?view=day. When many of its pages in a row bring
///    nothing new, it is closed: a calendar, a wiki's history.
///  * Queries. A path has a budget of them: facets and permutations have no end.
///  * Idle parameters. Where two URLs differ in one parameter and have the same content, again and
///    again and never otherwise, that parameter is idle on their path: a session id whose name
///    nobody knew. Where that was so on many paths and on none otherwise, it is idle on the whole
///    host; /photo.php?id=7 alone says nothing of /article.php?id=7. Of the URLs that are the same
///    without it, one is asked for, as it stands: that its value says nothing does not make a page
///    of the URL that has none.
///    A host that is out of order gives one page to whoever asks, and that says nothing of a
///    parameter. So a page counts only where the host gave another one just before, and not where
///    it was given on another path lately. What was learned is still doubted: of the URLs that it
///    would leave out, fewer and fewer are asked for, and one that differs after all takes it
///    back, from the one that it was compared with or, as that may be long ago, from all pages.
///
/// Each memory is bounded; what finds no room is not learned, so that errors are towards crawling.
///
///     if (traps.Closed(url)) ...                        // not to be accepted or requested
///     Url form = traps.WithoutIdle(url);
///     if (another URL has that form && !traps.AcceptAnyway(url)) ...  // not to be accepted
///     traps.Ended(url, content, options);
///
/// Thread safety: as a value. Cost: below a microsecond a URL; up to 8 KB, for hosts that have
/// duplicates or queries only.
class HostTraps {
 public:
  /// Whether the path of `url` has used up its queries.
  bool HasNoQueryLeft(const Url& url, const TrapOptions& options) const;
  /// A URL was accepted.
  void Accepted(const Url& url);
  /// Whether the pattern of `url` is closed.
  bool Closed(const Url& url, const TrapOptions& options) const;
  /// The URL less the parameters that are known to be idle.
  Url WithoutIdle(const Url& url, const TrapOptions& options) const;
  bool HasIdle(const TrapOptions& options) const;
  /// For a URL that its idle parameters would leave out: whether to accept it all the same, to see
  /// if they are still idle. So with the 1st, 2nd, 4th, 8th ... since one became idle.
  bool AcceptAnyway(const Url& url);
  /// After AcceptAnyway() said no: whether to accept it as one that is judged when its turn comes.
  /// What was learned wrongly may be taken back by then. So with the first 500.
  bool MayWait() const;
  /// The same when it is to be requested: the 1st, 2nd, 4th, 8th ..., and again each time what was
  /// accepted or requested so: it may have failed.
  bool RequestAnyway(const Url& url);

  /// A page was judged. True if that closed its pattern.
  bool Ended(const Url& url, const PageContent& content, const TrapOptions& options);

  /// Memory held, about.
  std::size_t bytes() const;

  /// What outlives the process: all but the pages compared last and the counts of URLs left out,
  /// so that what was learned is doubted anew.
  void Append(std::string& out) const;
  /// Reads it back; the reader is not ok() for bytes that are none.
  static HostTraps Read(base::ByteReader& reader);

 private:
  // A count by hash.
  struct Count {
    std::uint64_t hash;
    std::uint32_t count;
  };
  // A URL less one parameter, with that one's value and the page's content.
  struct Sample {
    std::uint64_t rest = 0;
    std::uint64_t identity = 0;
    std::uint32_t value = 0;
    std::uint32_t path = 0;
  };
  static constexpr int kPathsForHost = 16;  // bits of Parameter::paths
  // What comparisons told of a parameter: of one path, by a hash of both, or of the host.
  struct Parameter {
    std::uint64_t hash = 0;
    // A bit for each path where it did not matter; some paths share one.
    std::uint64_t paths = 0;
    std::uint32_t same = 0;
    bool differs = false;
    bool Idle(const TrapOptions& options) const {
      return !differs && same >= options.idle_parameter_pages;
    }
    bool IdleOnHost(const TrapOptions& options) const {
      return Idle(options) && std::popcount(paths) >= kPathsForHost;
    }
  };

  void Learn(const Url& url, std::uint64_t identity, const TrapOptions& options);
  /// A page that was asked for in doubt is like no other.
  void TakeBack(const Url& url, const TrapOptions& options);
  void Tell(bool same, std::uint64_t name, std::uint64_t path, const TrapOptions& options);
  bool IsGivenElsewhere(std::uint64_t identity, std::uint64_t path) const;
  template <class InEffect>
  void Compared(bool same, std::uint64_t hash, std::uint64_t path, std::size_t parameters_max,
                InEffect in_effect, std::vector<Parameter>& parameters);
  Sample& PlaceOf(std::uint64_t rest);
  bool IsIdle(std::uint64_t name, std::uint64_t path, const TrapOptions& options) const;

  std::vector<Count> duplicates_;  // in a row, by pattern
  std::vector<Count> queries_;     // accepted, by path
  std::vector<Sample> samples_;    // by a few bits of `rest`, 0 where there is none
  std::vector<Parameter> of_paths_;
  std::vector<Parameter> of_host_;
  std::uint64_t last_identity_ = 0;  // of the page judged last
  // Since a parameter became idle: URLs left out when they were to be accepted and requested, and
  // hashes of those that were accepted or requested anyway: at most 64 of each, by the counts.
  std::uint64_t not_accepted_ = 0;
  std::uint64_t not_requested_ = 0;
  std::vector<std::uint64_t> anyway_;
};

}  // namespace frontier

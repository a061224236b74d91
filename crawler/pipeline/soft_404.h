#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "base/result.h"
#include "contentseen/fingerprint.h"
#include "frontier/candidate.h"
#include "frontier/url.h"
#include "parser/document.h"
#include "store/store.h"

namespace crawler {

struct Soft404Options {
  /// Ask each host once for a page that cannot be there.
  bool probe = true;
  /// Hosts remembered; further ones are not asked. From 1.
  std::uint32_t hosts_max = 100'000;
};

/// What a host answers where nothing is, if not 404: what its soft 404s look like (Bar-Yossef,
/// Broder, Kumar and Tomkins, WWW 2004, section 3).
struct NotFoundAnswer {
  /// Of the text, less the words of its path and query and those with digits; 0: none was shown.
  std::uint64_t text_hash = 0;
  contentseen::Fingerprint fingerprint = 0;
  std::uint32_t words = 0;
  /// Of the host, path and query redirected to; 0: to none, or to one that names what was asked
  /// for.
  std::uint64_t redirect_hash = 0;
};

/// What the text of an answer to `url` looks like, whatever was asked for: such pages like to
/// repeat that.
///
/// Thread safety: pure. Cost: linear in the text, some microseconds for a short one.
NotFoundAnswer PrintOf(const frontier::Url& url, std::string_view text);

/// What of a page's text is not surely its site's, nor a navigation within main
/// (parser/boilerplate.h): by a long menu that all pages share they would all be like the one that
/// says that nothing is there.
///
/// Thread safety: pure. Cost: a copy.
std::string OwnText(const parser::Document& document);

/// Recognises pages that say in words, not by their status, that nothing is there. One page a host
/// is asked for at random, as any page is: with its delay, within its robots.txt. What looks like
/// the answer to that is a soft 404 thereafter: the same text, or, from 50 words on, one as near
/// as near-duplicates are, or a redirect to the same host, path and query. A redirect that names
/// in its target what was asked for (/login?next=/asked) is answered by that target: it teaches
/// nothing. Where the path names it (another scheme, a slash at the end) the probe goes on there.
/// A host's root and the seeds never are.
///
///     if (auto probe = soft_404.ProbeOf(url)) frontier.Schedule({&*probe, 1});
///     soft_404.LearnText(probe_url, OwnText(answer), batch);
///     if (soft_404.IsLikeText(page_url, OwnText(page))) ...
///
/// Thread safety: all methods. Cost: about 100 bytes a host; a text that is compared costs some
/// microseconds, and only where the host has shown a page.
class Soft404 {
 public:
  Soft404(const Soft404Options& options, std::uint64_t key, int distance_max)
      : options_(options), key_(key), distance_max_(distance_max) {}

  /// A page that cannot be there, the first time that a host is met; else nothing.
  std::optional<frontier::Candidate> ProbeOf(const frontier::Url& url) EXCLUDES(mutex_);

  /// The answer to a probe; `batch` takes what is to be kept of it.
  void LearnText(const frontier::Url& probe, std::string_view text, store::Batch& batch)
      EXCLUDES(mutex_);
  void LearnRedirect(const frontier::Url& probe, const frontier::Url& target, store::Batch& batch)
      EXCLUDES(mutex_);

  /// Whether the target of a probe's redirect is that page at another place of its host, so that
  /// what is answered there is the host's answer.
  static bool IsElsewhere(const frontier::Url& probe, const frontier::Url& target);

  /// Whether the url's host has shown a page, which another's text could be like.
  bool HasText(const frontier::Url& url) const EXCLUDES(mutex_);
  bool IsLikeText(const frontier::Url& url, std::string_view text) const EXCLUDES(mutex_);
  bool IsLikeRedirect(const frontier::Url& url, const frontier::Url& target) const
      EXCLUDES(mutex_);

  /// True once for each host, in each process: the links of its first soft 404 were not followed
  /// with those of an original, as there is none.
  bool TakeFirst(const frontier::Url& url) EXCLUDES(mutex_);

  /// Takes back what was kept. Fails when it cannot be read.
  base::Status Restore(const store::Store& store) EXCLUDES(mutex_);

 private:
  void Learn(std::string_view host, const NotFoundAnswer& answer, store::Batch& batch)
      EXCLUDES(mutex_);
  std::optional<NotFoundAnswer> AnswerOf(const frontier::Url& url) const EXCLUDES(mutex_);

  const Soft404Options options_;
  const std::uint64_t key_;
  const int distance_max_;
  mutable base::Mutex mutex_;
  struct Known {
    NotFoundAnswer answer;
    bool first_taken = false;
  };
  std::unordered_map<std::string, Known> hosts_ GUARDED_BY(mutex_);
};

}  // namespace crawler

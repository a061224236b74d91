// The way of a page:
//
//  seeds
//    |
//    v
// +----------+ lease +---------+ bytes +--------+ text +-------------+
// | frontier |------>| fetcher |------>| parser |----->| contentseen |
// +----------+       +---------+       +--------+      +------+------+
//    ^                                            new  |      | seen
//    |     unseen  +----------+ URLs  +------------+   |      v
//    +-------------| URL-seen |<------| link       |<--+   skip log
//                  +----------+       | extraction |
//                                     +------------+
//
// NextFetch() is the arrow out of the frontier, Process() the row of stages behind the fetcher,
// End() the way back.

#include "crawler/pipeline/pipeline.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "crawler/fetch/http_date.h"
#include "crawler/pipeline/outcome.h"
#include "frontier/registered_domain.h"
#include "parser/meta_refresh.h"
#include "parser/mime_sniff.h"
#include "parser/robots_directives.h"
#include "parser/utf8.h"

namespace crawler {
namespace {

// Pages that may not be asked for end without a fetch; after so long the fetcher gets a turn for
// its transfers.
constexpr std::chrono::milliseconds kDenyingAtOnce{5};
// What a Retry-After can mean at all; the frontier cuts it to its own park_max.
constexpr std::chrono::hours kRetryAfterMax{24 * 365};

bool IsProbe(const Page& page) { return page.candidate().role == frontier::CandidateRole::kProbe; }
bool IsSitemap(const Page& page) {
  return page.candidate().role == frontier::CandidateRole::kSitemap;
}

parser::Sniffed Sniff(const FetchResponse& response) {
  return parser::SniffContent(response.ContentType(), response.body);
}

bool IsHtml(parser::ContentKind kind) {
  return kind == parser::ContentKind::kHtml || kind == parser::ContentKind::kXhtml;
}

bool IsRefresh(const parser::Link& link) { return link.kind == parser::LinkKind::kMetaRefresh; }
bool IsFrame(const parser::Link& link) {
  return link.kind == parser::LinkKind::kFrame || link.kind == parser::LinkKind::kIframe;
}

// What the page's relative links are relative to.
frontier::Url BaseOf(const Page& page, const frontier::UrlRules& rules) {
  if (page.document.base_href.empty()) return page.url();
  auto base = frontier::Url::Resolve(page.url(), page.document.base_href, rules);
  return base ? std::move(*base) : page.url();
}

// Who publishes a copy of another's page before we get there must not make that site vanish.
// A soft 404 has no original.
bool IsCopyOfOtherSite(const Page& page) {
  return !page.original.host.empty() && frontier::RegisteredDomain(page.original.host) !=
                                            frontier::RegisteredDomain(page.url().host());
}

std::string_view FolderOf(const frontier::Url& url) {
  return url.path().substr(0, url.path().rfind('/') + 1);
}

// A site in https is no other than that in http.
std::uint16_t SiteOf(const frontier::Url& url) { return url.port() == 443 ? 80 : url.port(); }

bool IsExactCopy(const Page& page) {
  using contentseen::Kind;
  return page.verdict.kind == Kind::kExactBytes || page.verdict.kind == Kind::kExactText;
}

// Where a copy stands on the host of its original: by that its links are others.
enum class CopyIn { kSamePlace, kOtherFolder, kOtherPort };

// A soft 404 has no original.
CopyIn PlaceOfCopy(const Page& page) {
  if (page.original.url.empty()) return CopyIn::kSamePlace;
  const frontier::Url original = frontier::Url::FromCanonical(page.original.url);
  if (original.host() != page.url().host()) return CopyIn::kSamePlace;
  if (SiteOf(original) != SiteOf(page.url())) return CopyIn::kOtherPort;
  return FolderOf(original) != FolderOf(page.url()) ? CopyIn::kOtherFolder : CopyIn::kSamePlace;
}

// Whether a link means another URL there.
bool IsRelativeTo(CopyIn place, const parser::Link& link) {
  const auto is_slash = [&link](std::size_t at) {
    return at < link.href.size() && (link.href[at] == '/' || link.href[at] == '\\');
  };
  if (is_slash(0)) return place == CopyIn::kOtherPort && !is_slash(1);
  const std::size_t end = link.href.find_first_of(":/\\?");
  return end == std::string::npos || link.href[end] != ':';
}

// Why the one candidate of a redirect was not queued; empty when it was.
std::string WhyNotQueued(const frontier::ScheduleCounts& counts) {
  if (counts.seen > 0) return " (known)";
  for (std::size_t i = 0; i < counts.out_of_scope.size(); ++i) {
    if (counts.out_of_scope[i] == 0) continue;
    return " (not followed: " +
           std::string(frontier::Name(static_cast<frontier::ScopeVerdict>(i))) + ")";
  }
  for (std::size_t i = 0; i < counts.over_limit.size(); ++i) {
    if (counts.over_limit[i] == 0) continue;
    return " (over limit: " +
           std::string(frontier::Name(static_cast<frontier::ScheduleLimit>(i))) + ")";
  }
  return "";
}

// What a header says of reloading goes the way of <meta http-equiv=refresh>.
void AddRefresh(std::string_view header, parser::Document& document) {
  const std::optional<parser::MetaRefresh> refresh = parser::ParseMetaRefresh(header);
  if (!refresh || refresh->url.empty() || !parser::IsWellFormedUtf8(refresh->url)) return;
  document.links.push_back(
      {.href = std::string(refresh->url), .kind = parser::LinkKind::kMetaRefresh});
}

void CountLimits(const parser::Document& document, Statistics& statistics) {
  statistics.Hit(Limit::kLinksPerPage, document.links_dropped);
  switch (document.fallback_reason) {
    case parser::FallbackReason::kNone:
    case parser::FallbackReason::kFault:
      return;
    case parser::FallbackReason::kMemory:
      return statistics.Hit(Limit::kParseMemory);
    case parser::FallbackReason::kTime:
      return statistics.Hit(Limit::kParseTime);
    case parser::FallbackReason::kDepth:
      return statistics.Hit(Limit::kParseDepth);
    case parser::FallbackReason::kSize:
      return statistics.Hit(Limit::kParseBytes);
  }
}

std::chrono::microseconds Since(const base::Clock& clock, base::Time start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(clock.Now() - start);
}

PageTimes TimesOf(const Page& page) {
  PageTimes times;
  if (page.response.started != base::Time{}) times.fetch = page.response.duration;
  if (page.parsed) times.parse = page.parse_time;
  if (page.id != contentseen::kNoDocument) times.check = page.check_time;
  return times;
}

}  // namespace

Pipeline::Pipeline(const PipelineOptions& options, const PipelineParts& parts)
    : options_(options), parts_(parts), queue_(options.pages_in_flight_max) {}

// ---- Out of the frontier ----

FetchSource::Next Pipeline::NextFetch() {
  FailIfNot(parts_.journal.CommitIfDue());
  FailIfNot(parts_.frontier.status());
  if (stopping()) return FetchSource::Finished{};
  // A disk that cannot be written: nothing is fetched that could not be kept.
  std::optional<base::Time> due = parts_.journal.Due();
  if (parts_.journal.paused() && due) return WaitUntil{*due};
  Next next = TakeNext();
  const bool finished = std::holds_alternative<Finished>(next);
  // The last commit may have to wait for its disk, too.
  if (finished && !stopping()) FailIfNot(parts_.journal.CommitEarly());
  // While nothing else happens, somebody must come by for the commit.
  due = parts_.journal.Due();
  if (!due || (finished && (stopping() || !parts_.journal.paused()))) return next;
  return finished ? Next(WaitUntil{*due}) : WaitNoLonger(std::move(next), *due);
}

FetchSource::Next Pipeline::TakeNext() {
  const base::Time until = parts_.clock.Now() + kDenyingAtOnce;
  do {
    if (stopping()) return FetchSource::Finished{};
    if (!ReservePlace()) return WaitForWake{};
    frontier::Acquired acquired = parts_.frontier.Acquire();
    if (auto* lease = std::get_if<frontier::Lease>(&acquired)) {
      Page page(std::move(*lease));
      std::optional<Disposition> no = WhyNotToAsk(page);
      if (!no) return StartFetch(std::move(page));
      ReleasePlace();
      const Journal::Turn turn(parts_.journal);
      if (page.lease.IsOfRobots()) {
        EndUnaskedRobots(std::move(page), *no);
        continue;
      }
      if (*no == Disposition::kDeadly) ForgetDeaths(page);
      End(std::move(page), *no);
      continue;
    }
    ReleasePlace();
    if (auto* wait = std::get_if<frontier::WaitUntil>(&acquired)) return WaitUntil{wait->when};
    if (std::holds_alternative<frontier::Finished>(acquired)) return FetchSource::Finished{};
    return WaitForWake{};
  } while (parts_.clock.Now() < until);
  return WaitUntil{until};
}

bool Pipeline::ReservePlace() {
  if (queue_.Reserve()) return true;
  wants_room_.store(true);
  return queue_.Reserve();
}

void Pipeline::ReleasePlace() {
  queue_.Release();
  if (wants_room_.exchange(false)) wake_();
}

std::optional<Disposition> Pipeline::WhyNotToAsk(Page& page) {
  using Kind = frontier::Lease::Kind;
  if (page.lease.kind() == Kind::kTrapped) return Disposition::kTrapped;
  if (page.lease.kind() == Kind::kRobotsLost) return Disposition::kRobotsUnreachable;
  const bool robots = page.lease.kind() == Kind::kRobots;
  const frontier::Url& suspect = robots ? page.asked() : page.url();
  if (parts_.suspects.IsDeadly(suspect.text())) return Disposition::kDeadly;
  if (robots) return std::nullopt;
  auto denial = parts_.robots.Denied(page.url());
  if (!denial) {
    FailIfNot(base::Fail(denial.error().message));
    return Disposition::kStopped;
  }
  if (!*denial) return std::nullopt;
  if ((*denial)->too_costly) parts_.statistics.Hit(Limit::kRobotsCost);
  page.detail = std::move((*denial)->why);
  return (*denial)->disposition;
}

FetchRequest Pipeline::StartFetch(Page page) {
  FetchRequest request;
  request.ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
  request.url = page.url().text();
  if (page.lease.kind() == frontier::Lease::Kind::kRobots) {
    // Of these two a byte more than is read, so that the reader knows when its last line is cut.
    request.body_bytes_max = parts_.robots_limits.body_bytes_max + 1;
  } else if (IsSitemap(page)) {
    request.body_bytes_max = parts_.sitemaps.limits.body_bytes_max + 1;
  }
  base::MutexLock lock(mutex_);
  in_flight_.emplace(request.ticket, std::move(page));
  return request;
}

void Pipeline::Fetched(FetchRequest request, FetchResponse response) {
  std::optional<Page> page;
  {
    base::MutexLock lock(mutex_);
    auto found = in_flight_.find(request.ticket);
    CHECK(found != in_flight_.end());
    page.emplace(std::move(found->second));
    in_flight_.erase(found);
  }
  page->response = std::move(response);
  queue_.Push(std::move(*page));
}

// ---- Through the stages ----

void Pipeline::Work() {
  Workbench bench(parts_.parse, next_slot_.fetch_add(1, std::memory_order_relaxed));
  while (std::optional<Page> page = queue_.Pop()) {
    if (wants_room_.exchange(false)) wake_();
    Settle(std::move(*page), bench);
    FailIfNot(parts_.journal.CommitIfDue());
  }
}

void Pipeline::Settle(Page page, Workbench& bench) {
  const bool robots = page.lease.kind() == frontier::Lease::Kind::kRobots;
  const bool dropped = dropping_.load(std::memory_order_relaxed);
  Disposition disposition = Disposition::kStopped;
  if (!robots && !dropped) {
    parts_.suspects.Begin(bench.slot, page.url().text());
    disposition = Process(page, bench);
    parts_.suspects.End(bench.slot);
  }
  BeginTurn(bench);
  parts_.statistics.Received(page.response.wire_bytes, page.response.body.size());
  parts_.statistics.Hit(Limit::kDescriptors, page.response.shortages);
  parts_.statistics.Hit(Limit::kAddressRequests, page.response.crowds);
  Archive(page, disposition);
  if (robots) {
    parts_.suspects.Begin(bench.slot, page.asked().text());
    ProcessRobots(std::move(page));
    parts_.suspects.End(bench.slot);
  } else {
    End(std::move(page), disposition);
  }
  bench.turn.reset();
}

// A stage calls this before it changes what other pages see. Until then the page may take its
// time without holding up a commit.
void Pipeline::BeginTurn(Workbench& bench) {
  if (!bench.turn) bench.turn.emplace(parts_.journal);
}

Disposition Pipeline::Process(Page& page, Workbench& bench) {
  using Stage = StageResult (Pipeline::*)(Page&, Workbench&);
  static constexpr std::array<Stage, 10> kStages = {
      &Pipeline::LookAtResponse, &Pipeline::FollowRedirect, &Pipeline::FollowSitemap,
      &Pipeline::LookAtContent,  &Pipeline::RecogniseBytes, &Pipeline::Parse,
      &Pipeline::LookForSoft404, &Pipeline::Judge,          &Pipeline::FollowLinks,
      &Pipeline::Keep,
  };
  for (Stage stage : kStages) {
    if (StageResult end = (this->*stage)(page, bench)) {
      const bool probed = IsProbe(page) && GroupOf(*end) != DispositionGroup::kPutBack;
      return probed ? Disposition::kProbe : *end;
    }
  }
  return DispositionOf(page.verdict);
}

Pipeline::StageResult Pipeline::LookAtResponse(Page& page, Workbench&) {
  const FetchResponse& response = page.response;
  if (response.error != FetchError::kNone) {
    page.detail = response.error_detail;
    Disposition disposition = DispositionOf(response.error);
    return IsPassing(response.error) ? RetryOr(page, disposition) : disposition;
  }
  if (IsOfAPage(response.status) || IsRedirect(response.status)) return std::nullopt;

  page.detail = "HTTP " + std::to_string(response.status);
  if (IsPassing(response.status) && response.status < 600) {
    return RetryOr(page, Disposition::kServerError);
  }
  if (response.status >= 400 && response.status < 500) return Disposition::kClientError;
  return Disposition::kOtherStatus;
}

Pipeline::StageResult Pipeline::FollowRedirect(Page& page, Workbench& bench) {
  if (!IsRedirect(page.response.status)) return std::nullopt;
  std::optional<std::string_view> location = Location(page.response);
  if (!location) {
    page.detail = "redirect without one Location";
    return Disposition::kProtocol;
  }
  base::Result<frontier::Url> target = TargetOf(page.url(), *location, parts_.url_rules);
  if (!target) {
    if (frontier::IsUrlTooLong(target.error())) parts_.statistics.Hit(Limit::kUrlBytes);
    page.detail = "redirect to no URL: " + target.error().message;
    return Disposition::kProtocol;
  }
  page.detail = "to " + target->text();
  if (StageResult end = LearnRedirect(page, *target, bench)) return end;
  frontier::Candidate next = page.candidate();
  next.asked = page.asked();
  next.url = std::move(*target);
  next.redirects += 1;
  next.attempt = 0;
  BeginTurn(bench);
  page.scheduled = Schedule({&next, 1});
  page.detail += WhyNotQueued(page.scheduled);
  return Disposition::kRedirected;
}

// What redirects to where its host sends everything is not there. A target without a query is
// known or worth a look. A probe goes on to another place of its own, as pages do; no limit of the
// frontier's would end its chain.
Pipeline::StageResult Pipeline::LearnRedirect(const Page& page, const frontier::Url& target,
                                              Workbench& bench) {
  if (IsProbe(page)) {
    const frontier::Url& probe = page.asked();
    const bool may = page.candidate().redirects < parts_.politeness.redirects_max;
    if (may && Soft404::IsElsewhere(probe, target)) return std::nullopt;
    BeginTurn(bench);
    store::Batch batch;
    parts_.soft_404.LearnRedirect(probe, target, batch);
    parts_.journal.Add(batch);
    return Disposition::kProbe;
  }
  if (page.candidate().seed || target.query().empty()) return std::nullopt;
  if (!parts_.soft_404.IsLikeRedirect(page.url(), target)) return std::nullopt;
  return Disposition::kSoft404;
}

// An ordinary page that a robots.txt names as a sitemap goes on as one: its URL is seen, and no
// link would bring it back.
Pipeline::StageResult Pipeline::FollowSitemap(Page& page, Workbench& bench) {
  if (!IsSitemap(page)) return std::nullopt;
  const SitemapLinks links =
      ReadSitemap(page.candidate(), page.response.body, parts_.sitemaps, parts_.url_rules);
  if (links.IsNone() && IsHtml(Sniff(page.response).kind)) {
    // It was read as far as a sitemap may be long.
    const bool too_large = page.response.body.size() > parts_.page_bytes_max;
    return too_large ? StageResult(Disposition::kTooLarge) : std::nullopt;
  }
  page.detail = links.summary;
  BeginTurn(bench);
  page.scheduled = Schedule(links.candidates);
  Statistics& statistics = parts_.statistics;
  const bool cut = page.response.body_cut || links.end == parser::SitemapEnd::kTooLong ||
                   links.end == parser::SitemapEnd::kTooCostly;
  if (cut) statistics.Hit(Limit::kSitemapBytes);
  if (links.end == parser::SitemapEnd::kTooMany) statistics.Hit(Limit::kSitemapUrls);
  statistics.Hit(Limit::kSitemapUrlBytes, links.too_long);
  statistics.Hit(Limit::kSitemapDepth, links.too_deep);
  return Disposition::kSitemap;
}

Pipeline::StageResult Pipeline::LookAtContent(Page& page, Workbench&) {
  const FetchResponse& response = page.response;
  parser::RobotsDirectives asked;
  for (const auto& [name, value] : response.headers) {
    if (name != "x-robots-tag") continue;
    asked = asked | parser::ParseXRobotsTag(value, parts_.parse.product_token);
  }
  page.nofollow = asked.nofollow;
  parser::Sniffed sniffed = Sniff(response);
  page.content_kind = sniffed.kind;
  if (sniffed.kind == parser::ContentKind::kOther && !response.body.empty()) {
    page.detail = sniffed.type;
    return Disposition::kNotText;
  }
  if (asked.noindex && asked.nofollow) return Disposition::kNoIndex;
  page.noindex = asked.noindex;
  return response.body_cut ? StageResult(Disposition::kTooLarge) : std::nullopt;
}

Pipeline::StageResult Pipeline::RecogniseBytes(Page& page, Workbench& bench) {
  if (IsProbe(page)) return std::nullopt;
  page.body_digest = contentseen::Sha256(page.response.body);
  std::optional<contentseen::Verdict> known = parts_.seen.FindExact(page.body_digest);
  if (!known || known->IsNew()) return std::nullopt;
  page.verdict = *known;
  return Skip(page, bench);
}

Pipeline::StageResult Pipeline::Parse(Page& page, Workbench& bench) {
  base::Time start = parts_.clock.Now();
  const std::string content_type = page.response.ContentType();
  page.document = bench.html.Parse(page.response.body, {content_type, page.content_kind});
  if (auto refresh = page.response.Header("refresh")) AddRefresh(*refresh, page.document);
  CountLimits(page.document, parts_.statistics);
  page.nofollow |= page.document.nofollow;
  page.noindex |= page.document.noindex;
  page.parsed = true;
  page.parse_time = Since(parts_.clock, start);
  return std::nullopt;
}

Pipeline::StageResult Pipeline::LookForSoft404(Page& page, Workbench& bench) {
  if (IsProbe(page)) {
    BeginTurn(bench);
    store::Batch batch;
    parts_.soft_404.LearnText(page.url(), OwnText(page.document), batch);
    parts_.journal.Add(batch);
    return Disposition::kProbe;
  }
  if (page.candidate().seed || !parts_.soft_404.HasText(page.url())) return std::nullopt;
  if (!parts_.soft_404.IsLikeText(page.url(), OwnText(page.document))) return std::nullopt;
  // The probe's links were not followed: they may name it.
  if (!page.nofollow && parts_.soft_404.TakeFirst(page.url())) {
    Follow(page, page.document.links, bench);
  } else {
    FollowThoughSeen(page, bench);
  }
  return Disposition::kSoft404;
}

Pipeline::StageResult Pipeline::Judge(Page& page, Workbench& bench) {
  // A page that asks not to be indexed is neither kept nor a reason to skip another.
  if (page.noindex) {
    page.said_lately = unkept_.Meet(page.url(), page.document.text);
    return std::nullopt;
  }
  base::Time start = parts_.clock.Now();
  page.id = next_document_.fetch_add(1, std::memory_order_relaxed);
  BeginTurn(bench);
  // Announced first: from the moment it is admitted another thread may have to name it.
  parts_.log.Announce(page);
  if (parts_.archive != nullptr) parts_.archive->Announce(page.id);
  contentseen::DocumentRecord record;
  page.verdict = parts_.seen.CheckAndInsert(
      bench.submission.Make(page.id, page.body_digest, page.document, page.url().host()), &record);
  page.check_time = Since(parts_.clock, start);
  parts_.log.Judged(page, record);
  return page.verdict.IsNew() ? std::nullopt : Skip(page, bench);
}

Pipeline::StageResult Pipeline::Skip(Page& page, Workbench& bench) {
  BeginTurn(bench);
  base::Result<KnownPage> original = parts_.log.Find(page.verdict.original);
  if (!original) {
    FailIfNot(base::Fail(original.error().message));
    return Disposition::kStopped;  // fetched again when the crawl goes on
  }
  page.original = std::move(*original);
  FollowThoughSeen(page, bench);
  base::Result<std::uint64_t> links = parts_.log.Skipped(page);
  if (!links) {
    FailIfNot(base::Fail(links.error().message));
    return Disposition::kStopped;
  }
  parts_.statistics.LinksNotFollowed(*links);
  if (page.verdict.kind == contentseen::Kind::kNear) {
    parts_.statistics.NearAt(page.verdict.distance);
  }
  return DispositionOf(page.verdict);
}

Pipeline::StageResult Pipeline::FollowLinks(Page& page, Workbench& bench) {
  Follow(page, page.document.links, bench);
  return std::nullopt;
}

// A page may say what another says and lead elsewhere:
//  * what the user names: front pages of unlike sites may all say "Welcome";
//  * a page that has moved, by its refresh;
//  * one that shows what stands in its frames, by those of its own host;
//  * the same front page in another folder, or on another port, by its relative links;
//  * a copy of a page that asked for its links not to be followed. Of these, too, the relative
//    ones only so often where the folder is another, or folders without an end would lead on for
//    ever.
// What stands in bytes that need not be parsed for that was followed with the original.
void Pipeline::FollowThoughSeen(Page& page, Workbench& bench) {
  const bool all =
      page.candidate().seed || (options_.follow_copies_of_other_sites && IsCopyOfOtherSite(page));
  const bool others = page.original.nofollow && !page.nofollow;
  const CopyIn place = PlaceOfCopy(page);
  const bool elsewhere = place != CopyIn::kSamePlace;
  const bool relative =
      !all && elsewhere && (others || IsExactCopy(page)) && in_folders_.Take(page.url().host());
  if (!page.parsed && (all || others || relative || page.response.Header("refresh"))) {
    static_cast<void>(Parse(page, bench));
  }
  const auto is_own_frame = [&](const parser::Link& link) {
    if (!IsFrame(link)) return false;
    const auto& rules = parts_.url_rules;
    const auto url = frontier::Url::Resolve(BaseOf(page, rules), link.href, rules);
    return url && url->host() == page.url().host();
  };
  std::vector<parser::Link> links;
  std::ranges::copy_if(page.document.links, std::back_inserter(links), [&](const auto& link) {
    if (all || IsRefresh(link) || is_own_frame(link)) return true;
    return elsewhere && IsRelativeTo(place, link) ? relative : others;
  });
  if (!links.empty()) Follow(page, links, bench);
}

void Pipeline::Follow(Page& page, std::span<const parser::Link> links, Workbench& bench) {
  if (page.nofollow) return;
  const frontier::Url base = BaseOf(page, parts_.url_rules);
  std::vector<frontier::Candidate> candidates;
  candidates.reserve(links.size());
  for (const parser::Link& link : links) {
    if (link.nofollow && options_.obey_rel_nofollow) continue;
    base::Result<frontier::Url> url = frontier::Url::Resolve(base, link.href, parts_.url_rules);
    if (!url) {  // mailto:, javascript:, or no URL at all
      if (frontier::IsUrlTooLong(url.error())) parts_.statistics.Hit(Limit::kUrlBytes);
      continue;
    }
    frontier::Candidate candidate{.url = std::move(*url), .referrer = page.url()};
    const bool is_redirect = IsRefresh(link);
    candidate.seed = is_redirect && page.candidate().seed;
    candidate.depth = page.candidate().depth + (is_redirect ? 0 : 1);
    candidate.redirects = is_redirect ? page.candidate().redirects + 1 : 0;
    candidates.push_back(std::move(candidate));
  }
  BeginTurn(bench);
  page.scheduled = Schedule(candidates);
  page.links_followed = links.size();
}

Pipeline::StageResult Pipeline::Keep(Page& page, Workbench&) {
  if (page.noindex) return Disposition::kNoIndex;
  if (page.verdict.empty) return std::nullopt;
  parts_.log.Stored(page);
  parts_.statistics.LinksStored(page.document.links.size(), page.scheduled.queued);
  return std::nullopt;
}

void Pipeline::Archive(const Page& page, Disposition disposition) {
  if (parts_.archive == nullptr) return;
  const bool robots = page.lease.kind() == frontier::Lease::Kind::kRobots;
  // A page that is put back is fetched again by the next run, and archived then.
  if (!robots && disposition == Disposition::kStopped) return parts_.archive->Forgo(page);
  parts_.archive->Keep(page, disposition, parts_.log.k());
}

frontier::ScheduleCounts Pipeline::Schedule(std::span<const frontier::Candidate> candidates) {
  const frontier::ScheduleCounts counts = parts_.frontier.Schedule(candidates);
  parts_.statistics.LeftOut(counts);
  return counts;
}

// ---- Back to the frontier ----

Disposition Pipeline::RetryOr(const Page& page, Disposition disposition) const {
  const bool again = page.candidate().attempt < options_.retries_max || IsOfOutage(page);
  return again ? Disposition::kRetry : disposition;
}

// Nobody answers: that is not this host's doing, and not its page's last attempt.
bool Pipeline::IsOfOutage(const Page& page) const {
  return IsSilence(page.response) && parts_.frontier.InOutage();
}

void Pipeline::End(Page page, Disposition disposition) {
  parts_.statistics.Ended(disposition, page.url().host(), TimesOf(page));
  parts_.log.Ended(page, disposition);
  if (disposition == Disposition::kStopped) return;  // the lease gives its URL back
  frontier::Ending ending = EndingOf(page);
  ending.retry = disposition == Disposition::kRetry;
  ending.content = ContentOf(page, disposition);
  parts_.frontier.End(std::move(page.lease), ending);
}

void Pipeline::ForgetDeaths(const Page& page) {
  store::Batch batch;
  Suspects::Forget(page.url().text(), batch);
  parts_.journal.Add(batch);
}

frontier::Ending Pipeline::EndingOf(const Page& page) const {
  const FetchResponse& response = page.response;
  frontier::Ending ending;
  ending.requested = response.started != base::Time{};
  ending.response_time = response.duration;
  ending.host = HostStateOf(response);
  // A proxy's address says nothing of its targets.
  if (!response.proxied) ending.address = response.address;
  if (auto wait = response.Header("retry-after"); wait && IsPassing(response.status)) {
    ending.park = ParseRetryAfter(*wait, parts_.clock.WallNow(), kRetryAfterMax)
                      .value_or(std::chrono::seconds(0));
    if (ending.park > parts_.politeness.park_max) parts_.statistics.Hit(Limit::kRetryAfter);
  }
  return ending;
}

// ---- Stopping ----

void Pipeline::Stop() {
  stopping_.store(true, std::memory_order_release);
  wake_();
}

void Pipeline::StopNow() {
  dropping_.store(true, std::memory_order_relaxed);
  Stop();
}

void Pipeline::FailIfNot(const base::Status& status) {
  if (status) return;
  {
    base::MutexLock lock(mutex_);
    if (status_) status_ = status;
  }
  Stop();
}

base::Status Pipeline::status() const {
  base::MutexLock lock(mutex_);
  return status_;
}

std::vector<std::string> Pipeline::notes() const {
  base::MutexLock lock(mutex_);
  return notes_;
}

std::size_t Pipeline::in_flight() const {
  base::MutexLock lock(mutex_);
  return in_flight_.size();
}

}  // namespace crawler

#include "crawler/pipeline/soft_404.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/bytes.h"
#include "contentseen/digest.h"
#include "contentseen/mix.h"
#include "contentseen/text/simhash.h"
#include "contentseen/text/text.h"
#include "contentseen/text/token_hash.h"
#include "contentseen/text/tokens.h"
#include "parser/boilerplate.h"

namespace crawler {
namespace {

// Under store::Table::kAbout, then the host.
constexpr std::string_view kPrefix = "soft404:";
// Texts with fewer words are compared for equality only.
constexpr std::uint32_t kWordsForNear = 50;

std::uint64_t Hash(std::string_view text) { return contentseen::Sha256(text).Key().high; }

bool HasDigit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), base::IsDigit);
}

/// Where a redirect leads: also the query, which alone tells apart the pages of a site that have
/// all one path: /index.php?id=7.
std::uint64_t PlaceOf(const frontier::Url& target) {
  return Hash(std::string(target.host()).append(target.path_and_query()));
}

/// Whether a part of the target of a probe's redirect names the probe. Its name is of hexadecimal
/// digits, so no escapes are in the way; a wiki makes its first letter a capital.
bool Names(std::string_view part, const frontier::Url& probe) {
  const std::string place = contentseen::NormalizeText(part);
  return place.find(probe.path().substr(1)) != std::string::npos;
}

}  // namespace

NotFoundAnswer PrintOf(const frontier::Url& url, std::string_view text) {
  const std::string normalized = contentseen::NormalizeText(text);
  const std::string asked = contentseen::NormalizeText(url.path_and_query());
  std::vector<contentseen::Token> tokens;
  contentseen::Tokenize(asked, &tokens);
  std::unordered_set<std::string_view> repeated;
  for (const contentseen::Token& token : tokens) repeated.insert(token.In(asked));
  contentseen::Tokenize(normalized, &tokens);
  std::string kept;
  std::vector<std::uint64_t> features;
  std::uint64_t before = 0;
  const contentseen::TokenHash hash_of(normalized, 0);
  for (const contentseen::Token& token : tokens) {
    const std::string_view word = token.In(normalized);
    if (HasDigit(word) || repeated.contains(word)) continue;
    kept.append(word).append(" ");
    const std::uint64_t hash = hash_of(token);
    features.push_back(contentseen::Mix64(hash));
    features.push_back(contentseen::Mix64(before * 31 + hash));
    before = hash;
  }
  NotFoundAnswer answer;
  answer.words = static_cast<std::uint32_t>(features.size() / 2);
  if (answer.words == 0) return answer;
  contentseen::SimHash simhash;
  simhash.Add(features);
  answer.fingerprint = simhash.Finish();
  answer.text_hash = Hash(kept);
  return answer;
}

std::string OwnText(const parser::Document& document) {
  const std::string_view text = document.text;
  std::string own;
  for (const parser::TextBlock& block : document.blocks) {
    if (parser::BoilerplateOf(block) >= parser::kLikelyBoilerplate) continue;
    own.append(text.substr(block.offset, block.length)).append("\n");
  }
  return own;
}

std::optional<frontier::Candidate> Soft404::ProbeOf(const frontier::Url& url) {
  if (!options_.probe) return std::nullopt;
  {
    base::MutexLock lock(mutex_);
    if (hosts_.size() >= options_.hosts_max) return std::nullopt;
    if (!hosts_.try_emplace(std::string(url.host())).second) return std::nullopt;
  }
  std::string secret = std::to_string(key_);
  const contentseen::Digest digest = contentseen::Sha256(secret.append(url.host()));
  std::string text(url.origin());
  text.append("/").append(contentseen::FormatFingerprint(digest.Key().high));
  return frontier::Candidate{.url = frontier::Url::FromCanonical(std::move(text)),
                             .role = frontier::CandidateRole::kProbe};
}

void Soft404::LearnText(const frontier::Url& probe, std::string_view text, store::Batch& batch) {
  Learn(probe.host(), PrintOf(probe, text), batch);
}

void Soft404::LearnRedirect(const frontier::Url& probe, const frontier::Url& target,
                            store::Batch& batch) {
  NotFoundAnswer answer;
  // A target that names what was asked for is another for each page: /index.php?title=asked. (So
  // is /login?next=/asked, whose parameter is soon known to be idle.)
  if (!Names(target.path_and_query(), probe)) answer.redirect_hash = PlaceOf(target);
  Learn(probe.host(), answer, batch);
}

void Soft404::Learn(std::string_view host, const NotFoundAnswer& answer, store::Batch& batch) {
  std::string value;
  base::AppendBigEndian(answer.text_hash, value);
  base::AppendBigEndian(answer.fingerprint, value);
  base::AppendVarint(answer.words, value);
  base::AppendBigEndian(answer.redirect_hash, value);
  batch.Put(store::Table::kAbout, std::string(kPrefix).append(host), value);
  base::MutexLock lock(mutex_);
  hosts_[std::string(host)].answer = answer;
}

bool Soft404::IsElsewhere(const frontier::Url& probe, const frontier::Url& target) {
  return target.host() == probe.host() && Names(target.path(), probe);
}

std::optional<NotFoundAnswer> Soft404::AnswerOf(const frontier::Url& url) const {
  if (url.path() == "/" && url.query().empty()) return std::nullopt;
  base::MutexLock lock(mutex_);
  const auto found = hosts_.find(std::string(url.host()));
  if (found == hosts_.end()) return std::nullopt;
  return found->second.answer;
}

bool Soft404::HasText(const frontier::Url& url) const {
  const std::optional<NotFoundAnswer> answer = AnswerOf(url);
  return answer && answer->words > 0;
}

bool Soft404::IsLikeText(const frontier::Url& url, std::string_view text) const {
  const std::optional<NotFoundAnswer> answer = AnswerOf(url);
  if (!answer || answer->words == 0) return false;
  const NotFoundAnswer page = PrintOf(url, text);
  if (page.text_hash == answer->text_hash) return true;
  return std::min(page.words, answer->words) >= kWordsForNear &&
         contentseen::Distance(page.fingerprint, answer->fingerprint) <= distance_max_;
}

bool Soft404::IsLikeRedirect(const frontier::Url& url, const frontier::Url& target) const {
  const std::optional<NotFoundAnswer> answer = AnswerOf(url);
  return answer && answer->redirect_hash != 0 && answer->redirect_hash == PlaceOf(target);
}

bool Soft404::TakeFirst(const frontier::Url& url) {
  base::MutexLock lock(mutex_);
  const auto found = hosts_.find(std::string(url.host()));
  return found != hosts_.end() && !std::exchange(found->second.first_taken, true);
}

base::Status Soft404::Restore(const store::Store& store) {
  auto cursor = store.ReadPrefix(store::Table::kAbout, kPrefix);
  base::MutexLock lock(mutex_);
  for (; cursor->Valid(); cursor->Next()) {
    base::ByteReader reader(cursor->value());
    NotFoundAnswer answer;
    answer.text_hash = reader.BigEndian();
    answer.fingerprint = reader.BigEndian();
    answer.words = static_cast<std::uint32_t>(reader.Varint());
    answer.redirect_hash = reader.BigEndian();
    if (!reader.AtEnd()) return base::Fail("the answer of a host to a probe is none");
    hosts_[std::string(cursor->key().substr(kPrefix.size()))].answer = answer;
  }
  return cursor->status();
}

}  // namespace crawler

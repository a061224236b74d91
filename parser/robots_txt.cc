#include "parser/robots_txt.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>

#include "base/ascii.h"
#include "base/hex.h"
#include "parser/charset.h"

namespace parser {
namespace {

constexpr std::chrono::milliseconds kCrawlDelayMax = std::chrono::hours(24);

/// `body` without its mark, as UTF-8. The standard says UTF-8; a mark that says UTF-16 is believed
/// all the same, and `*buffer` holds the text then.
std::string_view Decoded(std::string_view body, std::string* buffer) {
  const CharsetChoice mark = ChooseByMark(body);
  if (mark.encoding == Encoding::kUtf16Le || mark.encoding == Encoding::kUtf16Be) {
    Decoder decoder;
    return decoder.Decode(body, mark, buffer);
  }
  body.remove_prefix(mark.mark_bytes);
  return body;
}

bool IsTokenCharacter(char c) { return base::IsAlpha(c) || c == '_' || c == '-'; }

/// The product token that `text` begins with (RFC 9309, section 2.2.1: letters, '_', '-').
std::string_view ProductToken(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && IsTokenCharacter(text[end])) ++end;
  return text.substr(0, end);
}

bool IsUnreserved(char c) {
  return base::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// May `c` stand in a path or query as it is? (RFC 3986: unreserved and reserved characters.)
bool IsPathCharacter(char c) {
  return IsUnreserved(c) || std::strchr("!$&'()*+,;=:@/?#[]%", c) != nullptr;
}

/// How AppendNormalized() spells.
struct Spelling {
  /// '*' and a final '$' are special and stay.
  bool wildcards = false;
  /// Escapes of unreserved characters are decoded.
  bool decoded = false;
};

/// Appends `text` so that equal paths become equal bytes (RFC 9309, section 2.2.2): escapes have
/// upper-case digits, and bytes that may not stand in a URL are escaped. A literal '*' or '$' is
/// escaped too, so that "%2A" in a rule means just that (section 2.2.3).
void AppendNormalized(std::string_view text, Spelling spelling, std::string* out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::uint8_t escaped = 0;
    if (c == '%' && base::FromHex(text.substr(i + 1, 2), {&escaped, 1})) {
      if (spelling.decoded && IsUnreserved(static_cast<char>(escaped))) {
        *out += static_cast<char>(escaped);
      } else {
        base::AppendPercentEscape(escaped, *out);
      }
      i += 2;
    } else if (c == '*' || c == '$') {
      const bool special = spelling.wildcards && (c == '*' || i + 1 == text.size());
      special ? * out += c : * out += c == '*' ? "%2A" : "%24";
    } else if (c != '\0' && IsPathCharacter(c)) {
      *out += c;
    } else {
      base::AppendPercentEscape(static_cast<unsigned char>(c), *out);
    }
  }
}

/// Does `path` match `pattern`, whose '*' stand for anything and whose final '$' for the end?
/// Taking the leftmost place for each piece between '*'s is enough: whatever matches further
/// right matches there too. So nothing is tried twice.
bool MatchesWildcards(std::string_view pattern, std::string_view path) {
  const bool anchored = pattern.ends_with('$');
  if (anchored) pattern.remove_suffix(1);
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return anchored ? path == pattern : path.starts_with(pattern);
  if (!path.starts_with(pattern.substr(0, star))) return false;
  path.remove_prefix(star);
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) break;
    const std::string_view piece = pattern.substr(0, star);
    // memmem is linear where string_view::find is quadratic.
    const void* found = memmem(path.data(), path.size(), piece.data(), piece.size());
    if (found == nullptr) return false;
    path.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - path.data()) +
                       piece.size());
  }
  if (anchored) return path.ends_with(pattern);
  return memmem(path.data(), path.size(), pattern.data(), pattern.size()) != nullptr;
}

/// Where the next line begins: `end` is that of a CR, an LF, or both of them.
std::size_t AfterLineEnd(std::string_view body, std::size_t end) {
  const bool two = body[end] == '\r' && end + 1 < body.size() && body[end + 1] == '\n';
  return end + (two ? 2 : 1);
}

enum class Key { kUserAgent, kAllow, kDisallow, kSitemap, kCrawlDelay, kOther };

/// What a line's key means. Like Google's parser we take a key by its beginning and forgive the
/// frequent misspellings: their authors meant them.
Key KeyOf(std::string_view key) {
  struct KnownKey {
    std::string_view text;
    Key key;
  };
  constexpr std::array kKnownKeys = {
      KnownKey{"user-agent", Key::kUserAgent},   KnownKey{"useragent", Key::kUserAgent},
      KnownKey{"user agent", Key::kUserAgent},   KnownKey{"allow", Key::kAllow},
      KnownKey{"disallow", Key::kDisallow},      KnownKey{"dissallow", Key::kDisallow},
      KnownKey{"dissalow", Key::kDisallow},      KnownKey{"disalow", Key::kDisallow},
      KnownKey{"diasllow", Key::kDisallow},      KnownKey{"disallaw", Key::kDisallow},
      KnownKey{"sitemap", Key::kSitemap},        KnownKey{"site-map", Key::kSitemap},
      KnownKey{"crawl-delay", Key::kCrawlDelay},
  };
  for (const KnownKey& known : kKnownKeys) {
    if (base::StartsWithIgnoreCase(key, known.text)) return known.key;
  }
  return Key::kOther;
}

/// Splits "key: value # comment". A missing colon is forgiven where exactly two words stand on
/// the line. Returns false for a line that says nothing.
bool SplitLine(std::string_view line, std::string_view* key, std::string_view* value) {
  line = base::Trim(line.substr(0, line.find('#')));
  std::size_t separator = line.find(':');
  if (separator == std::string_view::npos) {
    separator = line.find_first_of(" \t");
    if (separator == std::string_view::npos) return false;
    const std::string_view rest = base::Trim(line.substr(separator));
    if (rest.find_first_of(" \t") != std::string_view::npos) return false;
  }
  *key = base::Trim(line.substr(0, separator));
  *value = base::Trim(line.substr(separator + 1));
  return !key->empty();
}

std::optional<std::chrono::milliseconds> ParseDelay(std::string_view value) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
  const double most = std::chrono::duration<double>(kCrawlDelayMax).count();
  return std::chrono::milliseconds(std::llround(std::min(seconds, most) * 1000));
}

}  // namespace

/// Takes the file line by line and leaves its groups in a RobotsTxt.
class RobotsTxt::Reader {
 public:
  Reader(const RobotsLimits& limits, RobotsTxt* out) : limits_(limits), out_(*out) {
    out_.match_bytes_max_ = limits.match_bytes_max;
  }

  void Read(std::string_view body) {
    // A line that the limit cuts might say the opposite of what was meant.
    const bool cut = body.size() > limits_.body_bytes_max;
    if (cut) body = body.substr(0, limits_.body_bytes_max);
    while (!body.empty()) {
      const std::size_t end = body.find_first_of("\r\n");
      if (end == std::string_view::npos && cut) break;
      ++line_;
      TakeLine(body.substr(0, std::min(end, limits_.line_bytes_max)));
      if (end == std::string_view::npos) break;
      body.remove_prefix(AfterLineEnd(body, end));
    }
    Finish();
  }

 private:
  void TakeLine(std::string_view line) {
    std::string_view key;
    std::string_view value;
    if (!SplitLine(line, &key, &value)) return;
    switch (KeyOf(key)) {
      case Key::kUserAgent:
        TakeAgent(value);
        break;
      case Key::kAllow:
        TakeRule(value, true);
        break;
      case Key::kDisallow:
        TakeRule(value, false);
        break;
      case Key::kCrawlDelay:
        TakeDelay(value);
        break;
      case Key::kSitemap:
        if (!value.empty() && out_.sitemaps_.size() < limits_.sitemaps_max) {
          out_.sitemaps_.emplace_back(value);
        }
        break;
      case Key::kOther:
        break;
    }
  }

  void TakeAgent(std::string_view value) {
    if (!in_agents_) {  // rules have been seen: a new section begins
      OpenSection();
      in_agents_ = true;
    }
    const bool everybody =
        value.starts_with('*') && (value.size() == 1 || base::IsSpace(value[1]));
    const std::string token = everybody ? "*" : base::ToLower(ProductToken(value));
    if (token.empty()) return;
    std::vector<std::uint32_t>& sections = tokens_[token];
    const auto section = static_cast<std::uint32_t>(out_.sections_.size() - 1);
    if (sections.empty() || sections.back() != section) sections.push_back(section);
  }

  void TakeRule(std::string_view value, bool allow) {
    if (out_.sections_.empty()) return;  // speaks to nobody
    in_agents_ = false;
    if (value.empty()) return;  // "Disallow:" forbids nothing
    AddRule(value, allow, "");
    // Google's parser reads "Allow: /dir/index.html" as the page of the directory as well.
    const std::size_t slash = value.rfind('/');
    if (allow && slash != std::string_view::npos &&
        value.substr(slash).starts_with("/index.htm")) {
      AddRule(value.substr(0, slash + 1), true, "$");
    }
  }

  void AddRule(std::string_view value, bool allow, std::string_view suffix) {
    AddSpelling(value, allow, suffix, {.wildcards = true, .decoded = false});
    // Google's parser takes "%7E" and "~" for different paths, the RFC for the same. In doubt we
    // stay away: a rule that forbids counts in either spelling.
    if (!allow && value.find('%') != std::string_view::npos) {
      AddSpelling(value, allow, suffix, {.wildcards = true, .decoded = true});
    }
  }

  void AddSpelling(std::string_view value, bool allow, std::string_view suffix,
                   Spelling spelling) {
    Rule rule;
    rule.offset = static_cast<std::uint32_t>(out_.patterns_.size());
    AppendNormalized(value, spelling, &out_.patterns_);
    out_.patterns_ += suffix;
    rule.length = static_cast<std::uint32_t>(out_.patterns_.size() - rule.offset);
    const auto pattern = std::string_view(out_.patterns_).substr(rule.offset, rule.length);
    rule.line = line_;
    rule.allow = allow;
    rule.wildcards = pattern.find('*') != std::string_view::npos || pattern.ends_with('$');
    out_.rules_.push_back(rule);
  }

  void TakeDelay(std::string_view value) {
    if (out_.sections_.empty()) return;
    Section& section = out_.sections_.back();
    if (!section.crawl_delay) section.crawl_delay = ParseDelay(value);
  }

  void OpenSection() {
    CloseSection();
    const auto begin = static_cast<std::uint32_t>(out_.rules_.size());
    out_.sections_.push_back({begin, begin, std::nullopt});
  }

  void CloseSection() {
    if (!out_.sections_.empty()) {
      out_.sections_.back().end = static_cast<std::uint32_t>(out_.rules_.size());
    }
  }

  void Finish() {
    CloseSection();
    out_.groups_.reserve(tokens_.size());
    for (auto& [token, sections] : tokens_) out_.groups_.push_back({token, std::move(sections)});
  }

  const RobotsLimits& limits_;
  RobotsTxt& out_;
  std::map<std::string, std::vector<std::uint32_t>> tokens_;
  std::uint32_t line_ = 0;
  bool in_agents_ = false;
};

RobotsTxt RobotsTxt::Parse(std::string_view body, const RobotsLimits& limits) {
  RobotsTxt robots;
  std::string buffer;
  Reader(limits, &robots).Read(Decoded(body, &buffer));
  return robots;
}

RobotsTxt RobotsTxt::AllowAll() { return {}; }

const RobotsTxt::Group* RobotsTxt::GroupFor(std::string_view product_token) const {
  const auto find = [this](const std::string& token) -> const Group* {
    const auto found = std::lower_bound(
        groups_.begin(), groups_.end(), token,
        [](const Group& group, const std::string& wanted) { return group.token < wanted; });
    return found != groups_.end() && found->token == token ? &*found : nullptr;
  };
  // "ExampleBot/2.1" speaks for ExampleBot; any other name is taken whole.
  const std::string token =
      base::ToLower(product_token.substr(0, product_token.find_first_of("/ ")));
  if (const Group* own = find(token); own != nullptr && !token.empty()) return own;
  return find("*");
}

RobotsTxt RobotsTxt::Only(std::string_view product_token) const {
  RobotsTxt only;
  only.match_bytes_max_ = match_bytes_max_;
  const Group* group = GroupFor(product_token);
  if (group == nullptr) return only;
  Group copy{"*", {}};  // whoever asks: it is the only one
  for (const std::uint32_t section : group->sections) {
    copy.sections.push_back(only.CopySection(*this, section));
  }
  only.groups_.push_back(std::move(copy));
  only.patterns_.shrink_to_fit();
  only.rules_.shrink_to_fit();
  only.sections_.shrink_to_fit();
  return only;
}

std::uint32_t RobotsTxt::CopySection(const RobotsTxt& from, std::uint32_t section) {
  Section copy = from.sections_[section];
  const auto begin = static_cast<std::uint32_t>(rules_.size());
  for (std::uint32_t i = copy.begin; i < copy.end; ++i) {
    Rule rule = from.rules_[i];
    const auto offset = static_cast<std::uint32_t>(patterns_.size());
    patterns_.append(from.patterns_, rule.offset, rule.length);
    rule.offset = offset;
    rules_.push_back(rule);
  }
  copy.begin = begin;
  copy.end = static_cast<std::uint32_t>(rules_.size());
  sections_.push_back(copy);
  return static_cast<std::uint32_t>(sections_.size() - 1);
}

std::size_t RobotsTxt::memory_bytes() const {
  std::size_t bytes = sizeof *this + patterns_.capacity() + rules_.capacity() * sizeof(Rule) +
                      sections_.capacity() * sizeof(Section);
  for (const Group& group : groups_) {
    bytes += sizeof group + group.token.capacity() + group.sections.capacity() * 4;
  }
  for (const std::string& sitemap : sitemaps_) bytes += sizeof sitemap + sitemap.capacity();
  return bytes;
}

std::string RobotsTxt::Line(std::string_view body, std::uint32_t line) {
  std::string buffer;
  body = Decoded(body, &buffer);
  for (std::uint32_t number = 1; !body.empty(); ++number) {
    const std::size_t end = body.find_first_of("\r\n");
    if (number == line) return std::string(body.substr(0, end));
    if (end == std::string_view::npos) break;
    body.remove_prefix(AfterLineEnd(body, end));
  }
  return {};
}

bool RobotsTxt::Matches(const Rule& rule, std::string_view path, std::size_t* cost) const {
  const std::string_view pattern = std::string_view(patterns_).substr(rule.offset, rule.length);
  if (!rule.wildcards) return path.starts_with(pattern);
  *cost += path.size();
  return MatchesWildcards(pattern, path);
}

RobotsTxt::Decision RobotsTxt::Allows(std::string_view product_token,
                                      std::string_view path_and_query) const {
  const Group* group = GroupFor(product_token);
  if (group == nullptr) return {};
  path_and_query = path_and_query.substr(0, path_and_query.find('#'));
  std::string path(path_and_query.starts_with('/') ? "" : "/");
  std::string decoded = path;
  AppendNormalized(path_and_query, {.wildcards = false, .decoded = false}, &path);
  AppendNormalized(path_and_query, {.wildcards = false, .decoded = true}, &decoded);
  const bool two_spellings = path != decoded;

  const Rule* best = nullptr;
  std::size_t cost = 0;
  for (const std::uint32_t section : group->sections) {
    for (std::uint32_t i = sections_[section].begin; i < sections_[section].end; ++i) {
      const Rule& rule = rules_[i];
      const bool better = best == nullptr || rule.length > best->length ||
                          (rule.length == best->length && rule.allow && !best->allow);
      if (better && (Matches(rule, path, &cost) ||
                     (two_spellings && !rule.allow && Matches(rule, decoded, &cost)))) {
        best = &rule;
      }
      if (cost > match_bytes_max_) return {false, rule.line, true};
    }
  }
  return best == nullptr ? Decision{} : Decision{best->allow, best->line, false};
}

std::optional<std::chrono::milliseconds> RobotsTxt::CrawlDelay(
    std::string_view product_token) const {
  const Group* group = GroupFor(product_token);
  if (group == nullptr) return std::nullopt;
  for (const std::uint32_t section : group->sections) {
    if (sections_[section].crawl_delay) return sections_[section].crawl_delay;
  }
  return std::nullopt;
}

}  // namespace parser

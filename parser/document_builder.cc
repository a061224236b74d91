#include "parser/document_builder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "parser/meta_refresh.h"
#include "parser/mime_sniff.h"
#include "parser/robots_directives.h"
#include "parser/sip_hash.h"

namespace parser {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes at which something other than plain text may begin: white space, U+00A0, controls and
/// non-characters.
constexpr std::array<bool, 256> kMayBeSpecial = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c <= 0x20; ++c) table[c] = true;
  table[0x7F] = table[0xC2] = table[0xEF] = true;
  for (std::size_t c = 0xF0; c <= 0xF4; ++c) table[c] = true;
  return table;
}();

unsigned char ByteAt(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// Bytes of white space at text[at]: an ASCII one or U+00A0, which looks the same.
std::size_t GapAt(std::string_view text, std::size_t at) {
  if (base::IsSpace(text[at])) return 1;
  return text.substr(at, 2) == kNoBreakSpace ? 2 : 0;
}

/// Bytes of a control or non-character at text[at]. They mean nothing in text, and could do harm
/// on a terminal; Gumbo reads U+FFFD for them, so whatever did not go through Gumbo does too.
std::size_t NonTextAt(std::string_view text, std::size_t at) {
  const unsigned char c0 = ByteAt(text, at);
  const unsigned char c1 = ByteAt(text, at + 1);
  const unsigned char c2 = ByteAt(text, at + 2);
  if (c0 < 0x20 || c0 == 0x7F) return 1;
  if (c0 == 0xC2 && c1 < 0xA0) return 2;
  if (c0 == 0xEF && ((c1 == 0xB7 && c2 >= 0x90 && c2 <= 0xAF) || (c1 == 0xBF && c2 >= 0xBE))) {
    return 3;
  }
  if (c0 >= 0xF0 && (c1 & 0x0F) == 0x0F && c2 == 0xBF && ByteAt(text, at + 3) >= 0xBE) return 4;
  return 0;
}

/// Words with one space between: nothing in them but that is special.
struct Run {
  std::size_t bytes = 0;
  std::uint32_t spaces = 0;
};

/// The longest run, or nearly, at the beginning of `text`, where no white space stands. Whole
/// chunks are looked at without a branch on what a byte is, which the compiler makes vector
/// instructions of; where a chunk has anything special, the rest is left to the caller.
Run RunAt(std::string_view text) {
  constexpr std::size_t kChunk = 32;
  Run run;
  for (; run.bytes + kChunk < text.size(); run.bytes += kChunk) {
    const char* const chunk = text.data() + run.bytes;
    std::uint8_t special = 0;
    std::uint8_t spaces = 0;
    for (std::size_t i = 0; i < kChunk; ++i) {
      const auto c = static_cast<std::uint8_t>(chunk[i]);
      const auto next = static_cast<std::uint8_t>(chunk[i + 1]);
      special |= static_cast<std::uint8_t>((c < 0x20) | (c == 0x7F) | (c == 0xC2) | (c >= 0xEF) |
                                           ((c == 0x20) & (next <= 0x20)));
      spaces = static_cast<std::uint8_t>(spaces + (c == 0x20));
    }
    if (special != 0) break;
    // The run may not end with a space: a chunk that does gives it to what follows.
    run.spaces += spaces;
  }
  while (run.bytes > 0 && text[run.bytes - 1] == ' ') --run.bytes, --run.spaces;
  return run;
}

std::string_view WithoutFragment(std::string_view href) { return href.substr(0, href.find('#')); }

/// Does `list` (words between white space) hold `word`, ASCII case ignored?
bool HasWord(std::string_view list, std::string_view word) {
  for (std::string_view next = base::NextWord(&list); !next.empty();
       next = base::NextWord(&list)) {
    if (base::EqualsIgnoreCase(next, word)) return true;
  }
  return false;
}

/// Could what comes with such a type be judged? None, or none that is understood, says nothing.
bool MayBeText(std::string_view type) {
  return SniffContent(type, {}).kind != ContentKind::kOther;
}

}  // namespace

DocumentBuilder::DocumentBuilder(const ParseOptions& options) : options_(options) {
  frames_.reserve(64);
  frames_.push_back({});
}

void DocumentBuilder::Enter(const ElementTraits& traits, const AttributeSet& attributes,
                            bool again) {
  const Frame& around = frames_.back();
  Frame frame = around;
  frame.display = traits.display;
  if (traits.tag != BlockTag::kOther) frame.tag = traits.tag;
  BlockRole role = traits.role;
  // What stands at the head or foot of an article is no banner of the site (HTML-AAM 1.0).
  const bool of_a_part = role == BlockRole::kHeader || role == BlockRole::kFooter;
  if (of_a_part && around.in_part) role = BlockRole::kOther;
  if (attributes.Has(Attribute::kRole)) {
    const BlockRole named = LandmarkOf(attributes[Attribute::kRole]);
    if (named != BlockRole::kOther) role = named;
  }
  if (role != BlockRole::kOther) frame.role = role;
  frame.of_main = around.of_main || role == BlockRole::kMain;
  frame.in_main = around.in_main || frame.of_main || role == BlockRole::kArticle;
  frame.in_part = around.in_part || frame.in_main || traits.element == Element::kSection;
  if (!around.skipped && !again) TakeDeclarations(traits.element, attributes);
  frame.in_link =
      around.in_link || (traits.element == Element::kA && attributes.Has(Attribute::kHref));
  frame.skipped = around.skipped || traits.display == Display::kSkipped;
  const bool hidden = attributes.Has(Attribute::kHidden) ||
                      StyleHides(attributes[Attribute::kStyle]) ||
                      (traits.element == Element::kDialog && !attributes.Has(Attribute::kOpen));
  frame.muted = frame.skipped || around.muted || hidden || traits.display == Display::kMuted;
  if (!around.muted && !hidden) {
    if (traits.display == Display::kBlock) Separate(Gap::kBlock);
    if (traits.display == Display::kReplaced || traits.display == Display::kMuted) {
      Separate(Gap::kSpace);
    }
  }
  frames_.push_back(frame);
}

void DocumentBuilder::Leave() {
  CHECK(frames_.size() > 1);
  const Frame& frame = frames_.back();
  if (frame.display == Display::kBlock && !frame.muted) Separate(Gap::kBlock);
  frames_.pop_back();
}

void DocumentBuilder::Text(std::string_view text) {
  if (frames_.back().muted) return;
  std::size_t at = 0;
  while (at < text.size()) {
    if (const std::size_t gap = GapAt(text, at); gap != 0) {
      Separate(Gap::kSpace);
      at += gap;
      continue;
    }
    if (const std::size_t bytes = NonTextAt(text, at); bytes != 0) {
      AppendWords(kReplacement, 0);
      at += bytes;
      continue;
    }
    const Run run = RunAt(text.substr(at));
    std::size_t end = at + std::max(run.bytes, std::size_t{1});
    while (end < text.size() && (!kMayBeSpecial[ByteAt(text, end)] ||
                                 (GapAt(text, end) == 0 && NonTextAt(text, end) == 0))) {
      ++end;
    }
    AppendWords(text.substr(at, end - at), run.spaces);
    at = end;
  }
}

void DocumentBuilder::AppendWords(std::string_view words, std::uint32_t spaces) {
  const bool in_link = frames_.back().in_link;
  if (gap_ == Gap::kBlock) {
    CloseBlock();
    OpenBlock();
  }
  TextBlock& block = document_.blocks.back();
  if (gap_ == Gap::kSpace) {
    document_.text += ' ';
    if (in_link && last_in_link_) ++block.link_bytes;
  }
  if (gap_ != Gap::kNone) {
    ++block.words;
    if (in_link) ++block.link_words;
  }
  document_.text += words;
  block.words += spaces;
  if (in_link) {
    block.link_bytes += static_cast<std::uint32_t>(words.size());
    block.link_words += spaces;
  }
  gap_ = Gap::kNone;
  last_in_link_ = in_link;
}

void DocumentBuilder::OpenBlock() {
  if (!document_.text.empty()) document_.text += '\n';
  const Frame& frame = frames_.back();
  constexpr std::size_t kDepthMax = std::numeric_limits<std::uint16_t>::max();
  TextBlock block;
  block.offset = static_cast<std::uint32_t>(document_.text.size());
  block.role = frame.role;
  block.tag = frame.tag;
  block.in_main = frame.in_main;
  seen_main_ |= frame.of_main;  // and it shows something
  block.depth = static_cast<std::uint16_t>(std::min(frames_.size() - 1, kDepthMax));
  document_.blocks.push_back(block);
  last_in_link_ = false;
}

void DocumentBuilder::CloseBlock() {
  if (document_.blocks.empty()) return;
  TextBlock& block = document_.blocks.back();
  block.length = static_cast<std::uint32_t>(document_.text.size()) - block.offset;
}

void DocumentBuilder::Title(std::string_view text) {
  if (seen_title_) return;
  seen_title_ = true;
  bool gap = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t bytes = GapAt(text, at); bytes != 0) {
      gap = true;
      at += bytes;
      continue;
    }
    if (gap && !document_.title.empty()) document_.title += ' ';
    gap = false;
    if (const std::size_t bytes = NonTextAt(text, at); bytes != 0) {
      document_.title += kReplacement;
      at += bytes;
    } else {
      document_.title += text[at++];
    }
  }
}

void DocumentBuilder::TakeDeclarations(Element element, const AttributeSet& attributes) {
  const bool nofollow = HasWord(attributes[Attribute::kRel], "nofollow");
  switch (element) {
    case Element::kA:
      AddLink(attributes[Attribute::kHref], LinkKind::kAnchor, nofollow);
      break;
    case Element::kArea:
      AddLink(attributes[Attribute::kHref], LinkKind::kArea, nofollow);
      break;
    case Element::kFrame:
      AddLink(attributes[Attribute::kSrc], LinkKind::kFrame, false);
      break;
    case Element::kIframe:
      AddLink(attributes[Attribute::kSrc], LinkKind::kIframe, false);
      break;
    case Element::kBase:
      if (!seen_base_ && attributes.Has(Attribute::kHref)) {
        seen_base_ = true;
        document_.base_href = base::Trim(attributes[Attribute::kHref]);
      }
      break;
    case Element::kHtml:
      if (!seen_html_) {
        seen_html_ = true;
        const bool plain = attributes.Has(Attribute::kLang);
        document_.lang = base::Trim(attributes[plain ? Attribute::kLang : Attribute::kXmlLang]);
      }
      break;
    case Element::kLink:
      TakeLinkElement(attributes);
      break;
    case Element::kMeta:
      TakeMeta(attributes);
      break;
    default:
      break;
  }
}

void DocumentBuilder::TakeLinkElement(const AttributeSet& attributes) {
  const std::string_view rel = attributes[Attribute::kRel];
  const std::string_view href = attributes[Attribute::kHref];
  const bool nofollow = HasWord(rel, "nofollow");
  if (HasWord(rel, "canonical") && !seen_canonical_ && !base::Trim(href).empty()) {
    seen_canonical_ = true;
    document_.canonical_href = base::Trim(href);
  }
  if (HasWord(rel, "next")) AddLink(href, LinkKind::kNext, nofollow);
  if (HasWord(rel, "prev")) AddLink(href, LinkKind::kPrev, nofollow);
  if (HasWord(rel, "alternate") && !HasWord(rel, "stylesheet") &&
      MayBeText(attributes[Attribute::kType])) {
    AddLink(href, LinkKind::kAlternate, nofollow);
  }
}

void DocumentBuilder::TakeMeta(const AttributeSet& attributes) {
  const std::string_view content = attributes[Attribute::kContent];
  const std::string_view name = base::Trim(attributes[Attribute::kName]);
  if (base::EqualsIgnoreCase(name, "robots") ||
      base::EqualsIgnoreCase(name, options_.product_token)) {
    const RobotsDirectives directives = ParseMetaRobots(content);
    document_.noindex |= directives.noindex;
    document_.nofollow |= directives.nofollow;
  }
  if (!seen_refresh_ && base::EqualsIgnoreCase(attributes[Attribute::kHttpEquiv], "refresh")) {
    if (const auto refresh = ParseMetaRefresh(content)) {
      seen_refresh_ = true;
      AddLink(refresh->url, LinkKind::kMetaRefresh, false);
    }
  }
}

std::uint32_t& DocumentBuilder::LinkSlot(std::string_view href) {
  const std::size_t mask = link_slots_.size() - 1;
  std::size_t slot = SipHash(ProcessSipKey(), href) & mask;
  while (link_slots_[slot] != 0 && document_.links[link_slots_[slot] - 1].href != href) {
    slot = (slot + 1) & mask;
  }
  return link_slots_[slot];
}

void DocumentBuilder::GrowLinkSlots() {
  link_slots_.assign(std::max<std::size_t>(64, link_slots_.size() * 2), 0);
  for (std::size_t i = 0; i < document_.links.size(); ++i) {
    const Link& link = document_.links[i];
    if (link.kind == LinkKind::kMetaRefresh) continue;
    LinkSlot(link.href) = static_cast<std::uint32_t>(i + 1);
  }
}

void DocumentBuilder::AddLink(std::string_view href, LinkKind kind, bool nofollow) {
  href = base::Trim(WithoutFragment(href));
  if (href.empty()) return;  // the page itself
  if (href.size() > options_.href_bytes_max) {
    ++document_.links_dropped;
    return;
  }
  if (document_.links.size() * 2 >= link_slots_.size()) GrowLinkSlots();
  std::uint32_t beside = 0;  // a refresh: there is one, and its budget is none of another link's
  std::uint32_t& slot = kind == LinkKind::kMetaRefresh ? beside : LinkSlot(href);
  if (slot != 0) {
    Link& link = document_.links[slot - 1];
    link.nofollow = link.nofollow && nofollow;
  } else if (document_.links.size() < options_.links_max) {
    document_.links.push_back({std::string(href), kind, nofollow});
    slot = static_cast<std::uint32_t>(document_.links.size());
  } else {
    ++document_.links_dropped;
  }
}

Document DocumentBuilder::Finish() {
  CloseBlock();
  for (TextBlock& block : document_.blocks) block.outside_main = seen_main_ && !block.in_main;
  return std::move(document_);
}

}  // namespace parser

#include "parser/prefilter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "parser/character_references.h"
#include "parser/tag_reader.h"

namespace parser {
namespace {

constexpr std::string_view kEmptyComment = "<!---->";

constexpr std::size_t kUnbrokenMax = 2048;

/// What telling the depth may cost: a tag of a page of the web looks at some tens of open
/// elements.
constexpr std::uint64_t kStepsPerByte = 32;
constexpr std::uint64_t kStepsFloor = 1'000'000;

/// How much of `text` to put before BreakText() is asked again: about kUnbrokenMax, up to the end
/// of a character that is not white space.
std::size_t UnbrokenPiece(std::string_view text) {
  for (std::size_t at = kUnbrokenMax; at < text.size(); ++at) {
    const bool within = (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    if (!within && !base::IsSpace(text[at - 1])) return at;
  }
  return text.size();
}

/// Does the tree not depend on the body of this element, nor we on its text?
bool BodyIsIdle(Element element) {
  switch (element) {
    case Element::kScript:
    case Element::kStyle:
    case Element::kIframe:
    case Element::kNoembed:
    case Element::kNoframes:
    case Element::kNoscript:
    case Element::kTextarea:
      return true;
    default:
      return false;
  }
}

/// Of these the whole body is text, and so it is written, as that of a <pre>: Gumbo may ignore
/// their start tags (<select>) and take the body for markup that nobody has looked at.
bool IsVerbatim(Element element) {
  return element == Element::kXmp || element == Element::kPlaintext;
}

/// In SVG and MathML these are elements without a meaning; but Gumbo takes them for the ones of
/// HTML when it looks for the insertion mode, and stops the program ("node_qualified_tag_is:
/// Assertion failed"). They get another name.
constexpr std::string_view kInert = "x-";

bool IsInertInForeign(Element element) {
  switch (element) {
    case Element::kCaption:
    case Element::kColgroup:
    case Element::kFrameset:
    case Element::kHtml:
    case Element::kSelect:
    case Element::kTbody:
    case Element::kTd:
    case Element::kTemplate:
    case Element::kTfoot:
    case Element::kTh:
    case Element::kThead:
    case Element::kTr:
      return true;
    default:
      return false;
  }
}

/// Bytes at which Gumbo may give the value of an attribute otherwise than it stands: references
/// are decoded; CR, controls and non-characters are replaced.
constexpr std::array<bool, 256> kMayBeReplaced = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = c != '\t' && c != '\n' && c != '\f';
  table['&'] = table[0x7F] = table[0xC2] = table[0xEF] = true;
  for (std::size_t c = 0xF0; c <= 0xF4; ++c) table[c] = true;
  return table;
}();

bool StaysAsItIs(std::string_view value) {
  return std::none_of(value.begin(), value.end(),
                      [](char c) { return kMayBeReplaced[static_cast<unsigned char>(c)]; });
}

bool MayHide(std::string_view style) {
  // "none", "hidden" and "collapse" may hide behind an escape or a reference.
  return style.find_first_of("&\\") != std::string_view::npos || StyleHides(style);
}

}  // namespace

Prefilter::Prefilter(const PrefilterOptions& options)
    : options_(options), depth_(options.depth_max) {}

/// The end of the output, where `bytes` more may be written.
char* Prefilter::Room(std::size_t bytes) {
  if (capacity_ - size_ < bytes) {
    capacity_ = std::max(2 * capacity_, size_ + bytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > 0) std::memcpy(larger.get(), buffer_.get(), size_);
    buffer_ = std::move(larger);
  }
  return buffer_.get() + size_;
}

void Prefilter::Put(std::string_view bytes) {
  std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
  size_ += bytes.size();
}

/// Puts a tag, or the end of one.
void Prefilter::PutMarkup(std::string_view bytes) {
  Put(bytes);
  markup_end_ = size_;
}

/// Copies text; a run of white space becomes one space.
void Prefilter::PutText(std::string_view text) {
  if (!options_.enabled) return Put(text);
  char* out = Room(text.size());
  const char* in = text.data();
  const char* const end = in + text.size();
  while (in != end) {
    const char* run = in;
    while (run != end && !base::IsSpace(*run)) ++run;
    std::memcpy(out, in, static_cast<std::size_t>(run - in));
    out += run - in;
    in = run;
    if (in == end) break;
    *out++ = ' ';
    while (in != end && base::IsSpace(*in)) ++in;
  }
  size_ = static_cast<std::size_t>(out - buffer_.get());
}

/// Puts a mark in the place of text without '&', if one may stand there. White space around its
/// `core` stays outside, where the parser sees it.
bool Prefilter::PutMark(std::string_view text, std::string_view core) {
  constexpr std::size_t kMarkedBytesMin = 12;
  std::array<char, TextReferences::kMarkBytes> mark;
  if (!marking_ || core.size() < kMarkedBytesMin || core.find('\0') != std::string_view::npos ||
      !references_.Add(core, mark.data())) {
    return false;
  }
  if (core.data() != text.data()) Put(" ");
  Put({mark.data(), mark.size()});
  if (core.data() + core.size() != text.data() + text.size()) Put(" ");
  return true;
}

/// Puts text without '&' and '<' in as few bytes as may be.
void Prefilter::PutWords(std::string_view text) {
  const std::string_view core = base::Trim(text);
  const std::size_t solid_end =
      core.empty() ? 0 : static_cast<std::size_t>(core.data() - text.data()) + core.size();
  BreakText(/*solid=*/solid_end > 0);
  if (PutMark(text, core)) {
    solid_end_ = size_;
    return;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view piece = text.substr(at, UnbrokenPiece(text.substr(at)));
    PutText(piece);
    if (at < solid_end) solid_end_ = size_;  // pieces end with something solid
    at += piece.size();
    if (at < text.size()) BreakText(/*solid=*/at < solid_end);
  }
}

/// Puts text that is no white space as it stands.
void Prefilter::PutSolid(std::string_view text) {
  BreakText(/*solid=*/true);
  Put(text);
  solid_end_ = size_;
}

/// Before more text, which is `solid` when it is not white space alone. Gumbo asks for no memory
/// while it reads text, so that nobody looks at the clock, and deep in the tree a character may
/// cost microseconds: a comment every few kilobytes makes it ask. In a table, white space moves
/// only with what else is text beside it: there has to be some on both sides.
void Prefilter::BreakText(bool solid) {
  if (size_ - markup_end_ < kUnbrokenMax) return;
  const bool moves_alike = solid && solid_end_ > markup_end_;
  if (moves_alike || !depth_.IsOpen(Element::kTable)) PutMarkup(kEmptyComment);
}

void Prefilter::TakeText(std::size_t end) {
  std::string_view text = html_.substr(at_, end - at_);
  at_ = end;
  for (;;) {
    const std::size_t ampersand = std::min(text.find('&'), text.size());
    PutWords(text.substr(0, ampersand));
    text.remove_prefix(ampersand);
    if (text.empty()) return;
    // Gumbo reads character references: all that might belong to one is left to it.
    const std::string_view reference = text.substr(0, ReferenceLength(text));
    text.remove_prefix(reference.size());
    if (!IsSpaceReference(reference)) {
      PutSolid(reference);
    } else {
      BreakText(/*solid=*/false);
      Put(reference);
    }
  }
}

/// Stands in the place of what is left out. The neighbours must not grow together: "&am" and "p;"
/// around a comment are no character reference, "<" and "b>" no tag; and in a table, white space
/// stays where it is while the text behind a comment moves out.
void Prefilter::PutGap() {
  if (size_ == markup_end_) return;
  if (base::IsSpace(buffer_[size_ - 1]) && !depth_.IsOpen(Element::kTable)) return;
  PutMarkup(kEmptyComment);
}

/// Moves to `end` without copying.
void Prefilter::LeaveOut(std::size_t end) {
  // Gumbo forgets after "</>" that "<g/>" is a whole element.
  const std::string_view rest = html_.substr(at_);
  if (options_.enabled || rest.starts_with("</>") || rest.starts_with(kCdataBegin)) {
    PutGap();
  } else {
    PutMarkup(html_.substr(at_, end - at_));
  }
  at_ = end;
}

/// html_[at_] is "<!", "<?" or "</" with no letter behind it.
void Prefilter::TakeMarkupDeclaration(bool xml) {
  const std::string_view rest = html_.substr(at_);
  if (rest.starts_with("<!--")) {
    LeaveOut(EndOfComment(html_, at_));
    return;
  }
  const std::size_t close = html_.find('>', at_);
  const std::size_t end = close == std::string_view::npos ? html_.size() : close + 1;
  if (base::StartsWithIgnoreCase(rest, "<!doctype")) {
    PutMarkup(html_.substr(at_, end - at_));
    at_ = end;
  } else if (rest.starts_with(kCdataBegin) && (xml || depth_.InForeign())) {
    TakeCdata();
  } else {
    LeaveOut(end);
  }
}

/// Puts the text of a CDATA section, in which nothing is markup or a reference.
void Prefilter::TakeCdata() {
  const std::size_t begin = at_ + kCdataBegin.size();
  const std::size_t end = std::min(html_.find(kCdataEnd, begin), html_.size());
  const std::string_view text = html_.substr(begin, end - begin);
  PutGap();
  PutCharacters(text);
  PutGap();
  at_ = std::min(end + kCdataEnd.size(), html_.size());
}

/// Puts text in which nothing is markup or a reference as common text.
void Prefilter::PutCharacters(std::string_view text) {
  for (;;) {
    const std::size_t special = std::min(text.find_first_of("<&"), text.size());
    PutWords(text.substr(0, special));
    text.remove_prefix(special);
    if (text.empty()) return;
    PutSolid(text.front() == '<' ? "&lt;" : "&amp;");
    text.remove_prefix(1);
  }
}

bool Prefilter::IsRead(const ElementTraits& traits, std::string_view name, std::string_view value,
                       std::uint32_t* seen) const {
  const auto attribute = AttributeNamed(name);
  if (!attribute) {
    return depth_.TakesForeign() &&
           (MeansHtml(traits.element, name, value) ||
            (traits.element == Element::kA && base::EqualsIgnoreCase(name, "xlink:href")));
  }
  const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(*attribute);
  if ((*seen & bit) != 0) return false;
  *seen |= bit;
  // Of a second <html> or <body> Gumbo adds the attributes that the first does not have.
  const bool merges = traits.element == Element::kHtml || traits.element == Element::kBody;
  switch (*attribute) {
    case Attribute::kHidden:
      return true;
    case Attribute::kStyle:
      return merges || MayHide(value);
    case Attribute::kRole:
      return merges || LandmarkOf(value) != BlockRole::kOther ||
             value.find('&') != std::string_view::npos;
    case Attribute::kHref:
    case Attribute::kRel:
      return traits.element == Element::kA || traits.element == Element::kArea ||
             traits.element == Element::kLink || traits.element == Element::kBase;
    case Attribute::kSrc:
      return traits.element == Element::kIframe || traits.element == Element::kFrame;
    case Attribute::kContent:
    case Attribute::kHttpEquiv:
    case Attribute::kName:
      return traits.element == Element::kMeta;
    case Attribute::kLang:
    case Attribute::kXmlLang:
      return traits.element == Element::kHtml;
    case Attribute::kOpen:
      return traits.element == Element::kDialog;
    case Attribute::kType:  // <input type=hidden> stays in a table
      return traits.element == Element::kLink || traits.element == Element::kInput;
    case Attribute::kCount:
      break;
  }
  return false;
}

/// Copies the attributes that are read; true when one of them means HTML.
bool Prefilter::PutAttributes(TagReader* tag, const ElementTraits& traits) {
  std::uint32_t seen = 0;
  std::uint32_t count = 0;
  bool means_html = false;
  while (tag->NextAttribute()) {
    if (++count > options_.attributes_max) continue;
    means_html |= MeansHtml(traits.element, tag->attribute_name(), tag->raw_value());
    if (options_.enabled && !IsRead(traits, tag->attribute_name(), tag->raw_value(), &seen)) {
      continue;
    }
    Put(" ");
    PutAttribute(*tag);
  }
  return means_html;
}

/// Copies one attribute; a long value that only we read is replaced by a mark.
void Prefilter::PutAttribute(const TagReader& tag) {
  constexpr std::size_t kMarkedBytesMin = 8;
  const std::string_view value = tag.raw_value();
  const auto attribute = AttributeNamed(tag.attribute_name());
  const bool ours = attribute == Attribute::kHref || attribute == Attribute::kSrc ||
                    attribute == Attribute::kContent;
  std::array<char, TextReferences::kMarkBytes> mark;
  // White space around the value means nothing: whoever resolves the mark, however often, need not
  // look at it again.
  if (!options_.enabled || !marking_ || !ours || value.size() < kMarkedBytesMin ||
      !StaysAsItIs(value) || !references_.Add(base::Trim(value), mark.data())) {
    Put(tag.attribute_text());
    // Of "a/=b" Gumbo would read "a =b" here; and where a repeated name has no value, it drops
    // that of the next attribute.
    if (tag.attribute_text().size() == tag.attribute_name().size()) Put("=''");
    return;
  }
  Put(tag.attribute_name());
  Put("=");
  Put({mark.data(), mark.size()});
}

/// Copies the body of an element that is not markup, or leaves it out.
void Prefilter::TakeBody(const ElementTraits& traits) {
  const std::size_t end = EndOfRawText(html_, at_, traits);
  std::string_view body = html_.substr(at_, end - at_);
  at_ = end;
  if (traits.element == Element::kNoscript) return;
  if (options_.enabled && BodyIsIdle(traits.element)) return;
  // Where references are read, '<' is written as one: Gumbo may ignore the start tag (<select>) or
  // be in SVG against the depth guard's reckoning, and the body is no markup there either.
  const bool reads_references =
      traits.element == Element::kTitle || traits.element == Element::kTextarea;
  if (!reads_references) return Put(body);
  while (!body.empty()) {
    const std::size_t bracket = std::min(body.find('<'), body.size());
    PutText(body.substr(0, bracket));
    body.remove_prefix(bracket);
    if (body.empty()) return;
    Put("&lt;");
    body.remove_prefix(1);
  }
}

/// The body and end tag of an <xmp> or <plaintext>, whose start tag was written as <pre>.
void Prefilter::TakeVerbatim(const ElementTraits& traits) {
  const std::size_t end = EndOfRawText(html_, at_, traits);
  const std::string_view body = html_.substr(at_, end - at_);
  at_ = end;
  // A line end that Gumbo would take for the one right behind <pre>, which is no text.
  if (body.starts_with('\n') || body.starts_with('\r')) PutMarkup(kEmptyComment);
  PutCharacters(body);
  if (at_ < html_.size() && ReadEndTag()) PutEndTag("pre", TraitsOf(Element::kPre));
}

/// The line end right behind <pre> is no text. Folded to a space it would be.
void Prefilter::SkipLineEnd() {
  const std::string_view rest = html_.substr(at_);
  at_ += rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') || rest.starts_with('\r') ? 1 : 0;
}

/// False when the tag nests too deep.
bool Prefilter::TakeStartTag(bool xml) {
  const std::size_t begin = size_;
  TagReader tag(html_, at_);
  const ElementTraits& said = TraitsOf(tag.name());
  const bool verbatim = IsVerbatim(said.element) && !depth_.TakesForeign();
  const ElementTraits& traits = verbatim ? TraitsOf(Element::kPre) : said;
  const std::string_view name = verbatim ? traits.name : tag.name();
  Put("<");
  const bool inert =
      IsInertInForeign(traits.element) && depth_.OpensForeign(traits.element, false);
  if (inert) Put(kInert);
  Put(name);
  const bool means_html = PutAttributes(&tag, traits);
  at_ = tag.end();
  if (!tag.complete() || traits.element == Element::kIsindex) {
    size_ = begin;  // no tag, or one that no browser knows any more (Gumbo makes a form of it)
    if (tag.complete()) PutGap();  // else nothing follows
    return true;
  }
  const bool foreign = depth_.OpensForeign(traits.element, means_html);
  if (foreign && tag.self_closing()) {
    // Not as it stands: where Gumbo is in HTML against the depth guard's reckoning, "<g/>" opens.
    Put("></");
    if (inert) Put(kInert);
    Put(name);
    PutMarkup(">");
    return true;
  }
  PutMarkup(">");
  if (!depth_.Open(traits, means_html)) return false;
  if (foreign || traits.content == Content::kVoid) return true;
  if (xml && tag.self_closing()) {
    PutEndTag(name, traits);
    return true;
  }
  if (verbatim) {
    TakeVerbatim(said);
    return true;
  }
  const bool skips_line_end =
      traits.element == Element::kPre || traits.element == Element::kListing;
  if (options_.enabled && skips_line_end) SkipLineEnd();
  if (traits.content != Content::kNormal) TakeBody(traits);
  return true;
}

void Prefilter::PutEndTag(std::string_view name, const ElementTraits& traits) {
  Put("</");
  if (IsInertInForeign(traits.element) && depth_.ClosesForeign(traits.element)) Put(kInert);
  depth_.Close(traits);
  Put(name);
  PutMarkup(">");
}

/// Moves behind the end tag here and gives its name; nothing when the page ends within it.
std::optional<std::string_view> Prefilter::ReadEndTag() {
  TagReader tag(html_, at_);
  while (tag.NextAttribute()) {
  }
  at_ = tag.end();
  return tag.complete() ? std::optional(tag.name()) : std::nullopt;
}

void Prefilter::TakeEndTag() {
  const std::optional<std::string_view> name = ReadEndTag();
  if (!name) return;
  const ElementTraits& traits = TraitsOf(*name);
  // Gumbo takes a form off its stack without having put the text before, which would land outside.
  if (traits.element == Element::kForm) PutMarkup(kEmptyComment);
  PutEndTag(*name, traits);
}

bool Prefilter::Run(std::string_view html, bool xml) {
  size_ = markup_end_ = solid_end_ = 0;
  Room(html.size() + 1);
  depth_.Reset();
  references_.Clear();
  marking_ = options_.enabled && TextReferences::AreFreeIn(html);
  html_ = html;
  at_ = 0;
  const std::uint64_t steps_max = kStepsFloor + kStepsPerByte * html.size();
  while (at_ < html_.size() && depth_.steps() <= steps_max) {
    TakeText(std::min(html_.find('<', at_), html_.size()));
    if (at_ >= html_.size()) break;
    const char next = at_ + 1 < html_.size() ? html_[at_ + 1] : '\0';
    const char after = at_ + 2 < html_.size() ? html_[at_ + 2] : '\0';
    if (base::IsAlpha(next)) {
      if (!TakeStartTag(xml)) return false;
    } else if (next == '/' && base::IsAlpha(after)) {
      TakeEndTag();
    } else if (next == '!' || next == '?' || (next == '/' && at_ + 2 < html_.size())) {
      TakeMarkupDeclaration(xml);
    } else {
      PutSolid("<");
      ++at_;
    }
  }
  *Room(1) = '\0';
  return depth_.steps() <= steps_max;
}

}  // namespace parser

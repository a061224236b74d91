#include "parser/prefilter.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "parser/ascii.h"
#include "parser/tag_reader.h"

namespace parser {
namespace {

/// Every construct that grows does so by less than its own length ("<a/>" to "<a></a>", "x<?>" to
/// "x<!---->").
std::size_t CapacityFor(std::size_t input_bytes) { return 2 * input_bytes + 64; }

constexpr std::string_view kEmptyComment = "<!---->";

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

bool MayHide(std::string_view style) {
  // "none", "hidden" and "collapse" may hide behind an escape or a reference.
  return style.find_first_of("&\\") != std::string_view::npos || StyleHides(style);
}

}  // namespace

Prefilter::Prefilter(const PrefilterOptions& options)
    : options_(options), depth_(options.depth_max) {}

void Prefilter::MakeRoom(std::size_t input_bytes) {
  const std::size_t needed = CapacityFor(input_bytes);
  if (needed > capacity_) {
    buffer_ = std::make_unique_for_overwrite<char[]>(needed);
    capacity_ = needed;
  }
  size_ = 0;
}

void Prefilter::Put(std::string_view bytes) {
  std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

/// Copies text; a run of white space becomes one space.
void Prefilter::PutText(std::string_view text) {
  char* out = buffer_.get() + size_;
  const char* in = text.data();
  const char* const end = in + text.size();
  while (in != end) {
    const char* run = in;
    while (run != end && !IsSpace(*run)) ++run;
    std::memcpy(out, in, static_cast<std::size_t>(run - in));
    out += run - in;
    in = run;
    if (in == end) break;
    *out++ = ' ';
    while (in != end && IsSpace(*in)) ++in;
  }
  size_ = static_cast<std::size_t>(out - buffer_.get());
}

void Prefilter::TakeText(std::size_t end) {
  const std::string_view text = html_.substr(at_, end - at_);
  options_.enabled ? PutText(text) : Put(text);
  at_ = end;
}

/// Moves to `end` without copying. The neighbours must not grow together: "&am" and "p;" around
/// a comment are no character reference, "<" and "b>" no tag; and in a table, white space stays
/// where it is while the text behind a comment moves out.
void Prefilter::LeaveOut(std::size_t end) {
  // Gumbo forgets after "</>" that "<g/>" is a whole element.
  if (!options_.enabled && !html_.substr(at_).starts_with("</>")) {
    Put(html_.substr(at_, end - at_));
  } else if (const char last = size_ > 0 ? buffer_[size_ - 1] : '>'; last != '>') {
    if (!IsSpace(last) || depth_.IsOpen(Element::kTable)) Put(kEmptyComment);
  }
  at_ = end;
}

/// html_[at_] is "<!", "<?" or "</" with no letter behind it.
void Prefilter::TakeMarkupDeclaration() {
  const std::string_view rest = html_.substr(at_);
  if (rest.starts_with("<!--")) {
    LeaveOut(EndOfComment(html_, at_));
    return;
  }
  const std::size_t close = html_.find('>', at_);
  const std::size_t end = close == std::string_view::npos ? html_.size() : close + 1;
  if (StartsWithIgnoreCase(rest, "<!doctype")) {
    Put(html_.substr(at_, end - at_));
    at_ = end;
  } else if (rest.starts_with("<![CDATA[")) {
    // Text in SVG and MathML, a comment elsewhere: Gumbo knows where it is. Its content is
    // filtered like any other.
    Put(rest.substr(0, 9));
    at_ += 9;
  } else {
    LeaveOut(end);
  }
}

bool Prefilter::IsRead(const ElementTraits& traits, std::string_view name, std::string_view value,
                       std::uint32_t* seen) const {
  const auto attribute = AttributeNamed(name);
  if (!attribute) {
    // These end SVG (HTML Standard, section 13.2.6.5).
    return foreign_ > 0 && traits.element == Element::kFont &&
           (EqualsIgnoreCase(name, "color") || EqualsIgnoreCase(name, "face") ||
            EqualsIgnoreCase(name, "size"));
  }
  const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(*attribute);
  // In SVG "href" and "xlink:href" are two attributes, both read.
  if ((*seen & bit) != 0 && (foreign_ == 0 || *attribute != Attribute::kHref)) return false;
  *seen |= bit;
  switch (*attribute) {
    case Attribute::kHidden:
      return true;
    case Attribute::kStyle:
      return MayHide(value);
    case Attribute::kRole:
      return LandmarkOf(value) != BlockRole::kOther || value.find('&') != std::string_view::npos;
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

void Prefilter::PutAttributes(TagReader* tag, const ElementTraits& traits) {
  std::uint32_t seen = 0;
  std::uint32_t count = 0;
  while (tag->NextAttribute()) {
    if (++count > options_.attributes_max) continue;
    if (options_.enabled && !IsRead(traits, tag->attribute_name(), tag->raw_value(), &seen)) {
      continue;
    }
    Put(" ");
    Put(tag->attribute_text());
  }
}

/// Copies the body of an element that is not markup, or leaves it out.
void Prefilter::TakeBody(const ElementTraits& traits) {
  const std::size_t end = EndOfRawText(html_, at_, traits);
  const bool dropped =
      traits.element == Element::kNoscript || (options_.enabled && BodyIsIdle(traits.element));
  if (dropped) {
    at_ = end;
  } else {
    TakeText(end);
  }
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
  const ElementTraits& traits = TraitsOf(tag.name());
  Put("<");
  Put(tag.name());
  PutAttributes(&tag, traits);
  at_ = tag.end();
  if (!tag.complete() || traits.element == Element::kIsindex) {
    size_ = begin;  // no tag, or one that no browser knows any more (Gumbo makes a form of it)
    return true;
  }
  const bool whole = tag.self_closing() && (foreign_ > 0 || xml);
  const bool foreign_root = traits.element == Element::kSvg || traits.element == Element::kMath;
  // The space keeps an unquoted value from swallowing the slash.
  Put(tag.self_closing() && (foreign_ > 0 || foreign_root) ? " />" : ">");
  if (whole && xml && foreign_ == 0 && traits.content != Content::kVoid) {
    Put("</");
    Put(tag.name());
    Put(">");
  }
  if (whole || (foreign_root && tag.self_closing())) return true;
  if (foreign_root) ++foreign_;
  if (!depth_.Open(traits)) return false;
  if (traits.element == Element::kPre || traits.element == Element::kListing) SkipLineEnd();
  if (traits.content != Content::kNormal && traits.content != Content::kVoid) TakeBody(traits);
  return true;
}

void Prefilter::TakeEndTag() {
  TagReader tag(html_, at_);
  while (tag.NextAttribute()) {
  }
  at_ = tag.end();
  if (!tag.complete()) return;
  const ElementTraits& traits = TraitsOf(tag.name());
  if ((traits.element == Element::kSvg || traits.element == Element::kMath) && foreign_ > 0) {
    --foreign_;
  }
  depth_.Close(traits);
  Put("</");
  Put(tag.name());
  Put(">");
}

bool Prefilter::Run(std::string_view html, bool xml) {
  MakeRoom(html.size());
  depth_.Reset();
  html_ = html;
  at_ = 0;
  foreign_ = 0;
  while (at_ < html_.size()) {
    TakeText(std::min(html_.find('<', at_), html_.size()));
    if (at_ >= html_.size()) break;
    const char next = at_ + 1 < html_.size() ? html_[at_ + 1] : '\0';
    const char after = at_ + 2 < html_.size() ? html_[at_ + 2] : '\0';
    if (IsAlpha(next)) {
      if (!TakeStartTag(xml)) return false;
    } else if (next == '/' && IsAlpha(after)) {
      TakeEndTag();
    } else if (next == '!' || next == '?' || (next == '/' && at_ + 2 < html_.size())) {
      TakeMarkupDeclaration();
    } else {
      Put("<");  // text
      ++at_;
    }
  }
  CHECK(size_ < capacity_);
  buffer_[size_] = '\0';
  return true;
}

}  // namespace parser

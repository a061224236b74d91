#include "parser/plain_scan.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <string>

#include "base/ascii.h"
#include "parser/character_references.h"
#include "parser/elements.h"
#include "parser/tag_reader.h"

namespace parser {
namespace {

bool IsRaw(const ElementTraits& traits) {
  return traits.content != Content::kNormal && traits.content != Content::kVoid;
}

/// Does this start tag end a `muted` element that is open?
bool EndsAtStartOf(Element element, Element muted) {
  switch (element) {
    case Element::kRp:
    case Element::kRt:
      return muted == Element::kRp;
    case Element::kInput:
    case Element::kKeygen:
    case Element::kSelect:
    case Element::kTextarea:
      return muted == Element::kSelect;
    default:
      return false;
  }
}

/// How often each element is open. One of a name that is not known never is.
class OpenElements {
 public:
  bool Has(Element element) const { return counts_[static_cast<std::size_t>(element)] > 0; }
  void Open(const ElementTraits& traits) {
    if (traits.element == Element::kUnknown || traits.content == Content::kVoid) return;
    ++counts_[static_cast<std::size_t>(traits.element)];
  }
  /// False where it was not open.
  bool Close(Element element) {
    if (!Has(element)) return false;
    --counts_[static_cast<std::size_t>(element)];
    return true;
  }
  void Clear() { counts_.fill(0); }

 private:
  std::array<std::uint32_t, static_cast<std::size_t>(Element::kCount)> counts_{};
};

class Scan {
 public:
  Scan(std::string_view html, bool xml, DocumentBuilder* builder)
      : html_(html), xml_(xml), builder_(*builder) {}

  void Run() {
    while (at_ < html_.size()) {
      const std::size_t open = std::min(html_.find('<', at_), html_.size());
      TakeText(html_.substr(at_, open - at_));
      at_ = open;
      if (at_ >= html_.size()) break;
      const char next = at_ + 1 < html_.size() ? html_[at_ + 1] : '\0';
      const char after = at_ + 2 < html_.size() ? html_[at_ + 2] : '\0';
      if (base::IsAlpha(next)) {
        TakeStartTag();
      } else if (next == '/' && base::IsAlpha(after)) {
        TakeEndTag();
      } else if (next == '!' || next == '?' || (next == '/' && at_ + 2 < html_.size())) {
        SkipDeclaration();
      } else {
        TakeText("<");
        ++at_;
      }
    }
    Unmute();
    if (in_link_) builder_.Leave();
  }

 private:
  void TakeText(std::string_view text) {
    if (Muted()) return;
    if (text.find('&') == std::string_view::npos) {
      builder_.Text(text);
      return;
    }
    decoded_.clear();
    AppendDecoded(text, &decoded_);
    builder_.Text(decoded_);
  }

  bool Muted() const { return mute_ != Element::kUnknown; }

  void Unmute() {
    if (Muted()) builder_.Leave();
    mute_ = Element::kUnknown;
    inside_.Clear();
  }

  bool InForeign() const {
    return outside_.Has(Element::kSvg) || outside_.Has(Element::kMath) ||
           inside_.Has(Element::kSvg) || inside_.Has(Element::kMath);
  }

  void LeaveLink() {
    in_link_ = false;
    outside_.Close(Element::kA);
    builder_.Leave();
  }

  void SkipDeclaration() {
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) {
      at_ = EndOfComment(html_, at_);
    } else if ((xml_ || InForeign()) && rest.starts_with(kCdataBegin)) {
      const std::size_t begin = at_ + kCdataBegin.size();
      const std::size_t end = std::min(html_.find(kCdataEnd, begin), html_.size());
      if (!Muted()) builder_.Text(html_.substr(begin, end - begin));
      at_ = std::min(end + kCdataEnd.size(), html_.size());
    } else {
      at_ = std::min(html_.find('>', at_), html_.size() - 1) + 1;
    }
  }

  /// Reads the attributes of `tag` into attributes_; the values live until the next tag.
  void TakeAttributes(TagReader* tag) {
    constexpr std::size_t kAttributesMax = 256;
    attributes_.Clear();
    std::size_t count = 0;
    while (tag->NextAttribute()) {
      if (++count > kAttributesMax) continue;
      const auto known = AttributeNamed(tag->attribute_name());
      // What hides an element would hide nothing but itself here.
      if (!known || *known == Attribute::kHidden || *known == Attribute::kStyle) continue;
      std::string& value = values_[static_cast<std::size_t>(*known)];
      if (attributes_.Has(*known)) continue;
      value.clear();
      AppendDecoded(tag->raw_value(), &value);
      attributes_.Add(*known, value);
    }
  }

  void TakeStartTag() {
    TagReader tag(html_, at_);
    const ElementTraits& traits = TraitsOf(tag.name());
    TakeAttributes(&tag);
    at_ = tag.end();
    if (!tag.complete()) return;
    if (EndsAtStartOf(traits.element, mute_)) {
      Unmute();
      if (traits.element == Element::kSelect) return;  // the second is the end of the first
    }
    const bool foreign =
        InForeign() || traits.element == Element::kSvg || traits.element == Element::kMath;
    if ((xml_ || foreign) && tag.self_closing()) {
      builder_.Enter(traits, attributes_);
      builder_.Leave();
    } else if (IsRaw(traits) && !foreign) {
      TakeRawText(traits);
    } else {
      Open(traits);
    }
  }

  void Open(const ElementTraits& traits) {
    if (Muted()) {
      inside_.Open(traits);
      builder_.Enter(traits, attributes_);
      builder_.Leave();
      return;
    }
    if (traits.element == Element::kA && in_link_) LeaveLink();
    builder_.Enter(traits, attributes_);
    if (traits.display == Display::kMuted || traits.display == Display::kSkipped) {
      mute_ = traits.element;  // left at its end tag
      return;
    }
    outside_.Open(traits);
    if (traits.element == Element::kA) {
      in_link_ = true;  // the same
    } else {
      builder_.Leave();
    }
  }

  /// An element that is not ended is an empty one: whatever was misread, the page is not lost.
  /// That end tags of a name do not come any more is found out once.
  std::size_t EndOfBody(const ElementTraits& traits) {
    const auto index = static_cast<std::size_t>(traits.element);
    if (unended_[index]) return at_;
    const std::size_t end = EndOfRawText(html_, at_, traits);
    if (end < html_.size() || traits.content != Content::kRawText) return end;
    unended_.set(index);
    return at_;
  }

  void TakeRawText(const ElementTraits& traits) {
    const std::size_t end = EndOfBody(traits);
    const std::string_view body = html_.substr(at_, end - at_);
    at_ = end;
    const bool titles = traits.element == Element::kTitle && !builder_.Skipping();
    builder_.Enter(traits, attributes_);
    if (titles) {
      decoded_.clear();
      AppendDecoded(body, &decoded_);
      builder_.Title(decoded_);
    } else if (!builder_.Skipping()) {
      builder_.Text(body);  // <xmp>, <plaintext>: no references in there
    }
    builder_.Leave();
  }

  void TakeEndTag() {
    TagReader tag(html_, at_);
    while (tag.NextAttribute()) {
    }
    at_ = tag.end();
    if (!tag.complete()) return;
    const ElementTraits& traits = TraitsOf(tag.name());
    if (Muted() && !UnmuteAtEndOf(traits.element)) return;
    if (traits.element == Element::kA && in_link_) {
      LeaveLink();
      return;
    }
    outside_.Close(traits.element);
    if (traits.display == Display::kBlock) {
      attributes_.Clear();
      builder_.Enter(traits, attributes_);
      builder_.Leave();
    }
  }

  /// Unmutes where an end tag ends mute_, or shows that the end tag of that was forgotten. True
  /// when the tag is one of an element around it.
  bool UnmuteAtEndOf(Element element) {
    if (inside_.Close(element)) return false;
    if (element == mute_) {
      Unmute();
      return false;
    }
    // A <template> is a page of its own, in which no end tag reaches out of it.
    if (mute_ == Element::kTemplate || !outside_.Has(element)) return false;
    Unmute();
    return true;
  }

  const std::string_view html_;
  const bool xml_;
  DocumentBuilder& builder_;
  std::size_t at_ = 0;
  /// The open element whose text does not show; kUnknown while text shows.
  Element mute_ = Element::kUnknown;
  OpenElements outside_;  // of mute_
  OpenElements inside_;
  /// Raw text whose end tag does not come any more.
  std::bitset<static_cast<std::size_t>(Element::kCount)> unended_;
  /// An <a> is open in `builder_`, outside of mute_.
  bool in_link_ = false;
  AttributeSet attributes_;
  std::array<std::string, static_cast<std::size_t>(Attribute::kCount)> values_;
  std::string decoded_;
};

}  // namespace

void PlainScan(std::string_view html, bool xml, DocumentBuilder* builder) {
  Scan(html, xml, builder).Run();
}

void PlainText(std::string_view text, DocumentBuilder* builder) {
  const AttributeSet none;
  const ElementTraits& paragraph = TraitsOf(Element::kP);
  bool blank = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (base::Trim(line).empty()) {
      if (!blank) builder->Leave();
      blank = true;
      continue;
    }
    if (blank) builder->Enter(paragraph, none);
    blank = false;
    builder->Text(line);
    builder->Text(" ");
  }
  if (!blank) builder->Leave();
}

}  // namespace parser

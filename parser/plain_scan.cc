#include "parser/plain_scan.h"

#include <algorithm>
#include <array>
#include <string>

#include "parser/ascii.h"
#include "parser/character_references.h"
#include "parser/elements.h"
#include "parser/tag_reader.h"

namespace parser {
namespace {

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
      if (IsAlpha(next)) {
        TakeStartTag();
      } else if (next == '/' && IsAlpha(after)) {
        TakeEndTag();
      } else if (next == '!' || next == '?' || next == '/') {
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
    if (mute_ != Element::kUnknown) return;
    if (text.find('&') == std::string_view::npos) {
      builder_.Text(text);
      return;
    }
    decoded_.clear();
    AppendDecoded(text, &decoded_);
    builder_.Text(decoded_);
  }

  void Unmute() {
    if (mute_ != Element::kUnknown) builder_.Leave();
    mute_ = Element::kUnknown;
  }

  void SkipDeclaration() {
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with("<!--")) {
      at_ = EndOfComment(html_, at_);
    } else if (xml_ && rest.starts_with(kCdataBegin)) {
      const std::size_t begin = at_ + kCdataBegin.size();
      const std::size_t end = std::min(html_.find(kCdataEnd, begin), html_.size());
      if (mute_ == Element::kUnknown) builder_.Text(html_.substr(begin, end - begin));
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
    if (xml_ && tag.self_closing()) {
      builder_.Enter(traits, attributes_);
      builder_.Leave();
      return;
    }
    if (traits.content != Content::kNormal && traits.content != Content::kVoid) {
      TakeRawText(traits);
      return;
    }
    // <rp> needs no end tag.
    if (mute_ == Element::kRp &&
        (traits.element == Element::kRt || traits.element == Element::kRp)) {
      Unmute();
    }
    const bool muted = mute_ != Element::kUnknown;
    if (traits.element == Element::kA && in_link_ && !muted) {
      builder_.Leave();
      in_link_ = false;
    }
    builder_.Enter(traits, attributes_);
    if (!muted && traits.element == Element::kA) {
      in_link_ = true;  // left at its end tag
    } else if (!muted &&
               (traits.display == Display::kMuted || traits.element == Element::kTemplate)) {
      mute_ = traits.element;  // the same
    } else {
      builder_.Leave();
    }
  }

  void TakeRawText(const ElementTraits& traits) {
    const std::size_t end = EndOfRawText(html_, at_, traits);
    const std::string_view body = html_.substr(at_, end - at_);
    at_ = end;
    builder_.Enter(traits, attributes_);
    if (traits.element == Element::kTitle) {
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
    if (mute_ != Element::kUnknown) {
      const bool ruby = mute_ == Element::kRp && traits.element == Element::kRuby;
      if (traits.element == mute_ || ruby) Unmute();
    } else if (traits.element == Element::kA && in_link_) {
      in_link_ = false;
      builder_.Leave();
    } else if (traits.display == Display::kBlock) {
      attributes_.Clear();
      builder_.Enter(traits, attributes_);
      builder_.Leave();
    }
  }

  const std::string_view html_;
  const bool xml_;
  DocumentBuilder& builder_;
  std::size_t at_ = 0;
  /// The open element whose text does not show; kUnknown while text shows.
  Element mute_ = Element::kUnknown;
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
    if (Trim(line).empty()) {
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

#include "parser/sitemap.h"

#include <expat.h>
#include <malloc.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"

namespace parser {
namespace {

constexpr std::size_t kMarkBytesMax = 3;  // of a byte-order mark
constexpr std::size_t kModifiedBytesMax = 64;
/// Bytes given to expat at a time.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;
/// Bytes of one tag, comment or the like. Expat begins such a token anew with every piece, so its
/// length must be bounded for the time to be linear (CVE-2023-52425).
constexpr std::size_t kTokenBytesMax = std::size_t{1} << 20;
/// Memory of expat, which keeps each name of an element, an attribute or a prefix until the end: a
/// body of 50 MB would fill 850 otherwise.
constexpr std::size_t kXmlBytesMax = std::size_t{8} << 20;
/// Elements around a URL in any sitemap worth reading.
constexpr std::size_t kDepthMax = 64;

std::string_view LocalName(const char* name) {
  const std::string_view whole(name);
  const std::size_t colon = whole.rfind(':');
  return colon == std::string_view::npos ? whole : whole.substr(colon + 1);
}

bool IsWebUrl(std::string_view text) {
  return base::StartsWithIgnoreCase(text, "http://") ||
         base::StartsWithIgnoreCase(text, "https://");
}

SitemapKind KindOf(std::string_view root) {
  if (root == "urlset") return SitemapKind::kUrls;
  if (root == "sitemapindex") return SitemapKind::kIndex;
  if (root == "rss" || root == "RDF" || root == "feed") return SitemapKind::kFeed;
  return SitemapKind::kUnknown;
}

/// What an expat parser has of memory. Its functions tell nobody which parser they are for, so
/// each call that may reach them stands under a Use, on whose thread they run.
class XmlMemory {
 public:
  class Use {
   public:
    explicit Use(XmlMemory& memory) : before_(std::exchange(in_use, &memory)) {}
    ~Use() { in_use = before_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    XmlMemory* const before_;  // of a reader whose Take reads another sitemap
  };

  XML_Parser CreateParser() {
    static constexpr XML_Memory_Handling_Suite kSuite = {
        .malloc_fcn = [](std::size_t bytes) { return in_use->Resize(nullptr, bytes); },
        .realloc_fcn = [](void* it, std::size_t bytes) { return in_use->Resize(it, bytes); },
        .free_fcn = [](void* it) { in_use->Free(it); }};
    const Use use(*this);
    return XML_ParserCreate_MM(nullptr, &kSuite, nullptr);
  }

 private:
  /// Null when that would be too much: expat gives up then, as if the machine had no more.
  void* Resize(void* block, std::size_t bytes) {
    const std::size_t others = bytes_ - malloc_usable_size(block);
    if (others + bytes > kXmlBytesMax) return nullptr;
    void* const resized = std::realloc(block, bytes);
    if (resized != nullptr) bytes_ = others + malloc_usable_size(resized);
    return resized;
  }
  void Free(void* block) {
    bytes_ -= malloc_usable_size(block);
    std::free(block);
  }

  static thread_local XmlMemory* in_use;
  std::size_t bytes_ = 0;
};

thread_local XmlMemory* XmlMemory::in_use = nullptr;

/// Inflates gzip members, one behind the other.
class Gunzip {
 public:
  Gunzip() { CHECK(inflateInit2(&stream_, 15 + 16) == Z_OK); }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Gives what `bytes` decode to, piece by piece, until `take` returns false. False when they are
  /// no gzip.
  template <class TakePiece>
  bool Write(std::string_view bytes, TakePiece take) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      if (garbage_) return true;
      if (ended_ && stream_.avail_in > 0) {  // another member, or garbage, which gzip ignores
        garbage_ = *stream_.next_in != 0x1f;
        if (garbage_ || inflateReset(&stream_) != Z_OK) return true;
        ended_ = false;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      ended_ = result == Z_STREAM_END;
      // What was decoded before an error stands, wherever the pieces of the input end.
      if (!take(std::string_view(buffer_.data(), buffer_.size() - stream_.avail_out))) return true;
      if (result != Z_OK && !ended_ && result != Z_BUF_ERROR) return false;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
    return true;
  }
  bool ended() const { return ended_; }

 private:
  z_stream stream_{};
  bool ended_ = false;
  bool garbage_ = false;  // all that comes now
  std::array<char, kPieceBytes> buffer_;
};

}  // namespace

/// Bytes come in by Write(), are inflated where they are gzip, and go to one of two readers.
class SitemapReader::Impl {
 public:
  Impl(const SitemapLimits& limits, Take take) : limits_(limits), take_(std::move(take)) {}

  bool Write(std::string_view bytes) {
    if (end_) return false;
    if (sniffed_coding_) return Decode(bytes);
    head_ += bytes;
    if (head_.size() < 2) return true;
    return DecodeHead();
  }

  SitemapEnd Finish() {
    if (!end_ && !sniffed_coding_) DecodeHead();
    if (!end_ && !began_) Begin();
    if (!end_ && gunzip_ && !gunzip_->ended()) cut_ = true;
    if (!end_ && xml_) FinishXml();
    if (!end_ && kind_ == SitemapKind::kText) TakeTextLine();
    if (!end_) end_ = cut_ ? SitemapEnd::kBroken : SitemapEnd::kWhole;
    return *end_;
  }

  SitemapKind kind() const { return kind_; }
  std::size_t entries() const { return entries_; }
  std::size_t dropped() const { return dropped_; }

 private:
  struct FreeParser {
    XmlMemory* memory;
    void operator()(XML_ParserStruct* parser) const {
      const XmlMemory::Use use(*memory);
      XML_ParserFree(parser);
    }
  };
  /// Where character data go.
  enum class Field : std::uint8_t { kNone, kUrl, kModified, kGuid, kOwn };

  /// The first two bytes tell gzip.
  bool DecodeHead() {
    sniffed_coding_ = true;
    if (head_.starts_with("\x1f\x8b")) gunzip_ = std::make_unique<Gunzip>();
    return Decode(std::exchange(head_, {}));
  }

  bool Decode(std::string_view bytes) {
    if (!gunzip_) return TakeBytes(bytes);
    // A piece at a time, since zlib counts in 32 bits.
    while (!bytes.empty() && !end_) {
      const std::string_view piece = bytes.substr(0, kPieceBytes);
      bytes.remove_prefix(piece.size());
      const bool good = gunzip_->Write(piece, [this](auto text) { return TakeBytes(text); });
      if (!good && !end_) {
        cut_ = true;
        if (!began_) Begin();
        if (!end_ && xml_) FinishXml();
        Stop(SitemapEnd::kBroken);
      }
    }
    return !end_;
  }

  bool TakeBytes(std::string_view text) {
    const bool too_long = text.size() > limits_.body_bytes_max - bytes_;
    if (too_long) text = text.substr(0, limits_.body_bytes_max - bytes_);
    bytes_ += text.size();
    if (began_) {
      Feed(text);
    } else {
      start_ += text;
      if (start_.size() >= kMarkBytesMax || too_long) Begin();
    }
    if (too_long) Stop(SitemapEnd::kTooLong);
    return !end_;
  }

  /// The byte-order mark, which may come in pieces, is there or is not.
  void Begin() {
    began_ = true;
    const std::string start = std::exchange(start_, {});
    std::string_view text = start;
    if (text.starts_with("\xEF\xBB\xBF")) {
      text.remove_prefix(3);
    } else if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
      StartXml();  // UTF-16 is markup
    }
    Feed(text);
  }

  void Feed(std::string_view text) {
    if (kind_ == SitemapKind::kUnknown && !xml_) SniffKind(text);
    while (!text.empty() && !end_) {
      const std::string_view piece = text.substr(0, kPieceBytes);
      text.remove_prefix(piece.size());
      xml_ ? FeedXml(piece, false) : FeedText(piece);
    }
  }

  /// Markup begins with '<', after white space.
  void SniffKind(std::string_view& text) {
    while (!text.empty() && base::IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty()) return;
    if (text.front() == '<') {
      StartXml();
    } else {
      kind_ = SitemapKind::kText;
    }
  }

  void Stop(SitemapEnd end) {
    if (end_) return;
    end_ = end;
    if (xml_ && in_expat_) XML_StopParser(xml_.get(), XML_FALSE);
  }

  void Give(std::string_view url, std::string_view modified) {
    url = base::Trim(url);
    if (url.empty()) return;
    if (url.size() > limits_.url_bytes_max) {
      ++dropped_;
      return;
    }
    if (entries_ == limits_.urls_max) return Stop(SitemapEnd::kTooMany);
    ++entries_;
    take_({std::string(url), std::string(base::Trim(modified).substr(0, kModifiedBytesMax))});
  }

  // Text: a URL a line.

  void FeedText(std::string_view text) {
    while (!text.empty() && !end_) {
      const std::size_t line_end = text.find_first_of("\r\n");
      const std::string_view part = text.substr(0, line_end);
      // One byte beyond the limit marks a line as too long.
      line_ += part.substr(0, limits_.url_bytes_max + 1 - line_.size());
      if (line_end == std::string_view::npos) return;
      TakeTextLine();
      text.remove_prefix(line_end + 1);
    }
  }

  void TakeTextLine() {
    const std::string line = std::exchange(line_, {});
    if (IsWebUrl(base::Trim(line))) Give(line, {});
  }

  // XML.

  void StartXml() {
    xml_.reset(xml_memory_.CreateParser());
    CHECK(xml_ != nullptr);
    XML_SetUserData(xml_.get(), this);
    XML_SetElementHandler(
        xml_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<Impl*>(self)->OpenElement(LocalName(name), attributes);
        },
        [](void* self, const char* name) {
          static_cast<Impl*>(self)->CloseElement(LocalName(name));
        });
    XML_SetCharacterDataHandler(xml_.get(), [](void* self, const char* text, int bytes) {
      static_cast<Impl*>(self)->AddText({text, static_cast<std::size_t>(bytes)});
    });
    XML_SetStartDoctypeDeclHandler(xml_.get(),
                                   [](void* self, const char*, const char*, const char*, int) {
                                     static_cast<Impl*>(self)->Stop(SitemapEnd::kDeclaration);
                                   });
    XML_SetParamEntityParsing(xml_.get(), XML_PARAM_ENTITY_PARSING_NEVER);
  }

  void FeedXml(std::string_view piece, bool final) {
    fed_ += piece.size();
    in_expat_ = true;
    const XmlMemory::Use use(xml_memory_);
    const XML_Status status =
        XML_Parse(xml_.get(), piece.data(), static_cast<int>(piece.size()), final ? 1 : 0);
    in_expat_ = false;
    if (end_) return;
    const XML_Index at = XML_GetCurrentByteIndex(xml_.get());
    const std::size_t read = at < 0 ? 0 : static_cast<std::size_t>(at);
    if (status != XML_STATUS_OK) {
      GiveOpenEntry();
      const bool no_memory = XML_GetErrorCode(xml_.get()) == XML_ERROR_NO_MEMORY;
      Stop(no_memory ? SitemapEnd::kTooCostly : SitemapEnd::kBroken);
    } else if (fed_ > read && fed_ - read > kTokenBytesMax) {
      Stop(SitemapEnd::kBroken);
    }
  }

  void FinishXml() { FeedXml({}, true); }

  /// Of a sitemap that is cut off or breaks: the URL before that is whole if it has been closed,
  /// or if the cut goes through the tag that closes it.
  void GiveOpenEntry() {
    if (!in_entry_ || url_.empty()) return;
    if (field_ == Field::kUrl && XML_GetErrorCode(xml_.get()) != XML_ERROR_UNCLOSED_TOKEN) return;
    if (field_ == Field::kModified) modified_.clear();  // who knows how much of it expat has given
    Give(url_, modified_);
    in_entry_ = false;
  }

  void OpenElement(std::string_view name, const char** attributes) {
    if (++depth_ > kDepthMax) return Stop(SitemapEnd::kBroken);
    if (depth_ == 1) {
      kind_ = KindOf(name);
      if (kind_ == SitemapKind::kUnknown) Stop(SitemapEnd::kBroken);
      return;
    }
    if (!in_entry_) {
      if (IsEntry(name)) OpenEntry();
      return;
    }
    if (depth_ != entry_depth_ + 1) return;  // inside of a field, or of what is none
    if (kind_ == SitemapKind::kFeed) {
      OpenFeedField(name, attributes);
    } else if (name == "loc") {
      Give(url_, modified_);  // one before it
      url_.clear();
      field_ = Field::kUrl;
    } else if (name == "lastmod") {
      field_ = Field::kModified;
    } else {
      field_ = Field::kNone;
    }
  }

  bool IsEntry(std::string_view name) const {
    switch (kind_) {
      case SitemapKind::kUrls:
        return name == "url";
      case SitemapKind::kIndex:
        return name == "sitemap";
      case SitemapKind::kFeed:
        return name == "item" || name == "entry";
      default:
        return false;
    }
  }

  void OpenEntry() {
    in_entry_ = true;
    entry_depth_ = depth_;
    field_ = kind_ == SitemapKind::kFeed ? Field::kNone : Field::kOwn;
    for (std::string* text : {&url_, &modified_, &guid_, &own_}) text->clear();
  }

  void OpenFeedField(std::string_view name, const char** attributes) {
    field_ = Field::kNone;
    if (name == "link") {
      TakeAtomLink(attributes);
      if (base::Trim(url_).empty()) field_ = Field::kUrl;
    } else if (name == "guid") {
      field_ = Field::kGuid;
    } else if (name == "updated" || name == "pubDate" || name == "date" ||
               (name == "published" && modified_.empty())) {
      modified_.clear();
      field_ = Field::kModified;
    }
  }

  /// Atom's <link href>, the first that is the entry itself (RFC 4287, section 4.2.7.2).
  void TakeAtomLink(const char** attributes) {
    std::string_view href;
    std::string_view rel = "alternate";
    for (; *attributes != nullptr; attributes += 2) {
      if (LocalName(attributes[0]) == "href") href = attributes[1];
      if (LocalName(attributes[0]) == "rel") rel = attributes[1];
    }
    if (rel == "alternate" && base::Trim(url_).empty()) {
      url_ = href.substr(0, limits_.url_bytes_max + 1);
    }
  }

  void AddText(std::string_view text) {
    if (!in_entry_) return;
    switch (field_) {
      case Field::kUrl:
        Append(text, limits_.url_bytes_max, url_);
        break;
      case Field::kModified:
        Append(text, kModifiedBytesMax, modified_);
        break;
      case Field::kGuid:
        Append(text, limits_.url_bytes_max, guid_);
        break;
      case Field::kOwn:
        if (depth_ == entry_depth_) Append(text, limits_.url_bytes_max, own_);
        break;
      case Field::kNone:
        break;
    }
  }

  /// Keeps one byte more than `most`, so that what is too long shows as such. White space before
  /// a value does not count.
  static void Append(std::string_view text, std::size_t most, std::string& value) {
    if (value.empty()) {
      while (!text.empty() && base::IsSpace(text.front())) text.remove_prefix(1);
    }
    value += text.substr(0, most + 1 - value.size());
  }

  void CloseElement(std::string_view) {
    if (in_entry_ && depth_ == entry_depth_) {
      CloseEntry();
    } else if (in_entry_ && depth_ == entry_depth_ + 1) {
      field_ = kind_ == SitemapKind::kFeed ? Field::kNone : Field::kOwn;
    }
    --depth_;
  }

  void CloseEntry() {
    in_entry_ = false;
    std::string_view url = base::Trim(url_);
    if (url.empty() && IsWebUrl(base::Trim(guid_))) url = guid_;
    if (url.empty() && IsWebUrl(base::Trim(own_))) url = own_;
    Give(url, modified_);
  }

  const SitemapLimits limits_;
  const Take take_;
  std::optional<SitemapEnd> end_;
  SitemapKind kind_ = SitemapKind::kUnknown;
  std::size_t entries_ = 0;
  std::size_t dropped_ = 0;

  // The way in.
  bool sniffed_coding_ = false;
  std::string head_;  // until it is sniffed
  std::unique_ptr<Gunzip> gunzip_;
  bool cut_ = false;
  std::size_t bytes_ = 0;  // decompressed
  bool began_ = false;
  std::string start_;  // until there is enough of it for a byte-order mark

  // Text.
  std::string line_;

  // XML.
  XmlMemory xml_memory_;
  std::unique_ptr<XML_ParserStruct, FreeParser> xml_{nullptr, {&xml_memory_}};
  bool in_expat_ = false;
  std::size_t fed_ = 0;
  std::size_t depth_ = 0;
  bool in_entry_ = false;
  std::size_t entry_depth_ = 0;
  Field field_ = Field::kNone;
  std::string url_;
  std::string modified_;
  std::string guid_;
  std::string own_;  // text of the entry itself
};

SitemapReader::SitemapReader(const SitemapLimits& limits, Take take)
    : impl_(std::make_unique<Impl>(limits, std::move(take))) {}
SitemapReader::~SitemapReader() = default;

bool SitemapReader::Write(std::string_view bytes) { return impl_->Write(bytes); }
SitemapEnd SitemapReader::Finish() { return impl_->Finish(); }
SitemapKind SitemapReader::kind() const { return impl_->kind(); }
std::size_t SitemapReader::entries() const { return impl_->entries(); }
std::size_t SitemapReader::dropped() const { return impl_->dropped(); }

std::string_view Name(SitemapKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"unknown", "urls", "index", "feed", "text"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view Name(SitemapEnd end) {
  constexpr std::array<std::string_view, 6> kNames = {"whole",  "too-long",    "too-many",
                                                      "broken", "declaration", "too-costly"};
  return kNames[static_cast<std::size_t>(end)];
}

}  // namespace parser

#include "crawler/warc/warc_reader.h"

#include <algorithm>
#include <charconv>

namespace crawler {
namespace {

constexpr std::string_view kMagic = "WARC/";
constexpr std::string_view kLowerMagic = "warc/";  // some write it so

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Offset behind the empty line that ends a head, or npos.
std::size_t EndOfHead(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view WarcReadRecord::Field(std::string_view name) const {
  auto found = std::find_if(fields.begin(), fields.end(),
                            [name](const auto& field) { return SameName(field.first, name); });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string WarcReadRecord::Type() const {
  std::string type(Field("WARC-Type"));
  std::transform(type.begin(), type.end(), type.begin(), Lower);
  return type;
}

base::Result<std::unique_ptr<WarcReader>> WarcReader::Open(const std::filesystem::path& path,
                                                           const WarcReaderOptions& options,
                                                           std::uint64_t offset) {
  auto file = GzipFile::Open(path, offset, options.piece_bytes);
  if (!file) return base::Fail(file.error().message);
  return std::unique_ptr<WarcReader>(new WarcReader(std::move(*file), options, offset));
}

// ---- The decoded bytes ----

// Reads further. False at the end and at damage.
bool WarcReader::More() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::uint64_t end = position_ + buffer_.size();
  if (!file_->Read(buffer_)) return false;
  const bool is_begin = begins_.empty() || begins_.back().offset != file_->member_begin();
  if (is_begin) begins_.push_back({end, file_->member_begin()});
  if (file_->member_ended()) ended_ = {position_ + buffer_.size(), file_->member_end()};
  return true;
}

bool WarcReader::Have(std::size_t bytes) {
  while (Unread().size() < bytes) {
    if (!More()) return false;
  }
  return true;
}

void WarcReader::Drop(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
}

// The member that the next byte lies in. REQUIRES: Have(1).
WarcReader::Mark WarcReader::MemberHere() {
  while (begins_.size() > 1 && begins_[1].position <= position_) begins_.pop_front();
  if (file_->is_gzip()) return begins_.front();
  return {position_, begin_offset_ + position_};
}

void WarcReader::AddFault(std::string reason) {
  ++faults_;
  last_fault_ = {begins_.empty() ? begin_offset_ : MemberHere().offset, std::move(reason)};
}

// Goes on behind damage, if that is what stopped us.
bool WarcReader::Recover() {
  if (file_->damage().empty()) return false;
  AddFault(file_->damage());
  Drop(Unread().size());
  return file_->SkipDamage();
}

// ---- Records ----

std::optional<WarcReadRecord> WarcReader::Next() {
  for (;;) {
    if (!FindRecord()) {
      if (Recover()) continue;
      return std::nullopt;
    }
    WarcReadRecord record;
    const Mark begin = MemberHere();
    const std::uint64_t position = position_;
    record.offset = begin.offset;
    if (!ReadHead(record) || !ReadBlock(record)) continue;
    if (EndRecord(begin, position, record)) return record;
  }
}

std::optional<WarcReadRecord> WarcReader::OnlyHead() {
  if (!FindRecord()) return std::nullopt;
  WarcReadRecord record;
  record.offset = MemberHere().offset;
  if (!ReadHead(record)) return std::nullopt;
  return record;
}

// Goes to the next "WARC/" with a digit behind; says so when anything but line ends was before it.
bool WarcReader::FindRecord() {
  bool in_fault = false;
  for (;;) {
    if (!in_fault) {
      while (Have(1) && (Unread().front() == '\r' || Unread().front() == '\n')) Drop(1);
    }
    const bool have = Have(kMagic.size() + 1);
    const std::size_t at = std::min(Unread().find(kMagic), Unread().find(kLowerMagic));
    if (at != 0 && !Unread().empty() && !in_fault) {
      in_fault = true;
      AddFault("no WARC record");
    }
    if (!have) return false;
    if (at == std::string_view::npos) {
      Drop(Unread().size() - kMagic.size());
      if (!More()) return false;
      continue;
    }
    Drop(at);
    if (!Have(kMagic.size() + 1)) return false;
    const char digit = Unread()[kMagic.size()];
    if (digit >= '0' && digit <= '9') return true;
    in_fault = true;
    Drop(kMagic.size());
  }
}

bool WarcReader::ReadHead(WarcReadRecord& record) {
  std::size_t end = EndOfHead(Unread());
  while (end == std::string_view::npos && Unread().size() < options_.head_bytes_max && More()) {
    end = EndOfHead(Unread());
  }
  if (end == std::string_view::npos || end > options_.head_bytes_max) {
    AddFault("a record's head has no end");
    Drop(kMagic.size());
    return false;
  }
  record.head = Unread().substr(0, end);
  if (!ParseHead(record)) {
    AddFault("a record's head is not one");
    Drop(kMagic.size());
    return false;
  }
  Drop(end);
  return true;
}

bool WarcReader::ParseHead(WarcReadRecord& record) {
  std::string_view rest = record.head;
  rest.remove_prefix(rest.find('\n') + 1);  // the version line
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (Trimmed(line).empty()) break;
    if (line.front() == ' ' || line.front() == '\t') {  // folded
      if (record.fields.empty()) return false;
      std::string& value = record.fields.back().second;
      value.append(value.empty() ? "" : " ").append(Trimmed(line));
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    record.fields.emplace_back(Trimmed(line.substr(0, colon)), Trimmed(line.substr(colon + 1)));
  }
  const std::string_view length = record.Field("Content-Length");
  const auto parsed =
      std::from_chars(length.data(), length.data() + length.size(), record.block_bytes);
  return parsed.ec == std::errc() && parsed.ptr == length.data() + length.size();
}

// A record that claims to be longer than its member ends where the next record's member begins.
bool WarcReader::NextMemberIsRecord() const {
  const Mark& last = begins_.back();
  if (!file_->is_gzip() || begins_.size() < 2 || last.position < position_) return false;
  return Unread().substr(last.position - position_).starts_with(kMagic);
}

bool WarcReader::ReadBlock(WarcReadRecord& record) {
  std::uint64_t left = record.block_bytes;
  while (left > 0) {
    if (Unread().empty()) {
      const bool more = More();
      if (!more || (!Unread().empty() && NextMemberIsRecord())) {
        AddFault("a record's block ends before its end");
        return false;
      }
      continue;
    }
    const std::size_t count = std::min<std::uint64_t>(left, Unread().size());
    const std::size_t room = options_.block_bytes_max - record.block.size();
    record.block.append(Unread().substr(0, std::min(count, room)));
    Drop(count);
    left -= count;
  }
  return true;
}

// Takes the two line ends behind a record, and finds out where that leaves us in the file. False
// where its member ends in damage: then nobody knows what of it is right.
bool WarcReader::EndRecord(const Mark& begin, std::uint64_t position, WarcReadRecord& record) {
  for (int newlines = 0; newlines < 2 && Have(1);) {
    if (Unread().front() == '\n') {
      ++newlines;
    } else if (Unread().front() != '\r') {
      break;
    }
    Drop(1);
  }
  std::uint64_t end = begin_offset_ + position_;
  if (file_->is_gzip()) {
    if (Unread().empty() && ended_.position != position_) {
      if (!More() && !file_->damage().empty()) return false;
    }
    auto next = std::find_if(begins_.begin(), begins_.end(),
                             [this](const Mark& mark) { return mark.position == position_; });
    if (next != begins_.end() && next->offset != begin.offset) {
      end = next->offset;
    } else if (ended_.position == position_) {
      end = ended_.offset;
    } else {
      end = 0;
    }
  }
  if (begin.position == position && end > record.offset) record.stored_bytes = end - record.offset;
  if (faults_ == 0 && end > 0) whole_bytes_ = end;
  return true;
}

}  // namespace crawler

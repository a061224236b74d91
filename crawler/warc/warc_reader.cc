#include "crawler/warc/warc_reader.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/whole_number.h"

namespace crawler {
namespace {

constexpr std::string_view kMagic = "WARC/";
constexpr std::string_view kLowerMagic = "warc/";  // some write it so

// What may be parsed again of heads that were none: times what was read, and bytes.
constexpr std::uint64_t kTimesAgain = 8;
constexpr std::uint64_t kBytesAgain = std::uint64_t{4} << 20;

constexpr std::string_view kBlanks = " \t\r\n";  // of a line with its end

// Where the first "WARC/" begins, or npos. Looks no further than there.
std::size_t FindMagic(std::string_view bytes) {
  constexpr std::size_t kName = kMagic.size() - 1;
  for (std::size_t at = bytes.find('/', kName); at != std::string_view::npos;
       at = bytes.find('/', at + 1)) {
    const std::string_view found = bytes.substr(at - kName, kMagic.size());
    if (found == kMagic || found == kLowerMagic) return at - kName;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view WarcReadRecord::Field(std::string_view name) const {
  auto found = std::find_if(fields.begin(), fields.end(), [name](const auto& field) {
    return base::EqualsIgnoreCase(field.first, name);
  });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string WarcReadRecord::Type() const { return base::ToLower(Field("WARC-Type")); }

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
  if (begin_ >= Unread().size()) {  // so that no byte is moved often
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::uint64_t end = position_ + Unread().size();
  if (!file_->Read(buffer_)) return false;
  const bool is_begin = begins_.empty() || begins_.back().offset != file_->member_begin();
  if (is_begin) begins_.push_back({end, file_->member_begin()});
  if (file_->member_ended()) ended_ = {position_ + Unread().size(), file_->member_end()};
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
  for (bool in_fault = false;; in_fault = true) {
    if (!FindRecord(in_fault)) {
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
  if (!FindRecord(false)) return std::nullopt;
  WarcReadRecord record;
  record.offset = MemberHere().offset;
  if (!ReadHead(record)) return std::nullopt;
  return record;
}

// Goes to the next "WARC/" with a digit behind; says so when anything but line ends was before it,
// unless that belongs to a fault of which was said so.
bool WarcReader::FindRecord(bool in_fault) {
  for (;;) {
    if (!in_fault) {
      while (Have(1) && (Unread().front() == '\r' || Unread().front() == '\n')) Drop(1);
    }
    const bool have = Have(kMagic.size() + 1);
    const std::size_t at = FindMagic(Unread());
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
    if (base::IsDigit(digit)) return true;
    in_fault = true;
    Drop(kMagic.size());
  }
}

// Looks in what is there for the empty line behind `position_`, and never at a byte twice.
bool WarcReader::FindEndOfHead() {
  if (head_end_ > position_) return true;
  looked_ = std::max(looked_, position_);
  const std::string_view bytes = Unread().substr(looked_ - position_);
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1);
    const std::size_t line = rest.starts_with('\n') ? 1 : rest.starts_with("\r\n") ? 2 : 0;
    if (line > 0) {
      head_end_ = looked_ = looked_ + at + 1 + line;
      return true;
    }
    if (rest.empty() || rest == "\r") {
      looked_ += at;
      return false;
    }
  }
  looked_ += bytes.size();
  return false;
}

// Whether there may be a look for a head within one that is none, of `bytes`.
bool WarcReader::MayParseAgain(std::size_t bytes) {
  if (parsed_again_ + bytes > kTimesAgain * position_ + kBytesAgain) return false;
  parsed_again_ += bytes;
  return true;
}

bool WarcReader::ReadHead(WarcReadRecord& record) {
  bool ends = FindEndOfHead();
  while (!ends && Unread().size() < options_.head_bytes_max && More()) ends = FindEndOfHead();
  const std::size_t end = head_end_ - position_;
  if (!ends || end > options_.head_bytes_max) {
    AddFault("a record's head has no end");
    Drop(kMagic.size());
    return false;
  }
  record.head = Unread().substr(0, end);
  if (!ParseHead(record)) {
    AddFault("a record's head is not one");
    Drop(MayParseAgain(end) ? kMagic.size() : end);
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
    if (base::Trim(line, kBlanks).empty()) break;
    if (line.front() == ' ' || line.front() == '\t') {  // folded
      if (record.fields.empty()) return false;
      std::string& value = record.fields.back().second;
      value.append(value.empty() ? "" : " ").append(base::Trim(line, kBlanks));
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    record.fields.emplace_back(base::Trim(line.substr(0, colon), kBlanks),
                               base::Trim(line.substr(colon + 1), kBlanks));
  }
  const auto length = base::WholeNumber<std::uint64_t>(record.Field("Content-Length"));
  record.block_bytes = length.value_or(0);
  return length.has_value();
}

// A record that claims to be longer than its member ends where the next record's member begins.
bool WarcReader::NextMemberIsRecord() const {
  const Mark& last = begins_.back();
  if (!file_->is_gzip() || begins_.size() < 2 || last.position < position_) return false;
  return Unread().substr(last.position - position_).starts_with(kMagic);
}

// Nobody knows how long what gzip has compressed will be.
bool WarcReader::IsLongerThanFile(const WarcReadRecord& record) const {
  return !file_->is_gzip() &&
         record.block_bytes > file_->file_bytes() - (begin_offset_ + position_);
}

// Goes on at `position` again, which lies in `member`, or stays here where that cannot be.
void WarcReader::GoBack(const Mark& member, std::uint64_t position) {
  if (!file_->is_gzip() || !file_->GoBack(member.offset)) return;
  buffer_.clear();
  begin_ = 0;
  begins_.clear();
  ended_ = {};
  head_end_ = looked_ = 0;
  position_ = member.position;
  while (position_ < position && Have(1)) {
    Drop(std::min<std::uint64_t>(position - position_, Unread().size()));
  }
}

bool WarcReader::ReadBlock(WarcReadRecord& record) {
  const Mark member = MemberHere();
  const std::uint64_t position = position_;
  std::uint64_t left = record.block_bytes;
  if (IsLongerThanFile(record)) {
    AddFault("a record's block is longer than the file");
    return false;
  }
  while (left > 0) {
    if (Unread().empty()) {
      const bool more = More();
      if (!more || (!Unread().empty() && NextMemberIsRecord())) {
        AddFault("a record's block ends before its end");
        // Of a member that ends in damage nobody knows what is right.
        if (file_->damage().empty()) GoBack(member, position);
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

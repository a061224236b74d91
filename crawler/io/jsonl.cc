#include "crawler/io/jsonl.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/system_failure.h"
#include "crawler/io/log_file.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

void AppendEscape(std::string& out, char32_t c) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
  out += text;
}

}  // namespace

void AppendJsonText(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    CodePoint c = FirstCodePoint(text);
    if (!c.valid) {
      out += "\xef\xbf\xbd";  // U+FFFD
    } else if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (IsUnsafeToPrint(c.value)) {
      AppendEscape(out, c.value);
    } else {
      out.append(text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

void JsonLine::Key(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  AppendJsonText(text_, key);
  text_ += ':';
}

void JsonLine::Text(std::string_view key, std::string_view value) {
  Key(key);
  AppendJsonText(text_, value);
}

void JsonLine::Number(std::string_view key, std::uint64_t value) {
  Key(key);
  text_ += std::to_string(value);
}

void JsonLine::Number(std::string_view key, std::int64_t value) {
  Key(key);
  text_ += std::to_string(value);
}

void JsonLine::Raw(std::string_view key, std::string_view json) {
  Key(key);
  text_ += json;
}

std::string JsonLine::Finish() {
  text_ += "}\n";
  return std::move(text_);
}

base::Result<JsonlReader> JsonlReader::Open(const std::filesystem::path& path,
                                            std::uint64_t bytes_max) {
  base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok()) return base::SystemFailure(path, "cannot be opened");
  return JsonlReader(path, std::move(file), bytes_max);
}

JsonlReader::JsonlReader(std::filesystem::path path, base::Descriptor file,
                         std::uint64_t bytes_max)
    : path_(std::move(path)), file_(std::move(file)), left_(bytes_max) {}

bool JsonlReader::Fill() {
  if (!status_ || left_ == 0) return false;
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, left_)));
  begin_ = 0;
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) status_ = base::SystemFailure(LogPartPath(path_, part_), "cannot be read");
  buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  left_ -= buffer_.size();
  return got > 0 || (got == 0 && OpenNextPart() && Fill());
}

bool JsonlReader::OpenNextPart() {
  base::Descriptor next(::open(LogPartPath(path_, part_ + 1).c_str(), O_RDONLY | O_CLOEXEC));
  if (!next.ok()) return false;  // the part read was the last one
  file_ = std::move(next);
  ++part_;
  return true;
}

std::optional<JsonlReader::Line> JsonlReader::Next() {
  Line line{.number = lines_ + 1, .text = {}};
  while (begin_ < buffer_.size() || Fill()) {
    std::size_t newline = buffer_.find('\n', begin_);
    std::size_t end = std::min(newline, buffer_.size());
    std::size_t room = kJsonlLineBytesMax - line.text.size();
    line.text.append(buffer_, begin_, std::min(end - begin_, room));
    line.too_long = line.too_long || end - begin_ > room;
    begin_ = end + (newline == buffer_.npos ? 0 : 1);
    if (newline != buffer_.npos) {
      lines_ += 1;
      return line;
    }
  }
  if (line.text.empty()) return std::nullopt;
  lines_ += 1;
  return line;
}

}  // namespace crawler

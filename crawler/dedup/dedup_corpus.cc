#include "crawler/dedup/dedup_corpus.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "crawler/io/gzip_file.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

class WarcCorpus final : public Corpus {
 public:
  explicit WarcCorpus(std::unique_ptr<WarcReader> reader) : reader_(std::move(reader)) {}

  std::optional<CorpusItem> Next() override {
    std::optional<WarcReadRecord> record = reader_->Next();
    if (!record) return std::nullopt;
    CorpusItem item;
    item.form = CorpusItem::Form::kWarc;
    const std::string type = record->Type();
    item.is_document =
        type == "response" || type == "resource" || type == "conversion" || type == "revisit";
    item.name = record->Field("WARC-Target-URI");
    // Some writers put it in angle brackets (an error in the examples of WARC 1.0).
    if (item.name.starts_with('<') && item.name.ends_with('>')) {
      item.name = item.name.substr(1, item.name.size() - 2);
    }
    item.place = record->offset;
    item.cut = record->block_cut();
    item.record = std::move(*record);
    return item;
  }
  base::Status status() const override { return reader_->status(); }
  Kind kind() const override { return Kind::kWarc; }
  std::uint64_t read_bytes() const override { return reader_->read_bytes(); }
  std::uint64_t all_bytes() const override { return reader_->file_bytes(); }
  std::uint64_t faults() const override { return reader_->faults(); }

 private:
  const std::unique_ptr<WarcReader> reader_;
};

class JsonLinesCorpus final : public Corpus {
 public:
  JsonLinesCorpus(std::unique_ptr<GzipFile> file, std::size_t item_bytes_max)
      : file_(std::move(file)), item_bytes_max_(item_bytes_max) {}

  std::optional<CorpusItem> Next() override {
    CorpusItem item;
    item.form = CorpusItem::Form::kJsonLine;
    item.place = ++lines_;
    for (;;) {
      const std::size_t newline = buffer_.find('\n', begin_);
      const std::size_t end = std::min(newline, buffer_.size());
      const std::size_t room = item_bytes_max_ - item.bytes.size();
      item.bytes.append(buffer_, begin_, std::min(end - begin_, room));
      item.cut = item.cut || end - begin_ > room;
      begin_ = end;
      if (newline != std::string::npos) {
        ++begin_;
        return item;
      }
      if (!Fill()) break;
    }
    return item.bytes.empty() ? std::nullopt : std::optional(std::move(item));
  }
  base::Status status() const override {
    return file_->damage().empty() ? file_->status() : base::Fail(file_->damage());
  }
  Kind kind() const override { return Kind::kJsonLines; }
  std::uint64_t read_bytes() const override { return file_->read_bytes(); }
  std::uint64_t all_bytes() const override { return file_->file_bytes(); }

 private:
  bool Fill() {
    buffer_.clear();
    begin_ = 0;
    while (buffer_.empty()) {
      if (!file_->Read(buffer_)) return false;
    }
    return true;
  }

  const std::unique_ptr<GzipFile> file_;
  const std::size_t item_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t lines_ = 0;
};

bool IsPageName(const fs::path& path) {
  constexpr std::array<std::string_view, 6> kPages = {".html", ".htm", ".xhtml",
                                                      ".xht",  ".txt", ".text"};
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kPages.begin(), kPages.end(), extension) != kPages.end();
}

// One page, or all pages below a folder in the order of their names.
class FolderCorpus final : public Corpus {
 public:
  FolderCorpus(const fs::path& root, std::size_t item_bytes_max)
      : root_(root), item_bytes_max_(item_bytes_max), is_folder_(fs::is_directory(root)) {
    waiting_.push_back({root});
    if (is_folder_) Measure();
  }

  std::optional<CorpusItem> Next() override {
    while (status_ && !waiting_.empty()) {
      if (waiting_.back().empty()) {
        waiting_.pop_back();
        continue;
      }
      const fs::path path = std::move(waiting_.back().back());
      waiting_.back().pop_back();
      std::error_code error;
      if (fs::is_directory(path, error)) {
        Enter(path);
      } else if (path == root_ || IsPageName(path)) {
        return Read(path);
      }
    }
    return std::nullopt;
  }
  base::Status status() const override { return status_; }
  Kind kind() const override { return is_folder_ ? Kind::kFolder : Kind::kPage; }
  std::uint64_t read_bytes() const override { return read_bytes_; }
  std::uint64_t all_bytes() const override { return std::max(all_bytes_, read_bytes_); }

 private:
  void Measure() {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(root_, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!IsPageName(entry->path())) continue;
      std::error_code gone;
      const std::uintmax_t size = entry->file_size(gone);
      if (!gone) all_bytes_ += size;
    }
  }

  // The entries of a folder, last first. Links to folders are not followed: they may go round.
  void Enter(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code gone;
      if (entry->is_directory(gone) && entry->is_symlink(gone)) continue;
      entries.push_back(entry->path());
    }
    if (error) status_ = base::Fail(folder.string() + " cannot be read: " + error.message());
    std::sort(entries.rbegin(), entries.rend());
    waiting_.push_back(std::move(entries));
  }

  std::optional<CorpusItem> Read(const fs::path& path) {
    CorpusItem item;
    item.name = is_folder_ ? path.lexically_relative(root_).string() : path.string();
    auto file = GzipFile::Open(path);
    if (!file) {
      status_ = base::Fail(file.error().message);
      return std::nullopt;
    }
    while (item.bytes.size() <= item_bytes_max_ && (*file)->Read(item.bytes)) {
    }
    if (!(*file)->status()) status_ = (*file)->status();
    item.cut = item.bytes.size() > item_bytes_max_ || !(*file)->damage().empty();
    read_bytes_ += (*file)->file_bytes();
    return item;
  }

  const fs::path root_;
  const std::size_t item_bytes_max_;
  const bool is_folder_;
  std::vector<std::vector<fs::path>> waiting_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t all_bytes_ = 0;
  base::Status status_;
};

// The first bytes of a file, decoded.
base::Result<std::string> Beginning(const fs::path& path) {
  auto file = GzipFile::Open(path);
  if (!file) return base::Fail(file.error().message);
  std::string bytes;
  while (bytes.size() < 16 && (*file)->Read(bytes)) {
  }
  if (!(*file)->status()) return base::Fail((*file)->status().error().message);
  return bytes;
}

}  // namespace

base::Result<std::unique_ptr<Corpus>> OpenCorpus(const fs::path& path,
                                                 std::size_t item_bytes_max) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return std::unique_ptr<Corpus>(std::make_unique<FolderCorpus>(path, item_bytes_max));
  }
  auto bytes = Beginning(path);
  if (!bytes) return base::Fail(bytes.error().message);
  if (bytes->starts_with("WARC/")) {
    // Heads of HTTP come on top of a body.
    auto reader = WarcReader::Open(path, {.block_bytes_max = item_bytes_max + (1U << 20)});
    if (!reader) return base::Fail(reader.error().message);
    return std::unique_ptr<Corpus>(std::make_unique<WarcCorpus>(std::move(*reader)));
  }
  if (bytes->starts_with('{') || bytes->empty()) {
    auto file = GzipFile::Open(path);
    if (!file) return base::Fail(file.error().message);
    return std::unique_ptr<Corpus>(
        std::make_unique<JsonLinesCorpus>(std::move(*file), 4 * item_bytes_max));
  }
  if (IsPageName(path)) {
    return std::unique_ptr<Corpus>(std::make_unique<FolderCorpus>(path, item_bytes_max));
  }
  return base::Fail(path.string() +
                    " is neither a WARC file, JSON lines, a page nor a folder of pages");
}

}  // namespace crawler

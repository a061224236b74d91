#include "crawler/dedup/dedup_corpus.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "crawler/data/page_log.h"
#include "crawler/io/gzip_file.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlank = " \t\r\n";

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
  std::string first_fault() const override {
    if (reader_->faults() == 0) return {};
    return "damaged from byte " + std::to_string(reader_->whole_bytes()) + " on";
  }

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
      const bool ended = newline != std::string::npos;
      if (ended) ++begin_;
      if (!ended && Fill()) continue;
      // Of the line that the damage lies in nobody knows the rest.
      if (!ended && (item.bytes.empty() || faults() > 0)) return std::nullopt;
      item.is_document = item.bytes.find_first_not_of(kBlank) != std::string::npos;
      return item;
    }
  }
  base::Status status() const override { return file_->status(); }
  Kind kind() const override { return Kind::kJsonLines; }
  std::uint64_t read_bytes() const override { return file_->read_bytes(); }
  std::uint64_t all_bytes() const override { return file_->file_bytes(); }
  // What is behind damage is not looked for.
  std::uint64_t faults() const override { return file_->damage().empty() ? 0 : 1; }
  std::string first_fault() const override {
    return faults() == 0 ? "" : "damaged from line " + std::to_string(lines_) + " on";
  }

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

// `name` is in lower case.
PageForm FormByEnd(const fs::path& name) {
  constexpr std::array<std::string_view, 4> kHtml = {".html", ".htm", ".xhtml", ".xht"};
  const std::string end = name.extension().string();
  if (end == ".gz") return FormByEnd(name.stem());
  if (end == ".txt" || end == ".text") return PageForm::kPlain;
  return std::find(kHtml.begin(), kHtml.end(), end) != kHtml.end() ? PageForm::kHtml
                                                                   : PageForm::kNone;
}

// The end of a name by which a file in a folder is known as one to be named by itself; empty of
// others.
std::string_view CorpusEnd(const fs::path& path) {
  const std::string name = base::ToLower(path.filename().string());
  for (const std::string_view end : {".warc.gz", ".warc", ".jsonl.gz", ".jsonl"}) {
    if (name.ends_with(end)) return end;
  }
  return {};
}

// What a file is that is none of ours, and what to do about it.
std::string_view KnownStranger(std::string_view bytes) {
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) {
    return " is compressed by zstd, which is not read: decompress it (zstd -d)";
  }
  if (bytes.starts_with("BZh")) {
    return " is compressed by bzip2, which is not read: decompress it (bzip2 -d)";
  }
  if (bytes.starts_with("\xfd\x37zXZ")) {
    return " is compressed by xz, which is not read: decompress it (xz -d)";
  }
  if (bytes.starts_with("PAR1")) {
    return " is a table in Parquet, which is not read: write its rows as JSON lines";
  }
  return " is neither a WARC file, JSON lines, a page nor a folder of pages";
}

// One page, or all files below a folder in the order of their names. What cannot be read there is
// a fault and does not end it.
class FolderCorpus final : public Corpus {
 public:
  FolderCorpus(const fs::path& root, std::size_t item_bytes_max, bool is_folder)
      : root_(root), item_bytes_max_(item_bytes_max), is_folder_(is_folder) {
    waiting_.push_back({root});
  }

  // Looks how much there is. Fails where no page is.
  base::Status Measure() {
    std::error_code error;
    fs::directory_iterator(root_, error);
    if (error) return base::Fail(root_.string() + " cannot be read: " + error.message());
    bool has_page = false;
    std::string corpora;  // as "folder/warc/*.warc.gz"
    constexpr auto kPassOver = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(root_, kPassOver, error), end;
         !error && entry != end; entry.increment(error)) {
      const std::string_view ending = CorpusEnd(entry->path());
      // A crawl's data directory has logs besides its WARC files.
      if (ending.starts_with(".warc") || (!ending.empty() && corpora.empty())) {
        corpora = (entry->path().parent_path() / "*").string().append(ending);
      }
      if (PageFormOf(entry->path()) == PageForm::kNone) continue;
      std::error_code no_file;
      const std::uintmax_t size = entry->file_size(no_file);
      if (no_file) continue;
      has_page = true;
      all_bytes_ += size;
    }
    if (has_page || error) return {};
    return base::Fail(root_.string() + " holds no page (.html, .htm, .xhtml, .xht, .txt, .text)" +
                      Instead(corpora));
  }

  std::optional<CorpusItem> Next() override {
    while (status_ && !waiting_.empty()) {
      if (waiting_.back().empty()) {
        waiting_.pop_back();
        continue;
      }
      const fs::path path = std::move(waiting_.back().back());
      waiting_.back().pop_back();
      std::error_code gone;
      const fs::file_status found = fs::status(path, gone);
      if (fs::is_directory(found)) {
        Enter(path);
      } else if (is_folder_ && PageFormOf(path) == PageForm::kNone) {
        ++passed_over_;
        if (fs::is_regular_file(found)) return Named(path, false);
      } else if (is_folder_ && !fs::is_regular_file(found)) {
        // A pipe would never end, a link that leads nowhere never begin.
        AddFault(path.string() + " is no file");
      } else if (auto item = Read(path)) {
        return item;
      }
    }
    return std::nullopt;
  }
  base::Status status() const override { return status_; }
  Kind kind() const override { return is_folder_ ? Kind::kFolder : Kind::kPage; }
  std::uint64_t read_bytes() const override { return read_bytes_; }
  std::uint64_t all_bytes() const override { return std::max(all_bytes_, read_bytes_); }
  std::uint64_t faults() const override { return faults_; }
  std::string first_fault() const override { return first_fault_; }
  std::uint64_t passed_over() const override { return passed_over_; }

 private:
  // What to read in the place of a folder without pages, where WARC files or JSON lines are there.
  std::string Instead(const std::string& corpora) const {
    if (corpora.empty()) return {};
    std::error_code error;
    if (corpora.ends_with("/*.jsonl") && fs::exists(root_ / kPageLogName, error)) {
      return "; contentseen texts " + root_.string() + " gives the texts of the crawl there";
    }
    return "; what else is there is named: contentseen dedup " + corpora;
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
    if (error)
      NotRead(folder, base::Fail(folder.string() + " cannot be read: " + error.message()));
    std::sort(entries.rbegin(), entries.rend());
    waiting_.push_back(std::move(entries));
  }

  CorpusItem Named(const fs::path& path, bool is_document) const {
    CorpusItem item;
    item.is_document = is_document;
    item.name = is_folder_ ? path.lexically_relative(root_).string() : path.string();
    return item;
  }

  std::optional<CorpusItem> Read(const fs::path& path) {
    auto file = GzipFile::Open(path);
    if (!file) return NotRead(path, base::Fail(file.error().message));
    CorpusItem item = Named(path, true);
    while (item.bytes.size() <= item_bytes_max_ && (*file)->Read(item.bytes)) {
    }
    if (!(*file)->status()) return NotRead(path, (*file)->status());
    item.cut = item.bytes.size() > item_bytes_max_ || !(*file)->damage().empty();
    read_bytes_ += (*file)->file_bytes();
    return item;
  }

  // All there is, or one of many.
  std::nullopt_t NotRead(const fs::path& path, const base::Status& why) {
    if (path == root_) {
      status_ = why;
    } else {
      AddFault(why.error().message);
    }
    return std::nullopt;
  }

  void AddFault(std::string what) {
    if (faults_++ == 0) first_fault_ = std::move(what);
  }

  const fs::path root_;
  const std::size_t item_bytes_max_;
  const bool is_folder_;
  std::vector<std::vector<fs::path>> waiting_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t all_bytes_ = 0;
  std::uint64_t faults_ = 0;
  std::string first_fault_;
  std::uint64_t passed_over_ = 0;
  base::Status status_;
};

// What follows a byte order mark, white space and empty lines.
std::string_view Begun(std::string_view bytes) {
  bytes = WithoutByteOrderMark(bytes);
  return bytes.substr(std::min(bytes.size(), bytes.find_first_not_of(kBlank)));
}

// The first bytes of a file that say something, decoded.
base::Result<std::string> Beginning(const fs::path& path) {
  constexpr std::size_t kBlankMax = std::size_t{64} << 10;
  auto file = GzipFile::Open(path);
  if (!file) return base::Fail(file.error().message);
  std::string bytes;
  while (Begun(bytes).size() < 16 && bytes.size() < kBlankMax && (*file)->Read(bytes)) {
  }
  if (!(*file)->status()) return base::Fail((*file)->status().error().message);
  return std::string(Begun(bytes));
}

}  // namespace

void CorpusTrace::Add(const CorpusItem& item) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;
  documents += 1;
  places = (places ^ std::hash<std::string_view>{}(item.name) ^ item.place) * kPrime;
}

PageForm PageFormOf(const fs::path& path) {
  const std::string name = base::ToLower(path.filename().string());
  const PageForm form = FormByEnd(name);
  return form != PageForm::kNone ? form : FormByEnd(name.substr(0, name.find('?')));
}

base::Result<std::unique_ptr<Corpus>> OpenCorpus(const fs::path& path,
                                                 std::size_t item_bytes_max) {
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  if (fs::is_directory(found)) {
    auto folder = std::make_unique<FolderCorpus>(path, item_bytes_max, true);
    if (auto measured = folder->Measure(); !measured) return base::Fail(measured.error().message);
    return std::unique_ptr<Corpus>(std::move(folder));
  }
  if (fs::exists(found) && !fs::is_regular_file(found)) {
    return base::Fail(path.string() + " needs to be a file: it is read more than once");
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
  if (PageFormOf(path) != PageForm::kNone) {
    return std::unique_ptr<Corpus>(std::make_unique<FolderCorpus>(path, item_bytes_max, false));
  }
  return base::Fail(path.string().append(KnownStranger(*bytes)));
}

}  // namespace crawler

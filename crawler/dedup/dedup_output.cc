#include "crawler/dedup/dedup_output.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "crawler/dedup/dedup_corpus.h"
#include "crawler/io/gzip_member.h"

namespace crawler {
namespace {

namespace fs = std::filesystem;

// A record is held whole only where it must be compressed anew.
constexpr std::size_t kItemBytesMax = std::size_t{256} << 20;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;
constexpr int kLevel = 6;
// Requests and notes that wait for the response they belong to.
constexpr std::size_t kWaitingMax = 64;

using IsSkipped = std::function<bool(std::uint64_t)>;

class Writer {
 public:
  explicit Writer(const fs::path& path)
      : path_(path), file_(path, std::ios::binary | std::ios::trunc) {}

  void Write(std::string_view bytes) {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  base::Status Finish() {
    file_.close();
    return file_ ? base::Status() : base::Fail(path_.string() + " cannot be written");
  }

 private:
  const fs::path path_;
  std::ofstream file_;
};

/// Copies WARC records, each with what belongs to it.
class WarcCopy {
 public:
  WarcCopy(const fs::path& input, bool is_gzip, Writer& writer)
      : input_(input, std::ios::binary), is_gzip_(is_gzip), writer_(writer) {}

  base::Status AddDocument(CorpusItem item, bool skipped) {
    const std::string id(item.record.Field("WARC-Record-ID"));
    while (!waiting_.empty()) {
      const bool belongs = BelongsTo(waiting_.front()) == id;
      if (!belongs || !skipped) {
        if (auto copied = Copy(waiting_.front()); !copied) return copied;
      }
      waiting_.pop_front();
    }
    last_ = {id, skipped};
    return skipped ? base::Status() : Copy(item);
  }

  base::Status AddOther(CorpusItem item) {
    const std::string belongs(BelongsTo(item));
    if (belongs.empty() || (belongs == last_.first && !last_.second)) return Copy(item);
    if (belongs == last_.first) return {};
    waiting_.push_back(std::move(item));  // the response it names may be still to come
    if (waiting_.size() <= kWaitingMax) return {};
    auto copied = Copy(waiting_.front());
    waiting_.pop_front();
    return copied;
  }

  base::Status Finish() {
    for (const CorpusItem& item : waiting_) {
      if (auto copied = Copy(item); !copied) return copied;
    }
    waiting_.clear();
    return {};
  }

 private:
  static std::string_view BelongsTo(const CorpusItem& item) {
    const std::string_view concurrent = item.record.Field("WARC-Concurrent-To");
    return concurrent.empty() ? item.record.Field("WARC-Refers-To") : concurrent;
  }

  base::Status Copy(const CorpusItem& item) {
    const WarcReadRecord& record = item.record;
    if (record.stored_bytes > 0) return CopyBytes(record.offset, record.stored_bytes);
    if (record.block_cut()) return base::Fail("a record of more than 256 MiB has no gzip member");
    writer_.Write(GzipMember(record.head + record.block + "\r\n\r\n", kLevel));
    return {};
  }

  base::Status CopyBytes(std::uint64_t offset, std::uint64_t count) {
    input_.clear();
    input_.seekg(static_cast<std::streamoff>(offset));
    std::string buffer;
    while (count > 0) {
      buffer.resize(std::min<std::uint64_t>(count, kCopyBytes));
      if (!input_.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
        return base::Fail("the input changed while it was read");
      }
      writer_.Write(buffer);
      count -= buffer.size();
    }
    // The last record of an uncompressed file may lack its line ends; then more must not follow.
    if (!is_gzip_ && !buffer.ends_with("\n\r\n") && !buffer.ends_with("\n\n")) {
      writer_.Write("\r\n\r\n");
    }
    return {};
  }

  std::ifstream input_;
  const bool is_gzip_;
  Writer& writer_;
  std::deque<CorpusItem> waiting_;
  std::pair<std::string, bool> last_;  // id of the last document, and whether it was skipped
};

base::Status WriteWarc(Corpus& corpus, const fs::path& input, const fs::path& output,
                       const IsSkipped& is_skipped) {
  std::string magic(2, '\0');
  std::ifstream(input, std::ios::binary).read(magic.data(), 2);
  Writer writer(output);
  WarcCopy copy(input, magic == "\x1f\x8b", writer);
  std::uint64_t number = 0;
  while (std::optional<CorpusItem> item = corpus.Next()) {
    const bool is_document = item->is_document;
    auto added = is_document ? copy.AddDocument(std::move(*item), is_skipped(++number))
                             : copy.AddOther(std::move(*item));
    if (!added) return base::Fail(input.string() + ": " + added.error().message);
  }
  if (auto finished = copy.Finish(); !finished) return finished;
  auto finished = writer.Finish();
  return finished ? corpus.status() : finished;
}

base::Status WriteLines(Corpus& corpus, const fs::path& output, const IsSkipped& is_skipped) {
  const bool gzip = output.extension() == ".gz";
  Writer writer(output);
  std::string lines;
  auto flush = [&] {
    writer.Write(gzip ? GzipMember(lines, kLevel) : lines);
    lines.clear();
  };
  std::uint64_t number = 0;
  while (std::optional<CorpusItem> item = corpus.Next()) {
    if (is_skipped(++number)) continue;
    if (item->cut) return base::Fail("a line is longer than 1 GiB");
    lines.append(item->bytes).append("\n");
    if (lines.size() > kCopyBytes) flush();
  }
  if (!lines.empty()) flush();
  auto finished = writer.Finish();
  return finished ? corpus.status() : finished;
}

base::Status WriteFiles(Corpus& corpus, const fs::path& input, const fs::path& output,
                        const IsSkipped& is_skipped) {
  const bool is_folder = corpus.kind() == Corpus::Kind::kFolder;
  std::uint64_t number = 0;
  while (std::optional<CorpusItem> item = corpus.Next()) {
    if (is_skipped(++number)) continue;
    const fs::path from = is_folder ? input / item->name : input;
    const fs::path to = is_folder ? output / item->name : output;
    std::error_code error;
    if (is_folder) fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error) return base::Fail(to.string() + " cannot be written: " + error.message());
  }
  return corpus.status();
}

}  // namespace

base::Status WriteDeduplicated(const fs::path& input, const fs::path& output,
                               const IsSkipped& is_skipped) {
  auto corpus = OpenCorpus(input, kItemBytesMax);
  if (!corpus) return base::Fail(corpus.error().message);
  switch ((*corpus)->kind()) {
    case Corpus::Kind::kWarc:
      return WriteWarc(**corpus, input, output, is_skipped);
    case Corpus::Kind::kJsonLines:
      return WriteLines(**corpus, output, is_skipped);
    case Corpus::Kind::kFolder:
    case Corpus::Kind::kPage:
      return WriteFiles(**corpus, input, output, is_skipped);
  }
  return {};
}

}  // namespace crawler

#include "crawler/dedup/dedup_output.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/ascii.h"
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
constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;
// Documents whose requests and notes may come behind them.
constexpr std::size_t kJudgedMax = 64;

using IsSkipped = std::function<bool(std::uint64_t)>;

bool IsGzipName(const fs::path& path) { return path.extension() == ".gz"; }

/// The verdicts on the documents of a corpus that is read again.
class Verdicts {
 public:
  Verdicts(const CorpusTrace& judged, const IsSkipped& is_skipped)
      : judged_(judged), is_skipped_(is_skipped) {}

  /// Of the next item.
  base::Result<bool> Skips(const CorpusItem& item) {
    if (!item.is_document) return false;
    read_.Add(item);
    if (read_.documents > judged_.documents) return Changed();
    return is_skipped_(read_.documents);
  }
  /// Whether these were all, and what was judged.
  base::Status Finish(const Corpus& corpus) {
    if (auto status = corpus.status(); !status) return status;
    read_.bytes = corpus.all_bytes();
    return read_ == judged_ ? base::Status() : Changed();
  }

 private:
  static tl::unexpected<base::Error> Changed() {
    return base::Fail("the input changed while it was read");
  }

  const CorpusTrace judged_;
  const IsSkipped& is_skipped_;
  CorpusTrace read_;
};

class Writer {
 public:
  explicit Writer(const fs::path& path)
      : path_(path), file_(path, std::ios::binary | std::ios::trunc) {}

  void Write(std::string_view bytes) {
    empty_ = empty_ && bytes.empty();
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  base::Status Finish() {
    // What is compressed is never of 0 bytes: that would be no gzip file.
    if (empty_ && IsGzipName(path_)) Write(GzipMember("", kLevel));
    file_.close();
    return file_ ? base::Status() : base::Fail(path_.string() + " cannot be written");
  }

 private:
  const fs::path path_;
  std::ofstream file_;
  bool empty_ = true;
};

/// Copies WARC records, each with what belongs to it.
class WarcCopy {
 public:
  WarcCopy(const fs::path& input, bool from_gzip, bool to_gzip, Writer& writer)
      : input_(input, std::ios::binary),
        from_gzip_(from_gzip),
        to_gzip_(to_gzip),
        writer_(writer) {}

  base::Status AddDocument(CorpusItem item, bool skipped) {
    Names names = NamesIn(item, "WARC-Concurrent-To");
    names.merge(NamesIn(item, "WARC-Record-ID"));
    for (auto waits = waiting_.begin(); waits != waiting_.end();) {
      if (!Share(waits->names, names)) {
        ++waits;  // for a later one: exchanges of several connections lie among each other
        continue;
      }
      if (!skipped) {
        if (auto copied = Copy(waits->item); !copied) return copied;
      }
      waits = Drop(waits);
    }
    judged_.push_front({std::move(names), skipped});
    if (judged_.size() > kJudgedMax) judged_.pop_back();
    return skipped ? base::Status() : Copy(item);
  }

  base::Status AddOther(CorpusItem item) {
    Names names = NamesIn(item, "WARC-Concurrent-To");
    if (names.empty()) names = NamesIn(item, "WARC-Refers-To");
    // A request names its response, or is named by it, as GNU Wget writes them.
    if (names.empty() && item.record.Type() != "request") return Copy(item);
    names.merge(NamesIn(item, "WARC-Record-ID"));
    bool is_of_skipped = false;
    for (const Judged& document : judged_) {
      if (!Share(document.names, names)) continue;
      if (!document.skipped) return Copy(item);
      is_of_skipped = true;
    }
    if (is_of_skipped) return {};
    if (LiesAsItGoes(item.record)) item.record.block = {};
    waiting_bytes_ += item.record.block.size();
    // The response it belongs to may be still to come.
    waiting_.push_back({std::move(item), std::move(names)});
    base::Status copied;
    while (copied && (waiting_.size() > kWaitingMax || waiting_bytes_ > kWaitingBytesMax)) {
      copied = Copy(waiting_.front().item);
      Drop(waiting_.begin());
    }
    return copied;
  }

  base::Status Finish() {
    for (const Waiting& waits : waiting_) {
      if (auto copied = Copy(waits.item); !copied) return copied;
    }
    waiting_.clear();
    return {};
  }

 private:
  using Names = std::set<std::string>;
  // Names: the record's own and those it gives of others of its exchange.
  struct Judged {
    Names names;
    bool skipped;
  };
  struct Waiting {
    CorpusItem item;
    Names names;
  };

  // A field may stand more than once.
  static Names NamesIn(const CorpusItem& item, std::string_view field) {
    Names names;
    for (const auto& [name, value] : item.record.fields) {
      if (!value.empty() && base::EqualsIgnoreCase(name, field)) names.insert(value);
    }
    return names;
  }

  // Whether one is of the other's exchange.
  static bool Share(const Names& a, const Names& b) {
    return std::ranges::any_of(a, [&b](const std::string& name) { return b.contains(name); });
  }

  // Where the next one waits.
  std::list<Waiting>::iterator Drop(std::list<Waiting>::iterator waits) {
    waiting_bytes_ -= waits->item.record.block.size();
    return waiting_.erase(waits);
  }

  // Whether its bytes in the input are those of the output.
  bool LiesAsItGoes(const WarcReadRecord& record) const {
    return record.stored_bytes > 0 && from_gzip_ == to_gzip_;
  }

  base::Status Copy(const CorpusItem& item) {
    const WarcReadRecord& record = item.record;
    if (LiesAsItGoes(record)) return CopyBytes(record.offset, record.stored_bytes);
    if (record.block_cut()) {
      return base::Fail("a record of more than 256 MiB cannot be compressed or decompressed");
    }
    const std::string text = record.head + record.block + "\r\n\r\n";
    writer_.Write(to_gzip_ ? GzipMember(text, kLevel) : text);
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
    if (!from_gzip_ && !buffer.ends_with("\n\r\n") && !buffer.ends_with("\n\n")) {
      writer_.Write("\r\n\r\n");
    }
    return {};
  }

  std::ifstream input_;
  const bool from_gzip_;
  const bool to_gzip_;
  Writer& writer_;
  std::list<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::deque<Judged> judged_;  // the last documents, the last first
};

base::Status WriteWarc(Corpus& corpus, const fs::path& input, const fs::path& output,
                       Verdicts& verdicts) {
  std::string magic(2, '\0');
  std::ifstream(input, std::ios::binary).read(magic.data(), 2);
  Writer writer(output);
  WarcCopy copy(input, magic == "\x1f\x8b", IsGzipName(output), writer);
  while (std::optional<CorpusItem> item = corpus.Next()) {
    const auto skipped = verdicts.Skips(*item);
    if (!skipped) return base::Fail(skipped.error().message);
    auto added = item->is_document ? copy.AddDocument(std::move(*item), *skipped)
                                   : copy.AddOther(std::move(*item));
    if (!added) return added;
  }
  if (auto finished = copy.Finish(); !finished) return finished;
  return writer.Finish();
}

base::Status WriteLines(Corpus& corpus, const fs::path& output, Verdicts& verdicts) {
  const bool gzip = IsGzipName(output);
  Writer writer(output);
  std::string lines;
  auto flush = [&] {
    writer.Write(gzip ? GzipMember(lines, kLevel) : lines);
    lines.clear();
  };
  while (std::optional<CorpusItem> item = corpus.Next()) {
    const auto skipped = verdicts.Skips(*item);
    if (!skipped) return base::Fail(skipped.error().message);
    if (*skipped) continue;
    if (item->cut) return base::Fail("a line is longer than 1 GiB");
    lines.append(item->bytes).append("\n");
    if (lines.size() > kCopyBytes) flush();
  }
  if (!lines.empty()) flush();
  return writer.Finish();
}

base::Status WriteFiles(Corpus& corpus, const fs::path& input, const fs::path& output,
                        Verdicts& verdicts) {
  const bool is_folder = corpus.kind() == Corpus::Kind::kFolder;
  std::error_code error;
  if (is_folder) fs::create_directories(output, error);  // also where nothing goes into it
  if (error) return base::Fail(output.string() + " cannot be made: " + error.message());
  while (std::optional<CorpusItem> item = corpus.Next()) {
    const auto skipped = verdicts.Skips(*item);
    if (!skipped) return base::Fail(skipped.error().message);
    if (*skipped) continue;
    const fs::path from = is_folder ? input / item->name : input;
    const fs::path to = is_folder ? output / item->name : output;
    if (is_folder) fs::create_directories(to.parent_path(), error);
    if (!error) fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error) return base::Fail("it cannot be copied to " + to.string() + ": " + error.message());
  }
  return {};
}

base::Status WriteCorpus(Corpus& corpus, const fs::path& input, const fs::path& output,
                         Verdicts& verdicts) {
  switch (corpus.kind()) {
    case Corpus::Kind::kWarc:
      return WriteWarc(corpus, input, output, verdicts);
    case Corpus::Kind::kJsonLines:
      return WriteLines(corpus, output, verdicts);
    case Corpus::Kind::kFolder:
    case Corpus::Kind::kPage:
      return WriteFiles(corpus, input, output, verdicts);
  }
  return {};
}

}  // namespace

base::Status WriteDeduplicated(const fs::path& input, const fs::path& output,
                               const CorpusTrace& judged, const IsSkipped& is_skipped) {
  auto corpus = OpenCorpus(input, kItemBytesMax);
  if (!corpus) return base::Fail(corpus.error().message);
  Verdicts verdicts(judged, is_skipped);
  base::Status written = WriteCorpus(**corpus, input, output, verdicts);
  if (written) written = verdicts.Finish(**corpus);
  return written ? written : base::Fail(input.string() + ": " + written.error().message);
}

}  // namespace crawler

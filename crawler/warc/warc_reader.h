#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "crawler/io/gzip_file.h"
#include "crawler/warc/warc_record.h"

namespace crawler {

/// A record as it was read.
struct WarcReadRecord {
  /// Where it lies in the file: its gzip member, or its bytes where the file is not compressed. A
  /// record that does not have a member to itself has the offset of the member it begins in.
  std::uint64_t offset = 0;
  /// Of the file from `offset` on; 0 where it has no member to itself.
  std::uint64_t stored_bytes = 0;
  WarcFields fields;
  /// The fields as they stand, with the version line and the empty line.
  std::string head;
  /// The block, at most WarcReaderOptions::block_bytes_max of it.
  std::string block;
  std::uint64_t block_bytes = 0;  // of the whole block

  bool block_cut() const { return block.size() < block_bytes; }
  /// The first field of that name, whatever the case; empty where there is none.
  std::string_view Field(std::string_view name) const;
  /// The type in lower case.
  std::string Type() const;
};

/// Bounds of reading.
struct WarcReaderOptions {
  /// Bytes kept of one block; the rest is passed over.
  std::size_t block_bytes_max = std::size_t{16} << 20;
  /// Version line and fields of one record.
  std::size_t head_bytes_max = std::size_t{64} << 10;
  /// Read of the file at a time.
  std::size_t piece_bytes = GzipFile::kPieceBytes;
};

/// Reads WARC files (0.18 to 1.1) record by record, gzip or plain, of any size, and of any
/// quality: what is damaged is passed over to the next thing that looks like a record, and
/// reported.
///
///     auto reader = WarcReader::Open("crawl.warc.gz");
///     while (std::optional<WarcReadRecord> record = (*reader)->Next()) Use(*record);
///     if (!(*reader)->status()) return (*reader)->status();
///
/// A record whose Content-Length is more than there is is a fault, and so is one that runs into
/// the next member's record: it is passed over as damage is, and those behind its head are found.
/// Of a file whose records lie together in a gzip member that means going over it again, as often
/// as GzipFile does.
///
/// Promises: any file comes to an end, in time linear in its decoded bytes; memory stays within
/// the options. Thread safety: none. Cost: zlib's.
class WarcReader {
 public:
  /// What was passed over.
  struct Fault {
    std::uint64_t offset = 0;  // as in WarcReadRecord
    std::string reason;
  };

  /// Opens at `offset`, where a record begins.
  static base::Result<std::unique_ptr<WarcReader>> Open(const std::filesystem::path& path,
                                                        const WarcReaderOptions& options = {},
                                                        std::uint64_t offset = 0);

  /// The next whole record; nothing at the end, or when the file cannot be read.
  std::optional<WarcReadRecord> Next();
  /// The next record's head alone, for who wants no more of the file than that: nothing can be
  /// read afterwards. Nothing where there is none.
  std::optional<WarcReadRecord> OnlyHead();

  /// How much was passed over, and the last of it.
  std::uint64_t faults() const { return faults_; }
  const Fault& last_fault() const { return last_fault_; }
  /// Offset behind the last whole record before the first fault: where a writer can go on.
  std::uint64_t whole_bytes() const { return whole_bytes_; }

  std::uint64_t read_bytes() const { return file_->read_bytes(); }
  std::uint64_t file_bytes() const { return file_->file_bytes(); }
  const base::Status& status() const { return file_->status(); }

 private:
  // Where a gzip member begins or ends: in the decoded bytes, and in the file.
  struct Mark {
    std::uint64_t position = 0;
    std::uint64_t offset = 0;
  };

  WarcReader(std::unique_ptr<GzipFile> file, const WarcReaderOptions& options,
             std::uint64_t offset)
      : file_(std::move(file)), options_(options), begin_offset_(offset) {}

  std::string_view Unread() const { return std::string_view(buffer_).substr(begin_); }
  bool More();
  bool Have(std::size_t bytes);
  void Drop(std::size_t bytes);
  Mark MemberHere();

  bool FindRecord(bool in_fault);
  bool FindEndOfHead();
  bool MayParseAgain(std::size_t bytes);
  bool ReadHead(WarcReadRecord& record);
  bool ParseHead(WarcReadRecord& record);
  bool ReadBlock(WarcReadRecord& record);
  bool NextMemberIsRecord() const;
  bool IsLongerThanFile(const WarcReadRecord& record) const;
  void GoBack(const Mark& member, std::uint64_t position);
  bool EndRecord(const Mark& begin, std::uint64_t position, WarcReadRecord& record);
  bool Recover();
  void AddFault(std::string reason);

  const std::unique_ptr<GzipFile> file_;
  const WarcReaderOptions options_;
  const std::uint64_t begin_offset_;

  std::string buffer_;          // decoded, of positions up to position_ + Unread().size()
  std::size_t begin_ = 0;       // of what is unread in it
  std::uint64_t position_ = 0;  // of that
  std::deque<Mark> begins_;     // of the members in the buffer, and of the one before
  Mark ended_;                  // the end of a member that was come upon last
  // Positions: behind the last empty line that was found, and up to where there is none after it.
  std::uint64_t head_end_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t parsed_again_ = 0;  // bytes of heads that were none
  std::uint64_t faults_ = 0;
  Fault last_fault_;
  std::uint64_t whole_bytes_ = 0;
};

}  // namespace crawler

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace crawler {

/// Reads a file of any size from its beginning to its end; what is gzip, in one member or in many
/// (RFC 1952 section 2.2), is given decoded, anything else as it stands.
///
///     auto file = GzipFile::Open("crawl.warc.gz");
///     std::string bytes;
///     while ((*file)->Read(bytes)) Use(bytes), bytes.clear();
///     if (!(*file)->status()) return (*file)->status();
///
/// Knows where members begin and end, so that who finds one thing in each can say where it lies.
/// After damage it goes on with SkipDamage().
///
/// Promises: a file made to be gone over again and again costs no more than kTimesAgain times
/// itself and kBytesAgain on top of being read once.
/// Thread safety: none. Cost: zlib's; memory: twice the piece.
class GzipFile {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{128} << 10;
  /// Bounds of what is gone over again behind damage and by GoBack().
  static constexpr std::uint64_t kTimesAgain = 8;
  static constexpr std::uint64_t kBytesAgain = std::uint64_t{1} << 20;

  /// Opens at `offset`, which is to be the beginning of a member where it is not 0. Of the file a
  /// piece of `piece_bytes` (1 KiB and more) is read at a time: little where little is wanted.
  static base::Result<std::unique_ptr<GzipFile>> Open(const std::filesystem::path& path,
                                                      std::uint64_t offset = 0,
                                                      std::size_t piece_bytes = kPieceBytes);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  /// Appends the next bytes, at most half a piece of them, never of two members at once; none
  /// where a member ended without any. False at the end, at damage, and when the file cannot be
  /// read.
  bool Read(std::string& out);

  bool is_gzip() const { return is_gzip_; }
  /// Whether the last thing that Read() came upon was the end of a member, of which member_end()
  /// is the offset behind.
  bool member_ended() const { return member_ended_; }
  /// Offsets in the file, of what Read() gave last.
  std::uint64_t member_begin() const { return member_begin_; }
  std::uint64_t member_end() const { return member_end_; }
  /// Bytes of the file that were read, and all it had when it was opened.
  std::uint64_t read_bytes() const { return file_offset_; }
  std::uint64_t file_bytes() const { return file_bytes_; }
  /// What the system was asked for: a byte counts each time it was read.
  std::uint64_t fetched_bytes() const { return fetched_bytes_; }

  /// Why Read() could go no further, when it was no end: the bytes are not what gzip makes.
  const std::string& damage() const { return damage_; }
  /// Goes to the next place that looks like the beginning of a member, behind the beginning of the
  /// damaged one, or, where too much was gone over again already, behind the damage; false when
  /// there is none. REQUIRES: damage().
  bool SkipDamage();
  /// Goes on at `offset`, which was read before and where a member begins in a file that is gzip.
  /// False, and nothing changed, where too much was gone over again already.
  bool GoBack(std::uint64_t offset);
  /// The system's failure to read.
  const base::Status& status() const { return status_; }

 private:
  struct Inflater;  // zlib's
  GzipFile(std::filesystem::path path, base::Descriptor file, std::uint64_t offset,
           std::uint64_t bytes, std::size_t piece_bytes);
  bool Fill();
  void BeginMember();
  bool Inflate(std::string& out);
  /// Offset in the file of the first byte not yet used.
  std::uint64_t Position() const { return file_offset_ - input_.size(); }

  const std::filesystem::path path_;
  const base::Descriptor file_;
  const std::uint64_t file_bytes_;
  const std::size_t piece_bytes_;
  std::string buffer_;
  std::string_view input_;  // of buffer_, not yet used
  std::uint64_t file_offset_;
  bool at_end_ = false;  // of the file: there is no more to be asked for
  std::uint64_t fetched_bytes_ = 0;
  std::uint64_t furthest_ = 0;     // Position() that GoBack() left
  std::uint64_t again_bytes_ = 0;  // gone over again
  const std::unique_ptr<Inflater> inflater_;
  bool is_gzip_ = false;
  bool known_ = false;  // is_gzip_ is settled
  bool in_member_ = false;
  bool member_ended_ = false;
  std::uint64_t member_begin_ = 0;
  std::uint64_t member_end_ = 0;
  std::string damage_;
  base::Status status_;
};

}  // namespace crawler

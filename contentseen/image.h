#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "contentseen/digest.h"

namespace contentseen {

/// What an image may hold: values that are their bytes, without padding.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>;

/// Writes the memory of an index to a file, from where ImageReader takes it back.
///
///     ImageWriter image(path, name);
///     image.Put(std::uint64_t{entries.size()});
///     image.Put(std::span<const Entry>(entries));
///     if (auto written = image.Close(); !written) return written;
///
/// The file is a chain of blocks of up to a mebibyte, each with an XXH3-128 seeded with that of
/// the block before it; the first holds the XXH3-128 of `name`, the last is empty. So damage, a
/// lost end, and blocks of another image are noticed before a byte of them is given out, bytes
/// behind the end once it is met, and one of another name is told from a damaged one. It is in the
/// byte order of the machine, and is not synced: who finds it damaged makes the index anew.
///
/// Thread safety: one thread. Cost: a copy and the checksum, some GB/s. Memory: a block.
class ImageWriter {
 public:
  ImageWriter(const std::filesystem::path& path, std::string_view name);
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  template <Plain T>
  void Put(const T& value) {
    Append(std::as_bytes(std::span(&value, 1)));
  }
  template <Plain T>
  void Put(std::span<const T> values) {
    Append(std::as_bytes(values));
  }
  /// How many there are, and the values.
  template <Plain T>
  void PutAll(const std::vector<T>& values) {
    Put(std::uint64_t{values.size()});
    Put(std::span<const T>(values));
  }
  /// The same for memory that may be mostly zeros: a run of them takes next to nothing.
  void PutSparse(std::span<const std::byte> bytes);

  /// The end of the image. Fails when anything could not be written, with the system's reason.
  base::Status Close();
  /// After Close(): stands for all that was put, and for the name.
  std::uint64_t checksum() const { return chain_; }

 private:
  void Append(std::span<const std::byte> bytes);
  void EndBlock();

  const std::filesystem::path path_;
  const int fd_;
  std::string failure_;
  std::vector<std::byte> block_;  // with room for the head in front
  std::uint64_t chain_ = 0;
};

/// Reads what ImageWriter wrote, in the same order.
///
///     ImageReader image(path, name);
///     std::uint64_t size = 0;
///     if (!image.Take(size)) return false;
///
/// Once Take() or TakeSparse() could not give something, nothing is given any more, and failure()
/// says why.
/// Thread safety: one thread. Memory: a block.
class ImageReader {
 public:
  ImageReader(const std::filesystem::path& path, std::string_view name);
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  template <Plain T>
  bool Take(T& value) {
    return TakeBytes(std::as_writable_bytes(std::span(&value, 1)));
  }
  template <Plain T>
  bool Take(std::span<T> values) {
    return TakeBytes(std::as_writable_bytes(values));
  }
  /// What PutAll() put; false where it is more than `most`, which is no failure(): Refusal() says
  /// so then, and nothing more is to be taken. Memory is taken as the values come, not as their
  /// number says.
  template <Plain T>
  bool TakeAll(std::vector<T>& values, std::uint64_t most) {
    std::uint64_t size = 0;
    if (!Take(size) || size > most) return false;
    values.clear();
    while (values.size() < size) {
      const std::size_t before = values.size();
      values.resize(std::min<std::uint64_t>(size, before + kTakenAtOnce));
      if (!Take(std::span(values).subspan(before))) return false;
    }
    return true;
  }
  /// What PutSparse() put. REQUIRES: all zeros so far.
  bool TakeSparse(std::span<std::byte> bytes);

  /// Whether everything was taken, and the file ends there; as often as one asks.
  bool AtEnd();
  /// Once AtEnd(): that of its writer.
  std::uint64_t checksum() const { return chain_; }
  /// A sentence that names the file; empty while nothing has failed.
  const std::string& failure() const { return failure_; }
  /// What to say when something was not there, or was there and made no sense.
  tl::unexpected<base::Error> Refusal() const;

 private:
  static constexpr std::size_t kTakenAtOnce = std::size_t{1} << 16;

  void TakeName(std::string_view name);
  bool TakeBytes(std::span<std::byte> bytes);
  std::size_t Read(std::span<std::byte> bytes);
  bool NextBlock();
  bool Fail(std::string_view why);

  const std::filesystem::path path_;
  const int fd_;
  std::string failure_;
  std::vector<std::byte> block_;
  std::size_t taken_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t chain_ = 0;
  bool ended_ = false;  // the last block was met
};

}  // namespace contentseen

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// How records are written to disk: varints (seven bits a byte, low first, as in protocol buffers)
// and big-endian numbers of eight bytes, whose byte order is their numeric order.

namespace base {

inline void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// The `width` low bytes of `value`, highest first.
inline void AppendBigEndian(std::uint64_t value, std::string& out, int width = 8) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift));
  }
}

/// A varint length, then the bytes.
inline void AppendText(std::string_view text, std::string& out) {
  AppendVarint(text.size(), out);
  out.append(text);
}

/// Reads what the functions above wrote. What is not there reads as zero or empty, and from then
/// on ok() is false: a reader of a record asks once, at its end.
///
///     base::ByteReader reader(record);
///     std::uint64_t depth = reader.Varint();
///     std::string_view name = reader.Text();
///     if (!reader.AtEnd()) return std::nullopt;
///
/// Thread safety: as a value. Ownership: what it gives are views into the bytes it was given.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view next = Bytes(1);
      if (!ok_) return 0;
      const auto byte = static_cast<unsigned char>(next.front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }

  std::uint64_t BigEndian(std::size_t width = 8) {
    std::uint64_t value = 0;
    for (char c : Bytes(width)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

  std::string_view Bytes(std::size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view Text() { return Bytes(Varint()); }

  /// Whether all that was asked for was there.
  bool ok() const { return ok_; }
  /// ok(), and nothing is left.
  bool AtEnd() const { return ok_ && rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace base

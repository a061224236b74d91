#pragma once

#include <brotli/encode.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "base/check.h"

namespace tests {

/// Deflate with zlib's window bits: 31 gzip, 15 zlib, -15 raw.
inline std::string Deflate(std::string_view plain, int window_bits) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string coded(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(coded.data());
  stream.avail_out = static_cast<uInt>(coded.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  coded.resize(stream.total_out);
  deflateEnd(&stream);
  return coded;
}

inline std::string Gzip(std::string_view plain) { return Deflate(plain, 31); }

inline std::string BrotliOf(std::string_view plain) {
  std::size_t size = BrotliEncoderMaxCompressedSize(plain.size()) + 64;
  std::string coded(size, '\0');
  CHECK(BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, plain.size(),
                              reinterpret_cast<const std::uint8_t*>(plain.data()), &size,
                              reinterpret_cast<std::uint8_t*>(coded.data())) == BROTLI_TRUE);
  coded.resize(size);
  return coded;
}

}  // namespace tests

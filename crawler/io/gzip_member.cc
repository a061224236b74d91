#include "crawler/io/gzip_member.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/check.h"

namespace crawler {
namespace {

constexpr int kFast = 1;
constexpr int kLevelMax = 9;

// What isa-l works on; too large for a stack.
struct FastCompressor {
  static constexpr std::uint32_t kLevel = 2;
  isal_zstream stream;
  std::vector<std::uint8_t> tables = std::vector<std::uint8_t>(ISAL_DEF_LVL2_DEFAULT);
};

std::string FastMember(std::string_view bytes) {
  thread_local const auto kept = std::make_unique<FastCompressor>();
  isal_zstream& stream = kept->stream;
  isal_deflate_init(&stream);
  stream.level = FastCompressor::kLevel;
  stream.level_buf = kept->tables.data();
  stream.level_buf_size = static_cast<std::uint32_t>(kept->tables.size());
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  // It only reads what it does not call const.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<std::uint32_t>(bytes.size());
  constexpr std::size_t kRoom = 512;
  std::string member;
  for (std::size_t room = bytes.size() / 2 + kRoom; stream.internal_state.state != ZSTATE_END;
       room = bytes.size() / 4 + kRoom) {
    const std::size_t before = member.size();
    member.resize(before + room);
    stream.next_out = reinterpret_cast<std::uint8_t*>(member.data() + before);
    stream.avail_out = static_cast<std::uint32_t>(room);
    CHECK(isal_deflate(&stream) == COMP_OK);
    member.resize(member.size() - stream.avail_out);
  }
  return member;
}

}  // namespace

std::string GzipMember(std::string_view bytes, int level) {
  CHECK(level >= 0 && level <= kLevelMax);
  CHECK(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  if (level == kFast) return FastMember(bytes);
  struct Free {
    void operator()(libdeflate_compressor* compressor) const {
      libdeflate_free_compressor(compressor);
    }
  };
  // Some hundred KiB to be set up: kept.
  thread_local std::array<std::unique_ptr<libdeflate_compressor, Free>, kLevelMax + 1> kept;
  auto& compressor = kept[static_cast<std::size_t>(level)];
  if (compressor == nullptr) compressor.reset(libdeflate_alloc_compressor(level));
  CHECK(compressor != nullptr);
  std::string member(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  member.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(),
                                         member.data(), member.size()));
  CHECK(!member.empty());
  return member;
}

}  // namespace crawler

#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

// What is said where memory is refused. To be called in a process that ends with it (EXPECT_EXIT).
namespace tests {

/// Sanitizers end the process themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Bytes of address space in use.
inline std::uint64_t AddressSpace() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// From now on there are so many bytes of it.
inline void LimitAddressSpace(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_AS, &limit);
}

/// Calls `make`, which returns a base::Result, with ever more room above `least` bytes, until it
/// succeeds: within a gigabyte. Exits with 0 if each failure before said that memory is refused,
/// and there was one.
template <class Make>
[[noreturn]] void ExpectRefusals(std::uint64_t least, Make make) {
  constexpr std::uint64_t kRoomMax = std::uint64_t{1} << 30;
  int refused = 0;
  for (std::uint64_t room = std::uint64_t{1} << 20; room < kRoomMax; room += room / 4) {
    LimitAddressSpace(AddressSpace() + least + room);
    const auto made = make();
    LimitAddressSpace(RLIM_INFINITY);
    if (made) std::_Exit(refused > 0 ? 0 : 2);
    const std::string& why = made.error().message;
    if (why.find("memory is refused") == why.npos && why.find("address space") == why.npos) {
      std::fprintf(stderr, "with %llu: %s\n", static_cast<unsigned long long>(room), why.c_str());
      std::_Exit(1);
    }
    ++refused;
  }
  std::fputs("never made\n", stderr);
  std::_Exit(3);
}

}  // namespace tests

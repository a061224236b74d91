#pragma once

#include <cstddef>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace crawler {

/// Threads that do `work(0)`, `work(1)` ... up to `count`; fewer, perhaps none, where the system
/// has no room for more.
inline std::vector<std::thread> StartThreads(std::size_t count,
                                             const std::function<void(std::size_t)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work, threads.size());
  } catch (const std::system_error&) {
    return threads;  // those that run do the work of all
  }
  return threads;
}

}  // namespace crawler

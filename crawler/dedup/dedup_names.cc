#include "crawler/dedup/dedup_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace crawler {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

base::Status Failure() {
  return base::Fail(std::string("the temporary file of names (in $TMPDIR) fails: ") +
                    std::strerror(errno));
}

}  // namespace

base::Result<std::unique_ptr<DedupNames>> DedupNames::Create() {
  const char* folder = std::getenv("TMPDIR");
  const bool is_set = folder != nullptr && *folder != '\0';
  std::string name = std::string(is_set ? folder : "/tmp") + "/contentseen-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return base::Fail(Failure().error().message);
  ::unlink(name.c_str());
  return std::unique_ptr<DedupNames>(new DedupNames(descriptor));
}

DedupNames::~DedupNames() { ::close(descriptor_); }

base::Status DedupNames::Add(std::uint64_t number, std::string_view name) {
  begins_.emplace_back(number, written_ + unwritten_.size());
  unwritten_.append(name);
  return unwritten_.size() < kBufferBytes ? base::Status() : Flush();
}

base::Status DedupNames::Flush() {
  for (std::string_view rest = unwritten_; !rest.empty();) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failure();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  written_ += unwritten_.size();
  unwritten_.clear();
  return {};
}

base::Result<std::string> DedupNames::Find(std::uint64_t number) const {
  const auto found =
      std::lower_bound(begins_.begin(), begins_.end(), std::pair(number, std::uint64_t{0}));
  if (found == begins_.end() || found->first != number) return std::string();
  const std::uint64_t all = written_ + unwritten_.size();
  const std::uint64_t end = found + 1 == begins_.end() ? all : (found + 1)->second;
  if (found->second >= written_) {
    return unwritten_.substr(found->second - written_, end - found->second);
  }
  std::string name(end - found->second, '\0');
  for (std::size_t got = 0; got < name.size();) {
    const ssize_t count = ::pread(descriptor_, name.data() + got, name.size() - got,
                                  static_cast<off_t>(found->second + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return base::Fail(Failure().error().message);
    got += static_cast<std::size_t>(count);
  }
  return name;
}

}  // namespace crawler

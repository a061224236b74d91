#include "crawler/seeds.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace crawler {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string_view Trimmed(std::string_view line) {
  std::size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpace) - begin + 1);
}

// "example.org/path" as people write it. A scheme, once there, must be right.
std::string WithScheme(std::string_view line) {
  bool has_scheme = line.find("://") != std::string_view::npos;
  std::string_view host = line.substr(0, line.find_first_of("/?#"));
  bool bare_host = !has_scheme && host.find('.') != std::string_view::npos;
  return bare_host ? "https://" + std::string(line) : std::string(line);
}

// As much of a line as helps to recognise it.
std::string Shown(std::string_view line) {
  return line.size() <= 80 ? std::string(line) : std::string(line.substr(0, 80)) + "...";
}

base::Result<std::string> ReadWhole(const std::string& name) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rbe"),
                                                       std::fclose);
  std::string text;
  std::array<char, 65536> buffer;
  while (file != nullptr && text.size() <= kSeedFileBytesMax) {
    std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), got);
    if (got < buffer.size()) break;
  }
  if (file == nullptr || std::ferror(file.get()) != 0) {
    return base::Fail("cannot read seed file " + name + ": " + std::strerror(errno));
  }
  if (text.size() > kSeedFileBytesMax) {
    return base::Fail("seed file " + name + " is larger than " +
                      std::to_string(kSeedFileBytesMax) + " bytes: split it");
  }
  return text;
}

}  // namespace

void ParseSeeds(const std::string& name, const std::string& text, const frontier::UrlRules& rules,
                Seeds& seeds) {
  std::unordered_set<std::string> known;
  for (const frontier::Url& url : seeds.urls) known.emplace(url.text());

  std::string_view rest = text;
  if (rest.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    rest.remove_prefix(kByteOrderMark.size());
  }
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = Trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.size() > kSeedLineBytesMax) {
      seeds.bad.push_back({name, number,
                           "line longer than " + std::to_string(kSeedLineBytesMax) + " bytes",
                           Shown(line)});
      continue;
    }
    base::Result<frontier::Url> url = frontier::Url::Parse(WithScheme(line), rules);
    if (!url) {
      seeds.bad.push_back({name, number, std::move(url.error().message), Shown(line)});
    } else if (known.emplace(url->text()).second) {
      seeds.urls.push_back(std::move(*url));
    } else {
      ++seeds.duplicates;
    }
  }
}

base::Result<Seeds> ReadSeeds(const std::vector<std::string>& files,
                              const frontier::UrlRules& rules) {
  Seeds seeds;
  for (const std::string& name : files) {
    base::Result<std::string> text = ReadWhole(name);
    if (!text) return base::Fail(text.error().message);
    ParseSeeds(name, *text, rules, seeds);
  }
  return seeds;
}

}  // namespace crawler

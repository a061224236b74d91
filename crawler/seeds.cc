#include "crawler/seeds.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
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
      seeds.bad.push_back(
          {name, number, "line longer than " + std::to_string(kSeedLineBytesMax) + " bytes"});
      continue;
    }
    base::Result<frontier::Url> url = frontier::Url::Parse(WithScheme(line), rules);
    if (!url) {
      seeds.bad.push_back({name, number, std::move(url.error().message)});
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
    std::ifstream file(name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) {
      return base::Fail("cannot read seed file " + name + ": " + std::strerror(errno));
    }
    ParseSeeds(name, text, rules, seeds);
  }
  if (seeds.urls.empty()) {
    std::string why = "no usable seed URL in";
    for (const std::string& name : files) why += " " + name;
    why += ": write one URL a line, for example https://example.org/";
    for (const BadSeed& bad : seeds.bad) why += "\n  " + bad.Sentence();
    return base::Fail(std::move(why));
  }
  return seeds;
}

}  // namespace crawler

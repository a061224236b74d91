#include "crawler/crawl/seeds.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/ascii.h"
#include "crawler/io/bounded_file.h"
#include "crawler/io/utf8.h"

namespace crawler {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

// Without a comment: '#' at the beginning, or behind white space (else it begins a fragment).
std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at == 0 || kSpace.find(line[at - 1]) != kSpace.npos) {
      return base::Trim(line.substr(0, at), kSpace);
    }
  }
  return line;
}

// "https://example.org/", or with backslashes, which are slashes there: a scheme before all else,
// as no name of a file has it.
bool HasScheme(std::string_view text) {
  const std::size_t end = text.find_first_of("/\\?#");
  if (end == text.npos || end == 0 || text[end - 1] != ':') return false;
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  return end + 1 < text.size() && is_slash(text[end]) && is_slash(text[end + 1]);
}

// "example.org/path" as people write it. A scheme, once there, must be right.
std::string WithScheme(std::string_view line) {
  const std::string_view host = line.substr(0, line.find_first_of("/\\?#"));
  const std::string scheme = base::ToLower(host.substr(0, host.find(':')));
  const bool bare_host = scheme != "http" && scheme != "https" && !HasScheme(line) &&
                         host.find('.') != std::string_view::npos;
  return bare_host ? "https://" + std::string(line) : std::string(line);
}

// Takes the next line and its end (LF, CRLF, or CR alone) off `rest`.
std::string_view TakeLine(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end);
  rest.remove_prefix(rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(1, rest.size()));
  return line;
}

// As much of a line as helps to recognise it.
std::string Shown(std::string_view line) {
  return line.size() <= 80 ? std::string(line) : std::string(line.substr(0, 80)) + "...";
}

// What helps where `name`, which does not look like a URL, was read as that of a file in vain.
std::string Remedy(const std::string& name, const frontier::UrlRules& rules) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(name, ignored);
  if (std::filesystem::is_directory(name, ignored)) return ": name the files in it";
  if (is_there) return "";
  const std::string url = WithScheme(name);
  const bool names_host = url != name && frontier::Url::Parse(url, rules).has_value();
  return names_host ? "; if it is a URL, write it with its scheme: " + url
                    : "; a URL begins with https:// or http://";
}

base::Result<std::string> ReadWhole(const std::string& name, const frontier::UrlRules& rules) {
  base::Result<BoundedFile> file = ReadBoundedFile(name, kSeedFileBytesMax);
  if (!file) {
    return base::Fail("cannot read seed file " + name + ": " + file.error().message +
                      Remedy(name, rules));
  }
  if (file->cut) {
    return base::Fail("seed file " + name + " is larger than " +
                      std::to_string(kSeedFileBytesMax) + " bytes: split it");
  }
  return std::move(file->bytes);
}

}  // namespace

void ParseSeeds(const std::string& name, const std::string& text, const frontier::UrlRules& rules,
                Seeds& seeds) {
  // By their places: of many millions no text need be there twice.
  const auto hash = [&](std::size_t i) { return std::hash<frontier::Url>()(seeds.urls[i]); };
  const auto same = [&](std::size_t a, std::size_t b) { return seeds.urls[a] == seeds.urls[b]; };
  std::unordered_set<std::size_t, decltype(hash), decltype(same)> known(64, hash, same);
  for (std::size_t i = 0; i < seeds.urls.size(); ++i) known.insert(i);

  std::string_view rest = WithoutByteOrderMark(text);
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = WithoutComment(base::Trim(TakeLine(rest), kSpace));
    if (line.empty()) continue;
    if (line.size() > kSeedLineBytesMax) {
      seeds.bad.push_back({name, number,
                           "line longer than " + std::to_string(kSeedLineBytesMax) + " bytes",
                           Shown(line)});
      continue;
    }
    base::Result<frontier::Url> url = frontier::Url::Parse(WithScheme(line), rules);
    if (!url) {
      seeds.bad.push_back({name, number, std::move(url.error().message), Shown(line)});
      continue;
    }
    seeds.urls.push_back(std::move(*url));
    if (!known.insert(seeds.urls.size() - 1).second) {
      seeds.urls.pop_back();
      ++seeds.duplicates;
    }
  }
}

base::Result<Seeds> ReadSeeds(const std::vector<std::string>& names,
                              const frontier::UrlRules& rules) {
  Seeds seeds;
  std::string urls;  // a line each
  for (const std::string& name : names) {
    if (HasScheme(name)) {
      urls += name + '\n';
      continue;
    }
    base::Result<std::string> text = ReadWhole(name, rules);
    if (!text) return base::Fail(text.error().message);
    ParseSeeds(name, *text, rules, seeds);
  }
  if (!urls.empty()) ParseSeeds("command line", urls, rules, seeds);
  return seeds;
}

bool IsNamedSitemap(const frontier::Url& seed) {
  const std::string_view path = seed.path();
  const std::string name = base::ToLower(path.substr(path.rfind('/') + 1));
  return name.find("sitemap") != name.npos &&
         (name.ends_with(".xml") || name.ends_with(".xml.gz"));
}

}  // namespace crawler

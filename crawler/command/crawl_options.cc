#include "crawler/command/crawl_options.h"

#include <utility>

#include "crawler/command/command_line.h"
#include "crawler/crawl/data_directory.h"
#include "crawler/data/data_format.h"
#include "crawler/settings/crawl_settings.h"
#include "store/rocks_store.h"

namespace crawler {
namespace {

// None where the store cannot be read: opening the crawl then says why.
EarlierOptions EarlierOf(const std::string& data) {
  auto store = store::OpenRocksStoreForReading(StorePath(data));
  if (!store) return {};
  return ReadEarlierOptions(**store).value_or(EarlierOptions());
}

std::string AsBefore(const KeptOptions& kept, const GivenOptions& given) {
  Options fresh;
  const OptionTable defaults = DeclareOptions(fresh);
  std::string lines;
  for (const auto& [name, value] : kept) {
    const Option* option = defaults.Find(name);
    if (option == nullptr || given.contains(name) || TomlText(option->get()) == value) continue;
    lines.append("  ").append(name).append(" = ").append(Escaped(value)).append("\n");
  }
  return lines;
}

}  // namespace

std::optional<CrawlRunOptions> LoadCrawlOptions(const ConfigArguments& arguments, bool fresh,
                                                Terminal& terminal) {
  EarlierOptions earlier;
  const auto remember = [&earlier, fresh](const Options& options) {
    if (!fresh && DataDirectory::IsThere(options.crawl.data)) {
      earlier = EarlierOf(options.crawl.data);
    }
    return earlier.kept;
  };
  std::optional<LoadedOptions> loaded = LoadOrComplain(arguments, remember, terminal);
  if (!loaded) return std::nullopt;
  for (const std::string& name : earlier.secret) {
    if (loaded->given.contains(name)) continue;
    Complain(terminal, name + " was set when the crawl in " + loaded->options.crawl.data +
                           " ran before, and is a secret, which is not kept: give it again, or "
                           "--set " +
                           name + "= to go on without it");
    return std::nullopt;
  }
  return CrawlRunOptions{std::move(loaded->options), AsBefore(earlier.kept, loaded->given)};
}

std::optional<Options> LoadOptionsOf(const std::string& data, const ConfigArguments& arguments,
                                     Terminal& terminal) {
  const auto remember = [&data](const Options&) { return EarlierOf(data).kept; };
  std::optional<LoadedOptions> loaded = LoadOrComplain(arguments, remember, terminal);
  if (!loaded) return std::nullopt;
  return std::move(loaded->options);
}

}  // namespace crawler

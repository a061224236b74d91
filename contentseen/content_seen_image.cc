// What ContentSeen remembers, to files and back. They are read at the same time: each keeps one
// thread busy, and the disk is better used.

#include <array>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "contentseen/content_seen_state.h"
#include "contentseen/image.h"
#include "contentseen/memory_refused.h"
#include "contentseen/option_numbers.h"

namespace contentseen {
namespace {

namespace fs = std::filesystem;

// To be raised whenever an image would be misread.
constexpr std::uint64_t kFormat = 5;

constexpr const char* kBodies = "bodies";
constexpr const char* kTexts = "texts";
constexpr const char* kDetector = "detector";
constexpr std::array kParts = {kBodies, kTexts, kDetector};

/// What must be the same for an image to be used: all options that what is remembered depends on,
/// and how this machine lays numbers out.
std::string IdentityOf(const ContentSeenOptions& options, const Detector& detector,
                       std::string_view part, std::string_view name) {
  const auto layout = std::uint64_t{0x0102030405060708};
  std::string identity(reinterpret_cast<const char*>(&layout), sizeof layout);
  base::AppendVarint(kFormat, identity);
  base::AppendText(part, identity);
  base::AppendText(name, identity);
  base::AppendText(detector.name(), identity);
  base::AppendText(options.i_match.lexicon, identity);
  base::AppendVarint(options.features.key, identity);
  for (const OptionNumber& number : OptionNumbers(options)) {
    base::AppendVarint(static_cast<std::uint64_t>(number.value), identity);
  }
  return identity;
}

/// An image that is being written, beside the last one there. What has not taken its place in the
/// end is removed.
class NewImage {
 public:
  explicit NewImage(const fs::path& directory) : directory_(directory) {}
  ~NewImage() {
    std::error_code ignored;  // the next one writes over it
    for (const char* part : kParts) fs::remove(PathOf(part), ignored);
  }
  NewImage(const NewImage&) = delete;
  NewImage& operator=(const NewImage&) = delete;

  fs::path PathOf(const char* part) const { return directory_ / (std::string(part) + ".part"); }

  /// The last image is gone. (Its first file goes before, and comes as the last: there is never
  /// one of both.)
  base::Status TakePlace() const {
    std::error_code error;
    for (const char* part : kParts) {
      const fs::path target = directory_ / part;
      if (fs::is_directory(target, error)) {
        return base::Fail(target.string() +
                          ": is a folder; give the image a directory of its own");
      }
    }
    error.clear();  // of what is not there yet
    fs::remove(directory_ / kParts.front(), error);
    for (auto part = kParts.rbegin(); part != kParts.rend() && !error; ++part) {
      fs::rename(PathOf(*part), directory_ / *part, error);
    }
    if (error) return base::Fail(directory_.string() + ": " + error.message());
    return {};
  }

 private:
  const fs::path directory_;
};

}  // namespace

base::Status ContentSeen::Save(const fs::path& directory, std::string_view name) const {
  const State& state = *state_;
  base::MutexLock lock(state_->saving);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return base::Fail(directory.string() + ": cannot be made: " + error.message());
  const NewImage files(directory);
  auto save = [&](const char* part, auto write) -> base::Status {
    ImageWriter image(files.PathOf(part), IdentityOf(state.options, *state.detector, part, name));
    if (!write(image)) {
      return base::Fail("the detector " + std::string(state.detector->name()) + " keeps no image");
    }
    return image.Close();
  };
  base::Status saved =
      save(kDetector, [&state](ImageWriter& image) { return state.detector->Save(image); });
  if (!saved) return saved;
  saved = save(kBodies, [&state](ImageWriter& image) {
    state.bodies.Save(image);
    state.rejections.Save(image);
    return true;
  });
  if (!saved) return saved;
  saved = save(kTexts, [&state](ImageWriter& image) {
    state.texts.Save(image);
    return true;
  });
  return saved ? files.TakePlace() : saved;
}

base::Result<std::unique_ptr<ContentSeen>> ContentSeen::Load(const ContentSeenOptions& options,
                                                             const fs::path& directory,
                                                             std::string_view name,
                                                             std::unique_ptr<Detector> detector) {
  const auto with_detector = [&]() -> base::Result<std::unique_ptr<ContentSeen>> {
    return std::make_unique<ContentSeen>(options, std::move(detector));
  };
  auto seen = detector == nullptr
                  ? Create(options)
                  : UnlessRefusedMemory(with_detector, "ContentSeen", "expect fewer documents");
  if (!seen) return seen;
  // `read` takes a part from its image, and returns a Status.
  auto load = [&](const char* part, auto read) {
    const fs::path path = directory / part;
    const auto try_to = [&]() -> base::Status {
      ImageReader image(path, IdentityOf(options, (*seen)->detector(), part, name));
      if (base::Status taken = read(image); !taken) return taken;
      if (!image.AtEnd()) return image.Refusal();
      return {};
    };
    return UnlessRefusedMemory(try_to, path.string(), "use a machine with more");
  };
  State& to = *(*seen)->state_;
  const auto load_all = [&]() -> base::Result<std::unique_ptr<ContentSeen>> {
    // (Where no thread is to be had, they run when they are asked for.)
    auto bodies = std::async([&] {
      return load(kBodies, [&to](ImageReader& image) -> base::Status {
        if (!to.bodies.Load(image) || !to.rejections.Load(image)) return image.Refusal();
        return {};
      });
    });
    auto texts = std::async([&] {
      return load(kTexts, [&to](ImageReader& image) -> base::Status {
        if (!to.texts.Load(image)) return image.Refusal();
        return {};
      });
    });
    const base::Status signatures =
        load(kDetector, [&to](ImageReader& image) { return to.detector->Load(image); });
    for (const base::Status& loaded : {bodies.get(), texts.get(), signatures}) {
      if (!loaded) return base::Fail(loaded.error().message);
    }
    return std::move(seen);
  };
  return UnlessRefusedMemory(load_all, directory.string(), "use a machine with more");
}

}  // namespace contentseen

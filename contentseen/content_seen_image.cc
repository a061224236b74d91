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
constexpr std::uint64_t kFormat = 7;

constexpr const char* kBodies = "bodies";
constexpr const char* kTexts = "texts";
constexpr const char* kDetector = "detector";
constexpr std::array kParts = {kBodies, kTexts, kDetector};

/// What must be the same for an image to be used: all options that what is remembered depends on,
/// and how this machine lays numbers out. (Where a lexicon lies is nothing to it: the detector
/// knows which it is.)
std::string IdentityOf(const ContentSeenOptions& options, const Detector& detector,
                       std::string_view part, std::string_view name) {
  const auto layout = std::uint64_t{0x0102030405060708};
  std::string identity(reinterpret_cast<const char*>(&layout), sizeof layout);
  base::AppendVarint(kFormat, identity);
  base::AppendText(part, identity);
  base::AppendText(name, identity);
  base::AppendText(detector.name(), identity);
  base::AppendVarint(options.features.key, identity);
  for (const OptionNumber& number : OptionNumbers(options)) {
    base::AppendVarint(static_cast<std::uint64_t>(number.value), identity);
  }
  return identity;
}

/// Holds the files of one image together: each begins with the checksum of the one written before
/// it. So files of two images are noticed, but where they say the same.
struct Tie {
  std::uint64_t before = 0;
  std::uint64_t own = 0;
};

/// Takes a file of an image with `read`, which returns a Status, and gives its tie.
template <class Read>
base::Result<Tie> LoadPart(const fs::path& path, const std::string& identity, Read read) {
  const auto load = [&]() -> base::Result<Tie> {
    ImageReader image(path, identity);
    Tie tie;
    if (!image.Take(tie.before)) return image.Refusal();
    if (base::Status taken = read(image); !taken) return base::Fail(taken.error().message);
    if (!image.AtEnd()) return image.Refusal();
    tie.own = image.checksum();
    return tie;
  };
  return UnlessRefusedMemory(load, path.string(), "use a machine with more");
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
  /// one of both. Who opens the files one after another meanwhile may get some of either: see
  /// Tie.)
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
  if (directory.empty()) return base::Fail("no directory is named to save an image in");
  const State& state = *state_;
  base::MutexLock lock(state_->saving);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return base::Fail(directory.string() + ": cannot be made: " + error.message());
  const NewImage files(directory);
  std::uint64_t before = 0;
  auto save = [&](const char* part, auto write) -> base::Status {
    ImageWriter image(files.PathOf(part), IdentityOf(state.options, *state.detector, part, name));
    image.Put(before);
    if (!write(image)) {
      return base::Fail("the detector " + std::string(state.detector->name()) + " keeps no image");
    }
    base::Status closed = image.Close();
    before = image.checksum();
    return closed;
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
  State& to = *(*seen)->state_;
  auto load = [&](const char* part, auto read) {
    return LoadPart(directory / part, IdentityOf(options, *to.detector, part, name), read);
  };
  const auto load_all = [&]() -> base::Result<std::unique_ptr<ContentSeen>> {
    // (Where no thread is to be had, they run when they are asked for.)
    auto loading_bodies = std::async([&] {
      return load(kBodies, [&to](ImageReader& image) -> base::Status {
        if (!to.bodies.Load(image) || !to.rejections.Load(image)) return image.Refusal();
        return {};
      });
    });
    auto loading_texts = std::async([&] {
      return load(kTexts, [&to](ImageReader& image) -> base::Status {
        if (!to.texts.Load(image)) return image.Refusal();
        return {};
      });
    });
    const auto signatures =
        load(kDetector, [&to](ImageReader& image) { return to.detector->Load(image); });
    const auto bodies = loading_bodies.get();
    const auto texts = loading_texts.get();
    for (const auto* part : {&bodies, &texts, &signatures}) {
      if (!*part) return base::Fail(part->error().message);
    }
    if (bodies->before != signatures->own || texts->before != bodies->own) {
      return base::Fail(directory.string() +
                        ": its files are of two images, as when one is saved while they are "
                        "read or copied");
    }
    return std::move(seen);
  };
  return UnlessRefusedMemory(load_all, directory.string(), "use a machine with more");
}

}  // namespace contentseen

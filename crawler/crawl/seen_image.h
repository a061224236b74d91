#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "contentseen/content_seen.h"
#include "contentseen/document_id.h"
#include "store/store.h"

namespace crawler {

/// Where a data directory keeps the image of its ContentSeen.
inline constexpr const char* kSeenImageFolder = "seen";

/// What an image gave back. Without `seen` there is none to be used, and `complaint` says why if
/// there should be one.
struct SeenImage {
  std::unique_ptr<contentseen::ContentSeen> seen;
  /// No document after this one is in it.
  contentseen::DocumentId last = contentseen::kNoDocument;
  /// The same of the image that the store has a word for, whether it can be used now or not. No
  /// later document may have a number up to this one: who uses that image would not look for it.
  contentseen::DocumentId last_taken = contentseen::kNoDocument;
  std::string complaint;
};

/// The image that the store of `directory` vouches for. Whatever the age of that word, the
/// documents after `last` are in the store's table, and those up to it never change: so an image
/// serves also after a crash, with the rest of the table put on top.
///
///     auto image = LoadSeen(options, directory, store);
///     if (!image) return base::Fail(image.error().message);
///     if (image->seen == nullptr) ...                    // begin with an empty one
///     RestoreDocuments(store, seen, image->last, threads);
///
/// Fails when the store cannot be read. Thread safety: pure, but for files and memory.
base::Result<SeenImage> LoadSeen(const contentseen::ContentSeenOptions& options,
                                 const std::filesystem::path& directory,
                                 const store::Store& store);

/// Writes the image and then the store's word for it. REQUIRES: all that `seen` remembers is in
/// the store's table of documents, under ids up to `last`, and no page is judged meanwhile. Fails
/// with the reason; then there is no image.
base::Status SaveSeen(const contentseen::ContentSeen& seen, contentseen::DocumentId last,
                      const std::filesystem::path& directory, store::Store& store);

}  // namespace crawler

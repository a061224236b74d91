#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "contentseen/content_seen.h"
#include "contentseen/detectors/sketch.h"
#include "contentseen/digest_map.h"
#include "contentseen/in_flight.h"
#include "contentseen/text/text_pool.h"

namespace contentseen {

/// All that a ContentSeen holds: apart, so that who includes content_seen.h meets neither its
/// tables nor their locks. Thread safety: all methods, at once.
struct ContentSeen::State {
  // What is known of a body: with its rejection, if it was rejected, the verdict that its next
  // copy gets.
  struct Body {
    DocumentId first = kNoDocument;
    Fingerprint fingerprint = 0;
    std::uint32_t features = 0;
    Kind kind = Kind::kNew;
    Basis basis = Basis::kWholeText;
    bool too_short = false;
    std::uint8_t distance = 0;
  };
  // Why a body was not admitted.
  struct Rejection {
    DocumentId original = kNoDocument;
    Fingerprint original_fingerprint = 0;
    std::array<std::uint32_t, 4> evidence{};  // DocumentRecord::evidence
  };
  struct Text {
    DocumentId original = kNoDocument;
    Fingerprint fingerprint = 0;
  };

  static Body BodyOf(const DocumentRecord& record);
  static std::optional<Rejection> RejectionOf(const DocumentRecord& record);

  State(const ContentSeenOptions& the_options, std::unique_ptr<Detector> the_detector);

  Sketch SketchOf(const Submission& submission);
  std::optional<Verdict> FindExact(const Digest& body) const;
  Verdict Repeat(const Body& body, const Key128& key) const;
  Verdict Judge(const Submission& submission, const Sketch& sketch);
  void Remember(const DocumentRecord& record) noexcept;

  const ContentSeenOptions options;
  const std::unique_ptr<Detector> detector;
  base::Mutex saving;  // two would write the same files
  TextPool texts_in_work;
  InFlight in_flight;
  DigestMap<Body> bodies;
  // Of bodies not admitted; filled before `bodies`.
  DigestMap<Rejection> rejections;
  DigestMap<Text> texts;
};

}  // namespace contentseen

#include "contentseen/content_seen.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "contentseen/content_seen_state.h"
#include "contentseen/detectors/detectors.h"
#include "contentseen/memory_refused.h"
#include "contentseen/option_numbers.h"

// Why concurrent verdicts are those of a one-at-a-time order.
//
// Two calls *conflict* when their bodies or their normalised texts are equal, or their signatures
// are Similar(). The relation is symmetric and depends on the two submissions alone.
//
// (A) What a call looks at - its body among the bodies judged, its text among the admitted texts,
//     the admitted documents similar to it - was put there only by calls that conflict with it.
// (B) A call that conflicts with an earlier one (a smaller sequence number) looks only after that
//     one has inserted what it inserts. Numbers are drawn, and calls in flight looked through, in
//     one critical section; so at that moment the earlier call is either still announced, then it
//     is waited for, or has ended, and ending comes after inserting.
// (C) A call sees nothing of a later one that conflicts with it, because that one waits, by (B).
//
// By (A), (B) and (C) each call finds exactly what it would find if all calls were made one at a
// time in the order of their numbers, and Judge() depends on nothing else: among similar documents
// the nearest, of equally near ones the smallest id, which is no matter of time. Waiting is only
// for smaller numbers, so somebody can always go on. A number is drawn inside its call, so the
// order also agrees with real time.
//
// FindExact() reads one entry of `bodies`, which is the last thing that a call inserts. Calls
// that do not conflict may change places in the order without changing a verdict; with
// CheckAndInsert() taking effect at that insertion, all calls of both kinds have one order.

namespace contentseen {
namespace {

// No grouping by a body that is unknown or empty.
bool IsKey(const Digest& body) { return !body.IsNone() && !body.IsOfNothing(); }

// One that CheckAndInsert() can have made.
bool IsSound(const DocumentRecord& record, const Detector& detector) {
  const bool is_new = record.kind == Kind::kNew;
  const bool indexed = is_new && !record.too_short;
  return indexed != record.signature.empty() && record.id != kNoDocument &&
         record.kind != Kind::kExactBytes && is_new != record.text.IsNone() &&
         is_new == (record.original == kNoDocument) && record.original != record.id &&
         record.distance >= 0 && record.distance <= kFingerprintBits &&
         (!indexed || detector.Takes(record.signature));
}

// The counts of a record; what was counted is as in `measures`.
Evidence EvidenceOf(const std::array<std::uint32_t, 4>& counts, const Evidence& measures) {
  Evidence evidence;
  if (counts[1] > 0) evidence.first = {measures.first.things, counts[0], counts[1]};
  if (counts[3] > 0) evidence.second = {measures.second.things, counts[2], counts[3]};
  return evidence;
}

DocumentRecord RecordOf(const Submission& submission, const Sketch& sketch,
                        const Verdict& verdict) {
  DocumentRecord record{.id = submission.id,
                        .body = submission.body,
                        .fingerprint = verdict.fingerprint,
                        .features = verdict.features,
                        .too_short = verdict.too_short,
                        .kind = verdict.kind,
                        .basis = verdict.basis};
  if (verdict.IsNew()) {
    record.text = sketch.text_digest;
    if (!sketch.too_short) record.signature = sketch.signature;
  } else {
    record.original = verdict.original;
    record.distance = verdict.distance;
    record.original_fingerprint = verdict.original_fingerprint;
    const Evidence& e = verdict.evidence;
    record.evidence = {e.first.equal, e.first.total, e.second.equal, e.second.total};
  }
  return record;
}

}  // namespace

base::Result<std::unique_ptr<ContentSeen>> ContentSeen::Create(const ContentSeenOptions& options) {
  if (base::Status valid = Validate(options); !valid) return base::Fail(valid.error().message);
  const auto create = [&]() -> base::Result<std::unique_ptr<ContentSeen>> {
    auto detector = MakeDetector(options.detector, options);
    if (!detector) return base::Fail(std::move(detector.error().message));
    return std::make_unique<ContentSeen>(options, std::move(*detector));
  };
  return UnlessRefusedMemory(
      create,
      "ContentSeen (documents_expected is " + std::to_string(options.documents_expected) + ")",
      "expect fewer");
}

ContentSeen::ContentSeen(const ContentSeenOptions& options, std::unique_ptr<Detector> detector)
    : state_(StateOf(options, std::move(detector))) {}

// Checked before anything is made of them.
std::unique_ptr<ContentSeen::State> ContentSeen::StateOf(const ContentSeenOptions& options,
                                                         std::unique_ptr<Detector> detector) {
  CHECK(detector != nullptr && ValidateNumbers(options).has_value());
  return std::make_unique<State>(options, std::move(detector));
}

ContentSeen::~ContentSeen() = default;

const ContentSeenOptions& ContentSeen::options() const { return state_->options; }
const Detector& ContentSeen::detector() const { return *state_->detector; }

Verdict ContentSeen::CheckAndInsert(const Submission& submission, DocumentRecord* record) {
  CHECK(submission.id != kNoDocument);
  if (record != nullptr) *record = {};
  State& state = *state_;
  const Sketch sketch = state.SketchOf(submission);
  if (sketch.empty) {
    const InFlight::Call call(state.in_flight, {});
    return {.empty = true, .sequence = call.sequence()};
  }
  InFlight::Call call(state.in_flight,
                      {.body = IsKey(submission.body) ? submission.body.Key() : Key128{},
                       .text = sketch.text_digest.Key(),
                       .signature = sketch.too_short ? nullptr : &sketch.signature});
  call.WaitForEarlier();
  Verdict verdict = state.Judge(submission, sketch);
  verdict.sequence = call.sequence();
  verdict.text_digest = sketch.text_digest;
  if (verdict.same_bytes_as != kNoDocument) return verdict;  // remembered with those
  DocumentRecord judged = RecordOf(submission, sketch, verdict);
  state.Remember(judged);
  if (record != nullptr) *record = std::move(judged);
  return verdict;
}

bool ContentSeen::Restore(std::span<const DocumentRecord> records) noexcept {
  using Body = State::Body;
  using Rejection = State::Rejection;
  using Text = State::Text;
  std::vector<DigestMap<Text>::Entry> texts;
  std::vector<SignedDocument> documents;
  std::vector<DigestMap<Rejection>::Entry> rejections;
  std::vector<DigestMap<Body>::Entry> bodies;
  texts.reserve(records.size());
  documents.reserve(records.size());
  bodies.reserve(records.size());
  bool sound = true;
  for (const DocumentRecord& record : records) {
    if (!IsSound(record, *state_->detector)) {
      sound = false;
      continue;
    }
    if (record.kind == Kind::kNew) {
      texts.push_back({record.text.Key(), {record.id, record.fingerprint}});
      if (!record.too_short) documents.push_back({&record.signature, record.id});
    }
    if (!IsKey(record.body)) continue;
    if (const auto rejection = State::RejectionOf(record)) {
      rejections.push_back({record.body.Key(), *rejection});
    }
    bodies.push_back({record.body.Key(), State::BodyOf(record)});
  }
  state_->texts.InsertBatch(texts,
                            [](const Text& a, const Text& b) { return a.original < b.original; });
  state_->detector->InsertBatch(documents);
  // Each has a body of its own.
  state_->rejections.InsertBatch(rejections,
                                 [](const Rejection&, const Rejection&) { return false; });
  state_->bodies.InsertBatch(bodies, [](const Body&, const Body&) { return false; });
  return sound;
}

std::optional<Verdict> ContentSeen::FindExact(const Digest& body) const {
  return state_->FindExact(body);
}

ContentSeen::Counts ContentSeen::counts() const {
  const State& state = *state_;
  return {.documents = state.texts.size(),
          .bodies = state.bodies.size(),
          .near = state.detector->size(),
          .memory_bytes = state.bodies.memory_bytes() + state.rejections.memory_bytes() +
                          state.texts.memory_bytes() + state.detector->memory_bytes()};
}

ContentSeen::State::State(const ContentSeenOptions& the_options,
                          std::unique_ptr<Detector> the_detector)
    : options(the_options),
      detector(std::move(the_detector)),
      texts_in_work(options.features),
      in_flight(*detector),
      bodies(options.features.key, options.documents_expected),
      rejections(options.features.key),
      texts(options.features.key, options.documents_expected) {}

Sketch ContentSeen::State::SketchOf(const Submission& submission) {
  TextPool::Loan analyzed = texts_in_work.Borrow();
  analyzed->Assign(submission.text, submission.passages, submission.host, submission.title);
  return MakeSketch(*analyzed, *detector, options.features_min);
}

std::optional<Verdict> ContentSeen::State::FindExact(const Digest& body) const {
  if (!IsKey(body)) return std::nullopt;
  const std::optional<Body> known = bodies.Find(body.Key());
  if (!known) return std::nullopt;
  return Repeat(*known, body.Key());
}

Verdict ContentSeen::State::Repeat(const Body& body, const Key128& key) const {
  // The next copy of an admitted page is its exact copy; that of a rejected one shares its fate.
  Rejection rejection = {.original = body.first, .original_fingerprint = body.fingerprint};
  if (body.kind != Kind::kExactBytes) rejection = rejections.Find(key).value();
  return {.kind = body.kind,
          .too_short = body.too_short,
          .original = rejection.original,
          .distance = body.distance,
          .evidence = EvidenceOf(rejection.evidence, detector->Least()),
          .basis = body.basis,
          .fingerprint = body.fingerprint,
          .original_fingerprint = rejection.original_fingerprint,
          .same_bytes_as = body.first,
          .features = body.features};
}

// What is near teaches the detector at once, and what is new when it is remembered.
Verdict ContentSeen::State::Judge(const Submission& submission, const Sketch& sketch) {
  if (std::optional<Verdict> known = FindExact(submission.body)) return *known;
  Verdict verdict;
  verdict.too_short = sketch.too_short;
  verdict.fingerprint = sketch.fingerprint;
  verdict.features = sketch.features;
  verdict.basis = sketch.basis;
  if (const std::optional<Text> same = texts.Find(sketch.text_digest.Key())) {
    verdict.kind = Kind::kExactText;
    verdict.original = same->original;
    verdict.original_fingerprint = same->fingerprint;
  } else if (!sketch.too_short) {
    if (const std::optional<Match> match = detector->Find(sketch.signature)) {
      verdict.kind = Kind::kNear;
      verdict.original = match->original;
      verdict.distance = match->distance;
      verdict.evidence = match->evidence;
      verdict.original_fingerprint = match->original_fingerprint;
      detector->Reject(sketch.signature, *match);
    }
  }
  return verdict;
}

ContentSeen::State::Body ContentSeen::State::BodyOf(const DocumentRecord& record) {
  return {.first = record.id,
          .fingerprint = record.fingerprint,
          .features = record.features,
          .kind = record.kind == Kind::kNew ? Kind::kExactBytes : record.kind,
          .basis = record.basis,
          .too_short = record.too_short,
          .distance = static_cast<std::uint8_t>(record.distance)};
}

std::optional<ContentSeen::State::Rejection> ContentSeen::State::RejectionOf(
    const DocumentRecord& record) {
  if (record.kind == Kind::kNew) return std::nullopt;
  return Rejection{record.original, record.original_fingerprint, record.evidence};
}

void ContentSeen::State::Remember(const DocumentRecord& record) noexcept {
  if (record.kind == Kind::kNew) {
    texts.Insert(record.text.Key(), {record.id, record.fingerprint});
    if (!record.too_short) detector->Insert(record.signature, record.id);
  }
  if (!IsKey(record.body)) return;
  if (const auto rejection = RejectionOf(record)) {
    rejections.Insert(record.body.Key(), *rejection);
  }
  bodies.Insert(record.body.Key(), BodyOf(record));
}

}  // namespace contentseen

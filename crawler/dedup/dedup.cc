#include "crawler/dedup/dedup.h"

#include <deque>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/random_seed.h"
#include "crawler/crawl/start_threads.h"

namespace crawler {
namespace {

constexpr std::size_t kItemsPerThread = 16;
constexpr std::size_t kWindowBytesMax = std::size_t{256} << 20;

std::size_t BytesOf(const CorpusItem& item) {
  return item.bytes.size() + item.record.block.size();
}

std::size_t BytesOf(const DedupDocument& document) {
  std::size_t bytes = document.page.text.size();
  for (const parser::Link& link : document.page.links) bytes += sizeof link + link.href.size();
  return bytes;
}

contentseen::Key128 KeyOf(std::string_view payload) {
  std::string label = base::ToLower(payload);
  if (label.starts_with("sha-1:")) label.erase(3, 1);
  return contentseen::Sha256(label).Key();
}

}  // namespace

/// The items between being read and being judged, in their order; read by many threads.
///
/// Thread safety: all methods; Add() from one thread, TakeFirst() from one.
class Dedup::Window {
 public:
  struct Slot {
    CorpusItem item;
    DedupDocument document;
    std::size_t bytes = 0;  // of both
    bool done = false;
  };

  explicit Window(std::size_t items_max) : items_max_(items_max) {}

  /// Waits for room. False when nobody will take anything any more.
  bool Add(CorpusItem item) EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (!stopped_ && !slots_.empty() &&
           (slots_.size() >= items_max_ || bytes_ >= kWindowBytesMax)) {
      changed_.Wait(mutex_);
    }
    if (stopped_) return false;
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->bytes = BytesOf(item);
    bytes_ += slots_.back()->bytes;
    slots_.back()->item = std::move(item);
    unread_.push_back(slots_.back().get());
    changed_.NotifyAll();
    return true;
  }
  /// Nothing more will be added.
  void Close() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    closed_ = true;
    changed_.NotifyAll();
  }
  void Stop() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  /// The next slot that nobody reads yet; null at the end. Done(slot) is to follow.
  Slot* NextUnread() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    while (!stopped_ && unread_.empty() && !closed_) changed_.Wait(mutex_);
    if (stopped_ || unread_.empty()) return nullptr;
    Slot* slot = unread_.front();
    unread_.pop_front();
    return slot;
  }
  /// What was read is what is held from now on.
  void Done(Slot& slot) EXCLUDES(mutex_) {
    std::string().swap(slot.item.bytes);  // an assigned {} would keep its memory
    slot.item.record = {};
    const std::size_t bytes = BytesOf(slot.document);
    base::MutexLock lock(mutex_);
    bytes_ = bytes_ - slot.bytes + bytes;
    slot.bytes = bytes;
    slot.done = true;
    changed_.NotifyAll();
  }
  /// Waits for the first slot to be done; null at the end.
  std::unique_ptr<Slot> TakeFirst() EXCLUDES(mutex_) {
    base::MutexLock lock(mutex_);
    for (;;) {
      if (!slots_.empty() && slots_.front()->done) break;
      if (slots_.empty() && closed_) return nullptr;
      changed_.Wait(mutex_);
    }
    std::unique_ptr<Slot> first = std::move(slots_.front());
    slots_.pop_front();
    bytes_ -= first->bytes;
    changed_.NotifyAll();
    return first;
  }

 private:
  const std::size_t items_max_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<std::unique_ptr<Slot>> slots_ GUARDED_BY(mutex_);
  std::deque<Slot*> unread_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

Dedup::Dedup(contentseen::ContentSeen& seen, const DedupReading& reading, std::uint32_t threads)
    : seen_(seen), reading_(reading), threads_(threads), payloads_(base::RandomSeed()) {
  CHECK(threads > 0);
}

base::Status Dedup::Run(Corpus& corpus, const Found& found) {
  trace_ = {};
  unread_lines_ = {};
  const base::Status status = TakeAll(corpus, found);
  trace_.bytes = corpus.all_bytes();
  return status ? corpus.status() : status;
}

// While others read and parse, which is over when it returns.
base::Status Dedup::TakeAll(Corpus& corpus, const Found& found) {
  Window window(kItemsPerThread * threads_);
  std::vector<std::thread> threads = StartThreads(1 + threads_, [&](std::size_t i) {
    if (i == 0) {
      AddAll(corpus, window);
    } else {
      ParseAll(window);
    }
  });
  // Told to end and waited for on every way out.
  const struct Ending {
    Window& window;
    std::vector<std::thread>& threads;
    ~Ending() {
      window.Stop();
      for (std::thread& thread : threads) thread.join();
    }
  } ending{window, threads};
  base::Status status;
  if (threads.size() < 2) status = base::Fail("the system starts no thread to read documents");
  while (status) {
    std::unique_ptr<Window::Slot> slot = window.TakeFirst();
    if (!slot) break;
    status = Take(slot->item, slot->document, found);
  }
  return status;
}

void Dedup::AddAll(Corpus& corpus, Window& window) {
  while (std::optional<CorpusItem> item = corpus.Next()) {
    item->read_bytes = corpus.read_bytes();
    if (item->is_document && !window.Add(std::move(*item))) break;
  }
  window.Close();
}

void Dedup::ParseAll(Window& window) {
  DedupReader reader(reading_, seen_);
  while (Window::Slot* slot = window.NextUnread()) {
    slot->document = reader.Read(slot->item);
    window.Done(*slot);
  }
}

base::Status Dedup::Take(const CorpusItem& item, DedupDocument& document, const Found& found) {
  ++counts_.documents;
  trace_.Add(item);
  skipped_.push_back(false);
  if (document.payload_wrong) ++counts_.wrong_digests;
  if (!document.damage.empty() && unread_lines_.count++ == 0) {
    unread_lines_.first = "line " + std::to_string(item.place) + " " + document.damage;
  }
  DedupVerdict result;
  result.number = counts_.documents;
  result.place = item.place;
  result.read_bytes = item.read_bytes;
  result.name = document.name;
  // Whether it was parsed depends on what the threads had judged by then; its verdict must not.
  if (document.why_not == kNoindex && !document.body.IsNone()) {
    document.known = seen_.FindExact(document.body).has_value();
    if (document.known) document.why_not = {};
  }
  if (document.why_not.empty()) document.why_not = Judge(document, result);
  if (!document.why_not.empty()) {
    ++counts_.not_judged[std::string(document.why_not)];
    return {};
  }
  Count(result.verdict);
  if (result.verdict.empty) return {};
  skipped_.back() = !result.verdict.IsNew();
  return found(result);
}

bool Dedup::IsSkipped(std::uint64_t number) const {
  CHECK(number < skipped_.size());
  return skipped_[number];
}

// Fills in the verdict, or says why there is none.
std::string_view Dedup::Judge(DedupDocument& document, DedupVerdict& result) {
  if (document.is_revisit) {
    const auto body = payloads_.Find(KeyOf(document.payload));
    if (!body) return "revisit without its original";
    document.body = *body;
  }
  result.body = document.body;
  if (document.known || document.is_revisit) {
    const auto known = seen_.FindExact(document.body);
    result.verdict.empty = !known;  // only an empty page is judged and not remembered
    if (known) result.verdict = *known;
  } else {
    result.verdict = seen_.CheckAndInsert(
        submission_.Make(result.number, document.body, document.page, document.host));
  }
  if (!document.payload.empty()) payloads_.Insert(KeyOf(document.payload), document.body);
  return {};
}

void Dedup::Count(const contentseen::Verdict& verdict) {
  switch (verdict.kind) {
    case contentseen::Kind::kNew:
      ++(verdict.empty ? counts_.empty : counts_.kept);
      return;
    case contentseen::Kind::kExactBytes:
      ++counts_.exact_bytes;
      return;
    case contentseen::Kind::kExactText:
      ++counts_.exact_text;
      return;
    case contentseen::Kind::kNear:
      ++counts_.near;
      return;
  }
}

}  // namespace crawler

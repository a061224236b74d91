#include "parser/html_tree.h"

#include <dlfcn.h>
#include <gumbo.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/check.h"
#include "parser/elements.h"
#include "parser/tag_reader.h"

namespace parser {
namespace {

std::int64_t ThreadCpuNanoseconds() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

const GumboNode* ChildAt(const GumboVector& children, std::size_t index) {
  return static_cast<const GumboNode*>(children.data[index]);
}

bool IsElement(const GumboNode* node) {
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

/// Did Gumbo open a formatting element again here? There may be thousands of one.
bool IsCopy(const GumboNode* node) {
  return (node->parse_flags & (GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT |
                               GUMBO_INSERTION_ADOPTION_AGENCY_CLONED)) != 0;
}

/// The traits of Gumbo's own tags, by its number.
const ElementTraits& TraitsOfTag(GumboTag tag) {
  static const auto kTable = [] {
    std::array<const ElementTraits*, GUMBO_TAG_LAST + 1> table{};
    for (int i = 0; i <= GUMBO_TAG_LAST; ++i) {
      table[static_cast<std::size_t>(i)] =
          &TraitsOf(std::string_view(gumbo_normalized_tagname(static_cast<GumboTag>(i))));
    }
    return table;
  }();
  return *kTable[static_cast<std::size_t>(tag)];
}

/// In SVG and MathML some names mean something else than in HTML.
const ElementTraits& AsForeign(const ElementTraits& traits) {
  switch (traits.element) {
    case Element::kDefs:
    case Element::kDesc:
    case Element::kMetadata:
    case Element::kSymbol:
      return TraitsOf(Element::kTemplate);  // nothing in it counts
    case Element::kText:
      return TraitsOf(Element::kDiv);  // a block of text
    default:
      return traits;
  }
}

const ElementTraits& TraitsOfNode(const GumboElement& element) {
  const ElementTraits* traits = &TraitsOfTag(element.tag);
  if (element.tag == GUMBO_TAG_UNKNOWN && element.original_tag.length > 0) {
    // (Gumbo's own reading of the name ends at a vertical tab, the standard's does not.)
    const std::string_view tag(element.original_tag.data, element.original_tag.length);
    traits = &TraitsOf(TagReader(tag, 0).name());
  }
  return element.tag_namespace == GUMBO_NAMESPACE_HTML ? *traits : AsForeign(*traits);
}

void ReadAttributes(const GumboElement& element, const TextReferences& references,
                    AttributeSet* out) {
  out->Clear();
  for (unsigned i = 0; i < element.attributes.length; ++i) {
    const auto* attribute = static_cast<const GumboAttribute*>(element.attributes.data[i]);
    if (attribute->name[0] == '\0') continue;
    // Gumbo calls xlink:role "role"; of such names only a link is read.
    const bool foreign = attribute->attr_namespace != GUMBO_ATTR_NAMESPACE_NONE;
    if (foreign && std::strcmp(attribute->name, "href") != 0) continue;
    if (const auto known = AttributeNamed(attribute->name)) {
      out->Add(*known, references.Resolve(attribute->value));
    }
  }
}

/// All text directly in `element`, which for <title> is all there is.
std::string TextIn(const GumboElement& element, const TextReferences& references) {
  std::string text;
  for (unsigned i = 0; i < element.children.length; ++i) {
    const GumboNode* child = ChildAt(element.children, i);
    if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_WHITESPACE) {
      references.ForEachPiece(child->v.text.text,
                              [&text](std::string_view piece) { text += piece; });
    }
  }
  return text;
}

}  // namespace

/// Memory for one tree: a bump pointer over reserved address space. Freeing gives back the newest
/// block only, which is what Gumbo's growing buffers free.
class HtmlTree::Arena {
 public:
  explicit Arena(std::size_t capacity) {
    void* memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;  // an arena of nothing: every page goes to the fallback
    base_ = static_cast<char*>(memory);
    capacity_ = capacity;
  }
  ~Arena() {
    if (base_ != nullptr) munmap(base_, capacity_);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Drops everything; what comes next may use the CPU for `cpu_nanoseconds`.
  void Reset(std::int64_t cpu_nanoseconds) {
    constexpr std::size_t kKeptBytes = std::size_t{8} << 20;
    if (peak_ > kKeptBytes) {
      // Give the memory of an unusual page back.
      madvise(base_ + kKeptBytes, peak_ - kKeptBytes, MADV_DONTNEED);
    }
    used_ = peak_ = newest_ = 0;
    calls_ = 0;
    deadline_ = ThreadCpuNanoseconds() + cpu_nanoseconds;
    look_from_ = Now() + cpu_nanoseconds;
    over_ = FallbackReason::kNone;
  }

  static void* Allocate(void* self, std::size_t size) {
    return static_cast<Arena*>(self)->Take(size);
  }
  static void Free(void* self, void* block) {
    if (block != nullptr) static_cast<Arena*>(self)->GiveBack(static_cast<char*>(block));
  }

  [[noreturn]] void Leave(FallbackReason reason) {
    over_ = reason;
    building = nullptr;
    std::longjmp(exit_, 1);  // only frames of Gumbo, which is C, lie between
  }

  /// The arena of the tree that this thread is building.
  static thread_local Arena* building;

  std::jmp_buf& exit() { return exit_; }
  FallbackReason over() const { return over_; }
  std::size_t peak() const { return peak_; }

 private:
  static std::int64_t Now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  /// A thread's CPU time cannot go faster than time itself: its clock, which only the kernel can
  /// read, is looked at when as much time has passed as was left.
  void LookAtTheClock() {
    const std::int64_t now = Now();
    if (now < look_from_) return;
    const std::int64_t left = deadline_ - ThreadCpuNanoseconds();
    if (left <= 0) Leave(FallbackReason::kTime);
    look_from_ = now + left;
  }

  void* Take(std::size_t size) {
    // Looks are seldom for the common page's sake (40 ns each), and often enough for text deep in
    // the tree, where what the prefilter puts between its pieces takes some calls each.
    constexpr unsigned kCallsPerLook = 64;
    if (calls_++ % kCallsPerLook == 0) LookAtTheClock();
    constexpr std::size_t kAlignment = 16;
    const std::size_t rounded = (size + kAlignment - 1) & ~(kAlignment - 1);
    if (rounded < size || rounded > capacity_ - used_) Leave(FallbackReason::kMemory);
    newest_ = used_;
    used_ += rounded;
    if (used_ > peak_) peak_ = used_;
    return base_ + newest_;
  }

  void GiveBack(const char* block) {
    if (block == base_ + newest_ && newest_ < used_) used_ = newest_;
  }

  char* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::size_t newest_ = 0;
  unsigned calls_ = 0;
  std::int64_t deadline_ = 0;
  std::int64_t look_from_ = 0;
  FallbackReason over_ = FallbackReason::kNone;
  std::jmp_buf exit_;
};

thread_local HtmlTree::Arena* HtmlTree::Arena::building = nullptr;

struct HtmlTree::Output {
  const GumboOutput* tree = nullptr;
};

HtmlTree::HtmlTree(std::size_t memory_bytes_max)
    : arena_(std::make_unique<Arena>(memory_bytes_max)), output_(std::make_unique<Output>()) {}

HtmlTree::~HtmlTree() = default;

std::size_t HtmlTree::bytes() const { return arena_->peak(); }

// No local object here may have a destructor, nor be changed after setjmp: longjmp returns into
// this frame.
FallbackReason HtmlTree::Build(std::string_view html, std::chrono::microseconds cpu_time_max) {
  output_->tree = nullptr;
  arena_->Reset(std::chrono::nanoseconds(cpu_time_max).count());
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = Arena::Allocate;
  options.deallocator = Arena::Free;
  options.userdata = arena_.get();
  options.max_errors = 0;
  if (setjmp(arena_->exit()) != 0) return arena_->over();
  Arena::building = arena_.get();
  output_->tree = gumbo_parse_with_options(&options, html.data(), html.size());
  Arena::building = nullptr;
  return FallbackReason::kNone;
}

void HtmlTree::LeaveFailedParse() {
  if (Arena::building != nullptr) Arena::building->Leave(FallbackReason::kFault);
}

void HtmlTree::Walk(const TextReferences& references, DocumentBuilder* builder) const {
  CHECK(output_->tree != nullptr);
  const GumboNode* const root = output_->tree->root;
  AttributeSet attributes;
  const GumboNode* node = root;
  for (;;) {
    const GumboNode* down = nullptr;
    if (IsElement(node)) {
      const GumboElement& element = node->v.element;
      ReadAttributes(element, references, &attributes);
      const ElementTraits& traits = TraitsOfNode(element);
      if (traits.element == Element::kTitle && element.tag_namespace == GUMBO_NAMESPACE_HTML &&
          !builder->Skipping()) {
        builder->Title(TextIn(element, references));
      }
      builder->Enter(traits, attributes, IsCopy(node));
      if (element.children.length > 0 && !builder->Skipping()) down = ChildAt(element.children, 0);
    } else if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA ||
               node->type == GUMBO_NODE_WHITESPACE) {
      references.ForEachPiece(node->v.text.text,
                              [builder](std::string_view piece) { builder->Text(piece); });
    }
    if (down != nullptr) {
      node = down;
      continue;
    }
    for (;;) {  // to the next node that has not been visited
      if (IsElement(node)) builder->Leave();
      if (node == root) return;
      const GumboVector& siblings = node->parent->v.element.children;
      const std::size_t next = node->index_within_parent + 1;
      if (next < siblings.length) {
        node = ChildAt(siblings, next);
        break;
      }
      node = node->parent;
    }
  }
}

}  // namespace parser

/// What assert() calls when it fails, in the place of the C library's.
extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file, unsigned line,
                                           const char* function) noexcept {
  parser::HtmlTree::LeaveFailedParse();
  using AssertFail = void (*)(const char*, const char*, unsigned, const char*);
  const auto its_own = reinterpret_cast<AssertFail>(dlsym(RTLD_NEXT, "__assert_fail"));
  if (its_own != nullptr) its_own(assertion, file, line, function);
  std::abort();
}

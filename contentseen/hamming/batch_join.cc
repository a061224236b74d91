#include "contentseen/hamming/batch_join.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/hex.h"
#include "contentseen/hamming/hamming_scan.h"
#include "contentseen/memory_refused.h"

namespace contentseen {
namespace {

namespace fs = std::filesystem;

// Fingerprints read from a file at a time: what JoinTable likes best.
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr unsigned kTableRadiusMax = 3;
constexpr unsigned kRadiusMax = 10;
constexpr unsigned kSlots = HammingJoinLine::kSlots;

bool IsText(const std::string& path, FingerprintFormat format) {
  return (format == FingerprintFormat::kByName ? FormatByName(path) : format) ==
         FingerprintFormat::kHex;
}

base::Status SystemFailure(const std::string& doing, const std::string& path) {
  return base::Fail("cannot " + doing + " " + path + ": " + std::strerror(errno));
}

// As of text whose name does not say that it is some: from a pipe, for one.
bool LooksLikeText(std::span<const unsigned char> bytes) {
  constexpr std::size_t kDigits = 16;
  const auto is_digit = [](unsigned char c) { return base::HexValue(static_cast<char>(c)) >= 0; };
  return bytes.size() > kDigits && std::ranges::all_of(bytes.first(kDigits), is_digit) &&
         (bytes[kDigits] == '\n' || bytes[kDigits] == '\r');
}

// Whether more is to be read.
using TakePiece = std::function<bool(std::span<const Fingerprint>)>;

base::Status ReadText(const std::string& path, std::ifstream& file, const TakePiece& take) {
  std::vector<Fingerprint> piece;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    auto fingerprint = ParseFingerprint(line);
    if (!fingerprint) {
      return base::Fail(path + ":" + std::to_string(number) +
                        ": not a fingerprint: write 16 hex digits a line");
    }
    piece.push_back(*fingerprint);
    if (piece.size() < kPiece) continue;
    if (!take(piece)) return {};
    piece.clear();
  }
  if (file.bad()) return SystemFailure("read", path);
  take(piece);
  return {};
}

base::Status ReadBinary(const std::string& path, FingerprintFormat format, std::ifstream& file,
                        const TakePiece& take) {
  std::vector<unsigned char> bytes(kPiece * sizeof(Fingerprint));
  std::vector<Fingerprint> piece;
  for (bool first = true; file; first = false) {
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    auto got = static_cast<std::size_t>(file.gcount());
    if (file.bad()) return SystemFailure("read", path);
    if (first && format == FingerprintFormat::kByName &&
        LooksLikeText(std::span(bytes).first(got))) {
      return base::Fail(path +
                        " begins as text does, but is read as binary: give text a name that ends "
                        "in .hex or .txt");
    }
    if (got % sizeof(Fingerprint) != 0) {
      return base::Fail(path +
                        " ends in the middle of a fingerprint: its size is no multiple of 8");
    }
    piece.resize(got / sizeof(Fingerprint));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      Fingerprint x = 0;
      for (unsigned b = 0; b < sizeof x; ++b) {
        x |= Fingerprint{bytes[sizeof x * i + b]} << (8 * b);
      }
      piece[i] = x;
    }
    if (!take(piece)) return {};
  }
  return {};
}

base::Status ReadPieces(const std::string& path, FingerprintFormat format, const TakePiece& take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return SystemFailure("open", path);
  return IsText(path, format) ? ReadText(path, file, take) : ReadBinary(path, format, file, take);
}

// Pairs as text or bytes, given on when there are some.
class PairWriter {
 public:
  PairWriter(const JoinSink& put, bool text) : put_(put), text_(text) {}
  // Whether more is wanted.
  bool Put(Fingerprint existing, Fingerprint query) {
    ++pairs_;
    if (text_) {
      pieces_ += FormatFingerprint(existing) + ' ' + FormatFingerprint(query) + '\n';
    } else {
      for (Fingerprint x : {existing, query}) {
        for (unsigned b = 0; b < sizeof x; ++b) pieces_ += static_cast<char>(x >> (8 * b));
      }
    }
    if (pieces_.size() >= kGivenAtOnce) Flush();
    return more_;
  }
  void Flush() {
    if (more_ && !pieces_.empty()) more_ = put_(pieces_);
    pieces_.clear();
  }
  bool more() const { return more_; }
  std::uint64_t pairs() const { return pairs_; }

 private:
  static constexpr std::size_t kGivenAtOnce = std::size_t{1} << 16;

  const JoinSink& put_;
  const bool text_;
  std::string pieces_;
  bool more_ = true;
  std::uint64_t pairs_ = 0;
};

}  // namespace

base::Result<JoinTable> JoinTable::Create(std::span<const Fingerprint> queries, unsigned k,
                                          HammingKernel kernel) {
  CHECK(k <= kTableRadiusMax);
  const auto create = [&]() -> base::Result<JoinTable> {
    std::vector<Fingerprint> distinct(queries.begin(), queries.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    CHECK(distinct.size() < std::uint64_t{1} << 32);
    std::size_t bytes =
        kBlocks * (kValues * sizeof(HammingJoinLine) + distinct.size() * sizeof(Fingerprint));
    auto memory = ReservedMemory::Reserve(bytes, true);
    if (!memory) return base::Fail(memory.error().message);
    return JoinTable(distinct, k, ChooseHammingKernels(kernel), std::move(*memory));
  };
  return UnlessRefusedMemory(create, std::to_string(queries.size()) + " queries",
                             "ask fewer at a time");
}

JoinTable::JoinTable(std::span<const Fingerprint> distinct, unsigned k,
                     const HammingKernels& kernels, ReservedMemory memory)
    : k_(k), kernels_(&kernels), memory_(std::move(memory)) {
  auto* lines = reinterpret_cast<HammingJoinLine*>(memory_.data());
  auto* lists = reinterpret_cast<Fingerprint*>(lines + std::size_t{kBlocks} * kValues);
  for (unsigned b = 0; b < kBlocks; ++b) {
    lines_[b] = lines + std::size_t{b} * kValues;
    lists_[b] = {lists + b * distinct.size(), distinct.size()};
    starts_[b].assign(kValues + 1, 0);
    for (Fingerprint x : distinct) ++starts_[b][Block(x, b) + 1U];
    for (unsigned v = 0; v < kValues; ++v) starts_[b][v + 1] += starts_[b][v];
    std::vector<std::uint32_t> at(starts_[b].begin(), starts_[b].end() - 1);
    for (Fingerprint x : distinct) lists_[b][at[Block(x, b)]++] = x;
    for (unsigned v = 0; v < kValues; ++v) {
      HammingJoinLine& line = lines_[b][v];
      std::uint32_t count = starts_[b][v + 1] - starts_[b][v];
      line.full = count > kSlots ? 1 : 0;
      for (unsigned i = 0; i < std::min<std::uint32_t>(count, kSlots); ++i) {
        Fingerprint query = lists_[b][starts_[b][v] + i];
        line.next[i] = Block(query, b + 1);
        line.after[i] = Block(query, b + 2);
      }
    }
  }
}

bool JoinTable::IsPair(Fingerprint existing, Fingerprint query, unsigned b) const {
  Fingerprint differing = existing ^ query;
  if (static_cast<unsigned>(std::popcount(differing)) > k_) return false;
  for (unsigned before = 0; before < b; ++before) {
    if (Block(differing, before) == 0) return false;
  }
  return true;
}

// Where each piece begins when the batch is ordered by each of the blocks.
void JoinTable::CountPieces(std::span<const Fingerprint> batch, Workplace& work) {
  for (auto& start : work.start) std::fill(std::begin(start), std::end(start), 0);
  for (Fingerprint x : batch) {
    for (unsigned b = 0; b < kBlocks; ++b) ++work.start[b][PieceOf(x, b) + 1];
  }
  for (auto& start : work.start) {
    for (unsigned p = 0; p < kPieces; ++p) start[p + 1] += start[p];
  }
}

bool JoinTable::VisitPiece(unsigned b, std::span<const Fingerprint> piece, Workplace& work,
                           void* context, Visitor visit) const {
  std::size_t near =
      kernels_->near_blocks(lines_[b], piece.data(), piece.size(), b, k_, work.near.data());
  for (std::size_t n = 0; n < near; ++n) {
    Fingerprint x = piece[work.near[n]];
    const Fingerprint* end = lists_[b].data() + starts_[b][Block(x, b) + 1U];
    for (const Fingerprint* query = lists_[b].data() + starts_[b][Block(x, b)]; query != end;
         ++query) {
      query += kernels_->scan_words(query, static_cast<std::uint64_t>(end - query), x, k_);
      if (query == end) break;
      if (IsPair(x, *query, b) && !visit(context, x, *query)) return false;
    }
  }
  return true;
}

void JoinTable::VisitPairs(std::span<const Fingerprint> existing, void* context,
                           Visitor visit) const {
  Workplace work;
  std::size_t most = std::min(existing.size(), kBatch);
  auto memory = ReservedMemory::Reserve(most * sizeof(Fingerprint), true);
  if (!memory) throw std::bad_alloc();  // as what is made below would
  work.memory = std::move(*memory);
  work.ordered = {reinterpret_cast<Fingerprint*>(work.memory.data()), most};
  work.near.resize(most);
  for (std::size_t done = 0; done < existing.size(); done += kBatch) {
    auto batch = existing.subspan(done, std::min(kBatch, existing.size() - done));
    CountPieces(batch, work);
    for (unsigned b = 0; b < kBlocks; ++b) {
      std::array<std::size_t, kPieces> at;
      std::copy_n(work.start[b], kPieces, at.begin());
      for (Fingerprint x : batch) work.ordered[at[PieceOf(x, b)]++] = x;
      for (unsigned p = 0; p < kPieces; ++p) {
        std::size_t begin = work.start[b][p];
        auto piece = work.ordered.subspan(begin, work.start[b][p + 1] - begin);
        if (!VisitPiece(b, piece, work, context, visit)) return;
      }
    }
  }
}

FingerprintFormat FormatByName(std::string_view path) {
  const bool text = path.ends_with(".hex") || path.ends_with(".txt");
  return text ? FingerprintFormat::kHex : FingerprintFormat::kBinary;
}

base::Status ReadFingerprints(const std::string& path, FingerprintFormat format,
                              const std::function<void(std::span<const Fingerprint>)>& take) {
  return ReadPieces(path, format, [&take](std::span<const Fingerprint> piece) {
    take(piece);
    return true;
  });
}

namespace {

// The different ones, in order.
base::Result<std::vector<Fingerprint>> ReadQueries(const std::string& path,
                                                   FingerprintFormat format) {
  std::vector<Fingerprint> all;
  base::Status read = ReadFingerprints(
      path, format, [&](auto piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  if (!read) return base::Fail(read.error().message);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

base::Result<JoinTotals> Join(const std::string& existing, std::span<const Fingerprint> all,
                              const JoinSink& put, bool text, const JoinOptions& options) {
  JoinTotals totals;
  totals.queries = all.size();
  PairWriter writer(put, text);
  std::span<const Fingerprint> left = all;
  do {
    auto some = left.first(std::min<std::size_t>(left.size(), options.queries_at_a_time));
    left = left.subspan(some.size());
    const auto write = [&](Fingerprint x, Fingerprint query) { return writer.Put(x, query); };
    std::optional<JoinTable> table;
    std::unique_ptr<HammingIndex> index;
    if (options.k <= kTableRadiusMax) {
      auto made = JoinTable::Create(some, options.k);
      if (!made) return base::Fail(made.error().message);
      table = std::move(*made);
    } else {
      auto made = HammingIndex::Of(some, {.k = options.k});
      if (!made) return base::Fail(made.error().message);
      index = std::move(*made);
    }
    totals.existing = 0;
    const auto join = [&](std::span<const Fingerprint> piece) {
      totals.existing += piece.size();
      if (table) {
        table->ForEachPair(piece, write);
        return writer.more();
      }
      for (Fingerprint x : piece) {
        index->ForEachWithin(x, [&](Fingerprint query) { return write(x, query); });
        if (!writer.more()) break;
      }
      return writer.more();
    };
    base::Status read = ReadPieces(existing, options.existing, join);
    if (!read) return base::Fail(read.error().message);
  } while (!left.empty() && writer.more());
  writer.Flush();
  totals.pairs = writer.pairs();
  return totals;
}

// Whether writing the file would destroy the other. (Terminals and pipes are no files.)
bool IsSameFile(const std::string& output, const std::string& input) {
  std::error_code error;
  return fs::is_regular_file(output, error) && fs::equivalent(output, input, error);
}

base::Result<JoinTotals> JoinIntoFile(const std::string& existing, const std::string& queries,
                                      const std::string& output, const JoinOptions& options) {
  for (const std::string& input : {existing, queries}) {
    if (IsSameFile(output, input)) return base::Fail(output + " is read: name another output");
  }
  const auto all = ReadQueries(queries, options.queries);
  if (!all) return base::Fail(all.error().message);
  std::ofstream file(output, std::ios::binary);
  if (!file) return base::Fail(SystemFailure("write", output).error().message);
  const JoinSink put = [&file](std::string_view pairs) {
    return static_cast<bool>(file.write(pairs.data(), static_cast<std::streamsize>(pairs.size())));
  };
  auto totals = Join(existing, *all, put, IsText(output, options.output), options);
  if (!totals) return totals;
  file.close();
  if (!file) return base::Fail(SystemFailure("write", output).error().message);
  return totals;
}

template <class Call>
base::Result<JoinTotals> Unrefused(const std::string& queries, const JoinOptions& options,
                                   Call join) {
  if (options.k > kRadiusMax) return base::Fail("k must be from 0 to 10");
  if (options.queries_at_a_time == 0) return base::Fail("queries_at_a_time must be 1 or more");
  return UnlessRefusedMemory(join, "the queries of " + queries, "join a part of them");
}

}  // namespace

base::Result<JoinTotals> JoinFiles(const std::string& existing, const std::string& queries,
                                   const std::string& output, const JoinOptions& options) {
  return Unrefused(queries, options,
                   [&] { return JoinIntoFile(existing, queries, output, options); });
}

base::Result<JoinTotals> JoinFiles(const std::string& existing, const std::string& queries,
                                   const JoinSink& put, const JoinOptions& options) {
  return Unrefused(queries, options, [&]() -> base::Result<JoinTotals> {
    const auto all = ReadQueries(queries, options.queries);
    if (!all) return base::Fail(all.error().message);
    return Join(existing, *all, put, options.output != FingerprintFormat::kBinary, options);
  });
}

}  // namespace contentseen

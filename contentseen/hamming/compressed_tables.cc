#include "contentseen/hamming/compressed_tables.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <queue>
#include <utility>

#include "base/check.h"
#include "contentseen/memory_refused.h"

namespace contentseen {
namespace {

constexpr unsigned kSymbols = 64;
constexpr std::size_t kBlockBits = CompressedTable::kBlockBytes * 8;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::size_t kTableHeader = 2 * kWordBytes + kSymbols;
constexpr std::uint64_t kMagic = 0x31454c424154534d;  // "MSTABLE1"

using Lengths = std::array<std::uint8_t, kSymbols>;

void PutWord(std::string& to, std::uint64_t word) {
  for (unsigned i = 0; i < kWordBytes; ++i) to.push_back(static_cast<char>(word >> (8 * i)));
}

std::uint64_t GetWord(const std::byte* at) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < kWordBytes; ++i) {
    word |= std::to_integer<std::uint64_t>(at[i]) << (8 * i);
  }
  return word;
}

// Code lengths of Huffman's tree; a single symbol gets one bit. With 64 symbols the longest is 63.
Lengths CodeLengths(const std::array<std::uint64_t, kSymbols>& counts) {
  struct Node {
    std::uint64_t weight;
    std::vector<std::uint8_t> symbols;
    bool operator>(const Node& other) const { return weight > other.weight; }
  };
  std::priority_queue<Node, std::vector<Node>, std::greater<>> forest;
  Lengths lengths{};
  for (unsigned s = 0; s < kSymbols; ++s) {
    if (counts[s] > 0) forest.push({counts[s], {static_cast<std::uint8_t>(s)}});
  }
  if (forest.size() == 1) lengths[forest.top().symbols[0]] = 1;
  while (forest.size() > 1) {
    Node a = forest.top();
    forest.pop();
    Node b = forest.top();
    forest.pop();
    a.weight += b.weight;
    a.symbols.insert(a.symbols.end(), b.symbols.begin(), b.symbols.end());
    for (std::uint8_t s : a.symbols) ++lengths[s];
    forest.push(std::move(a));
  }
  return lengths;
}

// Canonical codes: ascending with length, then with symbol.
std::array<std::uint64_t, kSymbols> CodesOf(const Lengths& lengths) {
  std::array<std::uint64_t, kSymbols> codes{};
  std::uint64_t code = 0;
  for (unsigned length = 1; length < kSymbols; ++length) {
    for (unsigned s = 0; s < kSymbols; ++s) {
      if (lengths[s] == length) codes[s] = code++;
    }
    code <<= 1;
  }
  return codes;
}

class BitWriter {
 public:
  void Put(std::uint64_t bits, unsigned count) {
    for (unsigned i = count; i-- > 0; ++used_) {
      if ((bits >> i & 1) != 0)
        block_[used_ / 8] = static_cast<char>(block_[used_ / 8] | 0x80 >> (used_ % 8));
    }
  }
  std::size_t used() const { return used_; }
  void EndBlock(std::string& to) {
    to.append(block_.data(), block_.size());
    block_.fill(0);
    used_ = 0;
  }

 private:
  std::array<char, CompressedTable::kBlockBytes> block_{};
  std::size_t used_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::byte* block) : block_(block) {}
  std::size_t left() const { return kBlockBits - used_; }
  // REQUIRES: count <= left().
  std::uint64_t Get(unsigned count) {
    std::uint64_t bits = 0;
    while (count > 0) {
      unsigned in_byte = static_cast<unsigned>(8 - used_ % 8);
      unsigned take = std::min(count, in_byte);
      auto byte = std::to_integer<std::uint64_t>(block_[used_ / 8]);
      bits = bits << take | (byte >> (in_byte - take) & ((1U << take) - 1));
      used_ += take;
      count -= take;
    }
    return bits;
  }

 private:
  const std::byte* block_;
  std::size_t used_ = 0;
};

unsigned TopBit(Fingerprint difference) {
  return 63 - static_cast<unsigned>(std::countl_zero(difference));
}

Fingerprint LowBits(unsigned count) { return (Fingerprint{1} << count) - 1; }

// The design of so many blocks at each level: nothing where Make() has none, or where it has more
// than so many tables, which then take no memory.
std::optional<MankuDesign> DesignOf(std::uint64_t k, const std::vector<std::uint64_t>& counts,
                                    std::uint64_t tables_max) {
  if (k > 10) return std::nullopt;
  std::vector<unsigned> blocks;
  std::uint64_t width = 64;
  for (const std::uint64_t count : counts) {
    if (count <= k || count > 12 || count > width) return std::nullopt;
    blocks.push_back(static_cast<unsigned>(count));
    width -= (count - k) * (width / count);
  }
  const auto radius = static_cast<unsigned>(k);
  if (MankuDesign::TablesOf(radius, blocks) > tables_max) return std::nullopt;
  return MankuDesign::Make(radius, blocks);
}

base::Status SystemFailure(const std::string& doing, const std::string& path) {
  return base::Fail("cannot " + doing + " " + path + ": " + std::strerror(errno));
}

}  // namespace

std::string CompressedTable::Compress(std::span<const Fingerprint> sorted) {
  std::array<std::uint64_t, kSymbols> counts{};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    CHECK(sorted[i - 1] < sorted[i]);
    ++counts[TopBit(sorted[i - 1] ^ sorted[i])];
  }
  Lengths lengths = CodeLengths(counts);
  std::array<std::uint64_t, kSymbols> codes = CodesOf(lengths);

  std::string data;
  std::string last;
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    // How many fit, first: their number leads the block.
    std::size_t bits = 16 + 64;
    std::size_t end = i + 1;
    for (; end < sorted.size(); ++end) {
      unsigned h = TopBit(sorted[end - 1] ^ sorted[end]);
      if (bits + lengths[h] + h > kBlockBits) break;
      bits += lengths[h] + h;
    }
    BitWriter writer;
    writer.Put(end - i, 16);
    writer.Put(sorted[i], 64);
    for (std::size_t j = i + 1; j < end; ++j) {
      unsigned h = TopBit(sorted[j - 1] ^ sorted[j]);
      writer.Put(codes[h], lengths[h]);
      writer.Put(sorted[j] & LowBits(h), h);
    }
    CHECK(writer.used() == bits);
    writer.EndBlock(data);
    PutWord(last, sorted[end - 1]);
    ++blocks;
    i = end;
  }
  std::string bytes;
  PutWord(bytes, sorted.size());
  PutWord(bytes, blocks);
  bytes.append(reinterpret_cast<const char*>(lengths.data()), lengths.size());
  return bytes + last + data;
}

base::Result<CompressedTable> CompressedTable::Open(std::span<const std::byte> bytes) {
  CompressedTable table;
  auto wrong = [] { return base::Fail("not a compressed table, or damaged: make it anew"); };
  if (bytes.size() < kTableHeader) return wrong();
  table.count_ = GetWord(bytes.data());
  table.blocks_ = GetWord(bytes.data() + kWordBytes);
  std::size_t room = bytes.size() - kTableHeader;
  if (table.blocks_ > room / (kBlockBytes + kWordBytes) ||
      table.blocks_ * (kBlockBytes + kWordBytes) != room || table.blocks_ > table.count_ ||
      (table.blocks_ == 0) != (table.count_ == 0)) {
    return wrong();
  }
  Lengths lengths;
  std::memcpy(lengths.data(), bytes.data() + 2 * kWordBytes, lengths.size());
  std::uint64_t code = 0;
  for (unsigned length = 1; length < kSymbols; ++length) {
    table.decoder_.first[length] = code;
    table.decoder_.begin[length] = static_cast<std::uint32_t>(table.decoder_.symbols.size());
    for (unsigned s = 0; s < kSymbols; ++s) {
      if (lengths[s] != length) continue;
      table.decoder_.symbols.push_back(static_cast<std::uint8_t>(s));
      ++table.decoder_.codes[length];
      ++code;
    }
    // More codes than there is room for at this length.
    if (code > std::uint64_t{1} << length) return wrong();
    code <<= 1;
  }
  if (std::any_of(lengths.begin(), lengths.end(), [](auto l) { return l >= kSymbols; })) {
    return wrong();
  }
  table.last_ = bytes.data() + kTableHeader;
  table.data_ = table.last_ + table.blocks_ * kWordBytes;
  return table;
}

Fingerprint CompressedTable::LastOf(std::uint64_t block) const {
  return GetWord(last_ + block * kWordBytes);
}

// visit(value) -> bool; false as soon as a visit is. Damaged bytes give wrong values, never a read
// outside of the block.
template <class Visit>
bool CompressedTable::DecodeBlock(std::uint64_t block, Visit&& visit) const {
  BitReader reader(data_ + block * kBlockBytes);
  std::uint64_t count = reader.Get(16);
  Fingerprint value = reader.Get(64);
  if (count > 0 && !visit(value)) return false;
  for (std::uint64_t i = 1; i < count; ++i) {
    std::uint64_t code = 0;
    unsigned length = 0;
    std::uint64_t at = 0;
    do {
      if (++length == kSymbols || reader.left() == 0) return true;
      code = code << 1 | reader.Get(1);
      at = code - decoder_.first[length];
    } while (code < decoder_.first[length] || at >= decoder_.codes[length]);
    unsigned h = decoder_.symbols[decoder_.begin[length] + at];
    if (reader.left() < h) return true;
    // Bit h goes from zero to one, as values ascend; above it nothing changes.
    value = (value & ~LowBits(h)) | Fingerprint{1} << h;
    value |= reader.Get(h);
    if (!visit(value)) return false;
  }
  return true;
}

std::optional<Fingerprint> CompressedTable::FindWithin(Fingerprint query, Fingerprint below,
                                                       unsigned k) const {
  Fingerprint from = query & ~below;
  Fingerprint to = query | below;
  std::uint64_t low = 0;
  std::uint64_t high = blocks_;
  while (low < high) {
    std::uint64_t middle = low + (high - low) / 2;
    if (LastOf(middle) < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  std::optional<Fingerprint> found;
  for (std::uint64_t block = low; block < blocks_; ++block) {
    bool more = DecodeBlock(block, [&](Fingerprint value) {
      if (value > to) return false;
      if (value < from || static_cast<unsigned>(Distance(value, query)) > k) return true;
      found = value;
      return false;
    });
    if (!more) break;
  }
  return found;
}

// ---------------------------------------------------------------------------------------------

base::Status CompressedTables::Write(const std::string& path, const MankuDesign& design,
                                     std::span<const Fingerprint> fingerprints) {
  return UnlessRefusedMemory([&] { return WriteTables(path, design, fingerprints); },
                             "a table of " + std::to_string(fingerprints.size()) + " fingerprints",
                             "write fewer to a file");
}

base::Status CompressedTables::WriteTables(const std::string& path, const MankuDesign& design,
                                           std::span<const Fingerprint> fingerprints) {
  if (design.blocks.size() > kLevelsMax) {
    return base::Fail("compressed tables have at most " + std::to_string(kLevelsMax) +
                      " levels of blocks, not " + std::to_string(design.blocks.size()));
  }
  const std::vector<std::uint64_t> counts(design.blocks.begin(), design.blocks.end());
  if (design != DesignOf(design.k, counts, design.tables.size())) {
    return base::Fail(
        "compressed tables are those that MankuDesign::Make() makes of k and blocks");
  }
  // Beside it: who has the last ones open goes on reading them.
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  std::string header;
  PutWord(header, kMagic);
  PutWord(header, design.k);
  PutWord(header, design.blocks.size());
  for (unsigned count : design.blocks) PutWord(header, count);
  std::size_t sizes_at = header.size();
  header.resize(header.size() + design.tables.size() * kWordBytes);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  std::string sizes;
  std::vector<Fingerprint> sorted;
  for (const MankuDesign::Table& table : design.tables) {
    sorted.clear();
    for (Fingerprint x : fingerprints) sorted.push_back(table.permutation.Apply(x));
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::string bytes = CompressedTable::Compress(sorted);
    PutWord(sizes, bytes.size());
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  file.seekp(static_cast<std::streamoff>(sizes_at));
  file.write(sizes.data(), static_cast<std::streamsize>(sizes.size()));
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
    const base::Status failure = SystemFailure("write", path);
    static_cast<void>(std::remove(part.c_str()));
    return failure;
  }
  return {};
}

base::Result<std::unique_ptr<CompressedTables>> CompressedTables::Open(const std::string& path) {
  return UnlessRefusedMemory([&] { return OpenTables(path); }, "the tables of " + path,
                             "use a machine with more");
}

base::Result<std::unique_ptr<CompressedTables>> CompressedTables::OpenTables(
    const std::string& path) {
  std::unique_ptr<CompressedTables> tables(new CompressedTables);
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return base::Fail(SystemFailure("open", path).error().message);
  struct stat status {};
  bool known = fstat(file, &status) == 0;
  void* mapped = MAP_FAILED;
  if (known && status.st_size > 0) {
    tables->size_ = static_cast<std::size_t>(status.st_size);
    mapped = mmap(nullptr, tables->size_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (mapped == MAP_FAILED) {
    return base::Fail(known && status.st_size == 0 ? path + " is empty: write the tables anew"
                                                   : SystemFailure("read", path).error().message);
  }
  tables->mapped_ = static_cast<const std::byte*>(mapped);
  if (base::Status parsed = tables->Parse(path); !parsed) {
    return base::Fail(parsed.error().message);
  }
  return tables;
}

base::Status CompressedTables::Parse(const std::string& path) {
  auto wrong = [&] {
    return base::Fail(path + " does not hold compressed tables, or is damaged: write them anew");
  };
  std::size_t words = size_ / kWordBytes;
  auto word = [&](std::size_t i) { return GetWord(mapped_ + i * kWordBytes); };
  if (words < 3 || word(0) != kMagic || word(2) > kLevelsMax || words < 3 + word(2)) {
    return wrong();
  }
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < word(2); ++i) counts.push_back(word(3 + i));
  std::size_t sizes_at = 3 + counts.size();
  std::size_t room = size_ - sizes_at * kWordBytes;
  auto design = DesignOf(word(1), counts, room / (kWordBytes + kTableHeader));
  if (!design) return wrong();
  design_ = std::move(*design);
  std::size_t at = (sizes_at + design_.tables.size()) * kWordBytes;
  for (std::size_t t = 0; t < design_.tables.size(); ++t) {
    std::uint64_t bytes = word(sizes_at + t);
    if (bytes > size_ - at) return wrong();
    auto table = CompressedTable::Open({mapped_ + at, static_cast<std::size_t>(bytes)});
    if (!table) return wrong();
    tables_.push_back(std::move(*table));
    at += bytes;
  }
  if (at != size_) return wrong();
  return {};
}

CompressedTables::~CompressedTables() {
  if (mapped_ != nullptr) munmap(const_cast<std::byte*>(mapped_), size_);
}

std::optional<Fingerprint> CompressedTables::FindWithin(Fingerprint query) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const MankuDesign::Table& table = design_.tables[t];
    Fingerprint below =
        table.prefix == 0 ? ~Fingerprint{0} : ~Fingerprint{0} >> 1 >> (table.prefix - 1);
    auto found = tables_[t].FindWithin(table.permutation.Apply(query), below, design_.k);
    if (found) return table.permutation.Invert(*found);
  }
  return std::nullopt;
}

}  // namespace contentseen

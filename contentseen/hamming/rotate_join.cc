#include "contentseen/hamming/rotate_join.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "contentseen/hamming/batch_join.h"

namespace contentseen {

std::vector<std::pair<Fingerprint, Fingerprint>> RotateJoin(
    std::span<const Fingerprint> fingerprints, unsigned k, unsigned rotations) {
  CHECK(rotations >= 1 && rotations <= kFingerprintBits);
  std::vector<Fingerprint> rotated(fingerprints.begin(), fingerprints.end());
  std::sort(rotated.begin(), rotated.end());
  rotated.erase(std::unique(rotated.begin(), rotated.end()), rotated.end());
  std::vector<std::pair<Fingerprint, Fingerprint>> pairs;
  for (unsigned r = 0; r < rotations; ++r) {
    for (std::size_t i = 1; i < rotated.size(); ++i) {
      if (static_cast<unsigned>(Distance(rotated[i - 1], rotated[i])) > k) continue;
      // Rotation keeps the distance; turned back, the two may have changed order.
      Fingerprint a = std::rotr(rotated[i - 1], static_cast<int>(r));
      Fingerprint b = std::rotr(rotated[i], static_cast<int>(r));
      pairs.push_back(std::minmax(a, b));
    }
    for (Fingerprint& x : rotated) x = std::rotl(x, 1);
    std::sort(rotated.begin(), rotated.end());
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

base::Result<RotateRecall> MeasureRotateJoin(std::span<const Fingerprint> fingerprints, unsigned k,
                                             unsigned rotations) {
  RotateRecall recall;
  recall.found = RotateJoin(fingerprints, k, rotations).size();
  std::vector<Fingerprint> distinct(fingerprints.begin(), fingerprints.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  auto table = JoinTable::Create(distinct, k);
  if (!table) return base::Fail(table.error().message);
  table->ForEachPair(distinct, [&](Fingerprint a, Fingerprint b) { recall.all += a < b ? 1 : 0; });
  return recall;
}

}  // namespace contentseen

#include "crawler/io/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace crawler {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer > kComparedBytesMax) return a == b ? 0 : longer;
  // Rows i-2, i-1 and i of the usual matrix.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace crawler

// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/products/terms_in_panels.hpp.
#include <algorithm>

namespace ashlar::tensor_detail {

ASHLAR_INLINE panels_of_terms::panels_of_terms(std::vector<index_set> const& of_a, std::vector<index_set> const& of_b) {
  constexpr index_t least = 256;  // terms of a slice of the longest segment: BLAS is slow for fewer
  index_t longest = 0;
  for (std::size_t p = 0; p < of_a.size(); ++p)
    for (std::size_t q = 0; q < of_b.size(); ++q) {
      index_t end_in_a = -1, end_in_b = -1;
      layout_detail::for_each_common_run(of_a[p], of_b[q], [&](index_t n, index_t i, index_t j) {
        if (i == end_in_a && j == end_in_b)  // blocks that are adjacent in both shards
          segments.back().size += n;
        else
          segments.push_back({n, {static_cast<int>(p), i}, {static_cast<int>(q), j}});
        end_in_a = i + n;
        end_in_b = j + n;
        longest = (std::max)(longest, segments.back().size);
      });
    }
  count = (std::max)(index_t{1}, longest / least);
}

ASHLAR_INLINE index_t panels_of_terms::terms_in(side_of_segment operand, int rank, index_t panel) const {
  index_t sum = 0;
  for (std::size_t s = 0; s < segments.size(); ++s)
    if ((segments[s].*operand).rank == rank) sum += slice(s, panel).size();
  return sum;
}

}  // namespace ashlar::tensor_detail

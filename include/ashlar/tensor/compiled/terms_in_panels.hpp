// The functions of tensor/terms_in_panels.hpp.
#pragma once
#include "ashlar/tensor/terms_in_panels.hpp"
#include <algorithm>

namespace ashlar::tensor_detail {

ASHLAR_INLINE panels_of_terms::panels_of_terms(std::vector<interval> const& of_a, std::vector<interval> const& of_b) {
  constexpr index_t least = 256;  // terms of a slice of the longest segment: BLAS is slow for fewer
  std::vector<index_t> cuts;
  for (auto const* terms : {&of_a, &of_b})
    for (interval const& i : *terms)
      if (i.size() > 0) cuts.insert(cuts.end(), {i.begin, i.end});
  std::sort(cuts.begin(), cuts.end());
  index_t longest = 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] == cuts[i - 1]) continue;
    segments.push_back({cuts[i - 1], cuts[i]});
    longest = std::max(longest, segments.back().size());
  }
  count = std::max(index_t{1}, longest / least);
}

ASHLAR_INLINE index_t panels_of_terms::terms_in(interval const& terms, index_t panel) const {
  index_t sum = 0;
  for (std::size_t s = 0; s < segments.size(); ++s)
    if (terms.begin <= segments[s].begin && segments[s].end <= terms.end) sum += slice(s, panel).size();
  return sum;
}

ASHLAR_INLINE index_t panels_of_terms::most_terms_in(interval const& terms) const {
  return terms_in(terms, 0);  // the first parts are the largest
}

}  // namespace ashlar::tensor_detail

// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/compute.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE void refuse_index(plan_detail::index_words const& words, kernels::outside_index const& found,
                                region const& own, bool same_on_all_ranks) {
  shape place;
  place.rank = own.rank;
  index_t rest = found.at;
  for (int d = own.rank - 1; d >= 0; rest /= own.dim[d--].size()) place[d] = own.dim[d][rest % own.dim[d].size()];
  plan_detail::error_text m;
  m << words.before << found.index << " at " << place << " is outside the " << found.extent << words.after;
  plan_detail::name_call(m);
  if (same_on_all_ranks) throw error(m.text);
  comm_detail::note_error(m.text);
}

}  // namespace ashlar::tensor_detail

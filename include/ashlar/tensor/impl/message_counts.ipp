// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/message_counts.hpp.
#include <algorithm>
#include <numeric>

namespace ashlar::tensor_detail {

ASHLAR_INLINE std::vector<common_runs> common_runs_of(index_set const& a, index_set const& b) {
  index_t const period = a.block && b.block ? std::lcm(a.period, b.period) : (std::max)(a.period, b.period);
  std::vector<common_runs> runs;
  std::vector<index_t> next;  // the index at which each group would go on
  index_t among = 0;
  for_each_common_run(a, b, [&](index_t length, index_t i, index_t j) {
    index_t const at[3]{i, j, among}, index = a[i];
    among += length;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      common_runs& r = runs[k];
      if (next[k] != index || r.length != length) continue;
      // The same each time, since the runs repeat.
      for (int n = 0; n < 3; ++n) r.step[n] = (at[n] - r.at[n]) / r.count;
      ++r.count;
      next[k] += period;
      return;
    }
    runs.push_back({length, 1, {at[0], at[1], at[2]}, {}});
    next.push_back(index + period);
  });
  return runs;
}

ASHLAR_INLINE row_major_strides dimension_order::strides(shape const& extents) const {
  shape stored = extents;
  for (int d = 0; d < extents.rank; ++d) stored[of[d]] = extents[d];
  row_major_strides const array(stored);
  row_major_strides s = array;
  for (int d = 0; d < extents.rank; ++d) s.stride[d] = array.stride[of[d]];
  return s;
}

ASHLAR_INLINE std::vector<loop_nest<3>> common_loops(region const& a, dimension_order const& order, region const& b) {
  std::vector<common_runs> runs[max_rank];
  shape extents[3]{a.extents(), b.extents(), a.extents()};
  for (int d = 0; d < a.rank; ++d) {
    runs[d] = common_runs_of(a.dim[d], b.dim[d]);
    extents[2][d] = 0;
    for (common_runs const& r : runs[d]) extents[2][d] += r.count * r.length;
  }
  std::vector<loop_nest<3>> nests;
  if (extents[2].size() == 0) return nests;
  row_major_strides const strides[3]{order.strides(extents[0]), row_major_strides(extents[1]),
                                     row_major_strides(extents[2])};
  // Each choice of one group of runs per dimension is a nest, or several nests if one has no room for all loops.
  auto const choose = [&](auto const& self, int d, nest_builder<3> const& loops) -> void {
    if (d == a.rank) return nests.push_back(loops.nest());
    for (common_runs const& r : runs[d]) {
      index_t begin[3], step[3], one[3];
      for (int n = 0; n < 3; ++n) {
        one[n] = strides[n].stride[d];
        step[n] = r.step[n] * one[n];
        begin[n] = r.at[n] * one[n];
      }
      nest_builder<3> inner = loops;
      if (loops.loops() + 2 + (a.rank - d - 1) <= max_rank) {  // the remaining dimensions need a loop each
        inner.add(r.count, step, begin);
        inner.add(r.length, one);
        self(self, d + 1, inner);
        continue;
      }
      for (index_t k = 0; k < r.count; ++k) {
        inner = loops;
        inner.add(r.length, one, begin);
        self(self, d + 1, inner);
        for (int n = 0; n < 3; ++n) begin[n] += step[n];
      }
    }
  };
  choose(choose, 0, {});
  return nests;
}

ASHLAR_INLINE loop_nest<2> between(loop_nest<3> const& all, int first, int second) {
  nest_builder<2> loops;
  loops.add(1, {0, 0}, {all.origin[first], all.origin[second]});
  for (int d = 0; d < all.rank; ++d) loops.add(all.extent[d], {all.stride[first][d], all.stride[second][d]});
  return loops.nest();
}

ASHLAR_INLINE copy_loops copy_loops_between(region const& from, region const& to, dimension_order const& order) {
  copy_loops loops;
  for (auto const& nest : common_loops(from, order, to)) loops.push_back(between(nest, 0, 1));
  return loops;
}

ASHLAR_INLINE void message_blocks::add(region const& shard, region const& theirs, bool travels, buffer_side side,
                                       dimension_order const& order) {
  std::size_t const first = loops.size();
  std::size_t n = 0;
  if (travels)
    for (auto const& nest : common_loops(shard, order, theirs)) {
      loops.push_back(side == buffer_side::destination ? between(nest, 0, 2) : between(nest, 2, 0));
      loops.back().origin[side == buffer_side::destination ? 1 : 0] += static_cast<index_t>(total);
      n += static_cast<std::size_t>(nest.size());
    }
  auto const begin = [&]() -> index_t {
    if (order == dimension_order()) return common_part_of(shard, theirs).at;
    loop_nest<2> const& l = loops[first];
    bool const one_piece =
        loops.size() == first + 1 && l.rank == 1 && (l.extent[0] == 1 || (l.stride[0][0] == 1 && l.stride[1][0] == 1));
    return one_piece ? l.origin[side == buffer_side::destination ? 0 : 1] : -1;
  };
  close(n, n == 0 ? 0 : begin());
}

ASHLAR_INLINE void message_blocks::close(std::size_t n, index_t at) {
  in_order = in_order && (n == 0 || at == static_cast<index_t>(total));
  begins.push_back(at);
  count.push_back(n);
  first_loop.push_back(loops.size());
  total += n;
  equal = equal && n == count[0];
}

ASHLAR_INLINE void message_blocks::finish(region const& shard) {
  in_order = in_order && total == static_cast<std::size_t>(shard.size());
  if (in_order) loops.clear(), first_loop.clear();
}

}  // namespace ashlar::tensor_detail

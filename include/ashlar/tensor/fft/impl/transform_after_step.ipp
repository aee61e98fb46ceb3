// SPDX-License-Identifier: BSL-1.0
// The function of tensor/fft/transform_after_step.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE std::vector<part_of_lines> parts_of_lines(plan_step const& s, step_transfers const& v,
                                                        shape const& extents, mesh_shape const& mesh, int rank,
                                                        int dim) {
  region const own = local_region(extents, s.to, mesh, rank);
  std::vector<part_of_lines> parts;
  index_t found = 0;
  for (int q = 0; q < mesh.ranks(s.axes); ++q) {
    if (v.in.count[static_cast<std::size_t>(q)] == 0) continue;
    region const theirs = local_region(extents, s.from, mesh, mesh.with_position(rank, s.axes, q));
    row_major_strides const there(theirs.extents());
    nest_builder<1> lines;
    for (int d = 0; d < extents.rank; ++d) {
      index_set const &mine = own.dim[d], &held = theirs.dim[d];
      if (mine.block != 0 || held.block != 0) return {};
      if (d == dim) continue;
      if (mine.begin < held.begin || held.end < mine.end) return {};
      lines.add(mine.size(), {there.stride[d]}, {(mine.begin - held.begin) * there.stride[d]});
    }
    parts.push_back({q, theirs.dim[dim].begin, theirs.dim[dim].size(), there.stride[dim], lines.nest()});
    found += parts.back().count;
  }
  if (found != extents[dim]) parts.clear();
  return parts;
}

}  // namespace ashlar::tensor_detail

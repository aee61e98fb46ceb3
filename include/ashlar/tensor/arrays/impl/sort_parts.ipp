// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/arrays/sort_parts.hpp that are no templates.

namespace ashlar::tensor_detail {

ASHLAR_INLINE parts_of_line parts_of_dimension(index_t n, axis_list const& axes, mesh_shape const& mesh, int rank) {
  axis_mask const mask = axes.mask();
  int const size = mesh.ranks(mask);
  std::vector<std::pair<index_t, int>> part;
  for (int i = 0; i < size; ++i)
    part.emplace_back(layout_detail::local_indices(n, axes, mesh, mesh.with_position(rank, mask, i)).begin, i);
  std::sort(part.begin(), part.end());
  parts_of_line p;
  for (auto const& [begin, position] : part) {
    if (position == mesh.position(rank, mask)) p.own = p.size();
    p.rank.push_back(position);
    p.begins.push_back(begin);
  }
  p.begins.push_back(n);
  return p;
}

ASHLAR_INLINE std::size_t sort_route::bytes_received(std::size_t element) const {
  auto const self = static_cast<std::size_t>(parts.rank[static_cast<std::size_t>(parts.own)]);
  return (static_cast<std::size_t>(arrived) - arrive_count[self]) * element;
}

ASHLAR_INLINE std::size_t sort_route::bytes_sent(std::size_t element) const {
  auto const self = static_cast<std::size_t>(parts.rank[static_cast<std::size_t>(parts.own)]);
  return (comm_detail::sum_of(leave_count) - leave_count[self]) * element;
}

ASHLAR_INLINE void begin_route(sort_route& r, parts_of_line parts, index_t lines) {
  auto const n = static_cast<std::size_t>(parts.size()) * static_cast<std::size_t>(lines);
  r.parts = std::move(parts);
  r.lines = lines;
  for (auto* const numbers : {&r.leave_at, &r.leaving, &r.begin_at, &r.arriving, &r.arrive_at}) numbers->resize(n);
  for (auto* const counts : {&r.leave_count, &r.arrive_count})
    counts->assign(static_cast<std::size_t>(r.parts.size()), 0);
}

ASHLAR_INLINE void exchange_counts(sort_route& r, communicator const& ranks) {
  using host = Kokkos::DefaultHostExecutionSpace;
  auto const each = static_cast<std::size_t>(2 * r.lines), all = each * static_cast<std::size_t>(r.parts.size());
  pool_scratch<host, index_t> const told(all), heard(all);
  for (int q = 0; q < r.parts.size(); ++q) {
    auto const rank = static_cast<std::size_t>(r.parts.rank[static_cast<std::size_t>(q)]);
    for (index_t which = 0; which < r.lines; ++which) {
      index_t* const to = told.data() + rank * each + 2 * static_cast<std::size_t>(which);
      to[0] = r.leave_at[r.at(q, which)], to[1] = r.leaving[r.at(q, which)];
      r.leave_count[rank] += static_cast<std::size_t>(to[1]);
    }
  }
  comm_detail::memory_of_messages messages(told.data(), heard.data());
  comm::all_to_all(ranks, told.data(), each, heard.data());
  messages.have_arrived();
  std::vector<int> part_of(static_cast<std::size_t>(r.parts.size()));
  for (int q = 0; q < r.parts.size(); ++q)
    part_of[static_cast<std::size_t>(r.parts.rank[static_cast<std::size_t>(q)])] = q;
  for (std::size_t rank = 0; rank < part_of.size(); ++rank)
    for (index_t which = 0; which < r.lines; ++which) {
      index_t const* const from = heard.data() + rank * each + 2 * static_cast<std::size_t>(which);
      std::size_t const at = r.at(part_of[rank], which);
      r.begin_at[at] = from[0], r.arriving[at] = from[1], r.arrive_at[at] = r.arrived;
      r.arrive_count[rank] += static_cast<std::size_t>(from[1]);
      r.arrived += from[1];
    }
}

ASHLAR_INLINE void bound_by_samples(sample_bounds& b, parts_of_line const& parts, index_t samples,
                                    std::span<index_t const> order) {
  auto const p = static_cast<std::size_t>(parts.size());
  std::vector<index_t> seen(p, 0);                               // samples of each part so far
  std::vector<index_t> least(order.size()), most(order.size());  // bounds of the number of elements before a sample
  auto const position = [&](std::size_t part, index_t sample) {
    return ops_detail::position_of_sample(sample, samples, parts.extent(static_cast<int>(part)));
  };
  index_t at_least = 0, at_most = 0;  // elements up to the samples seen; elements before the next sample of each part
  for (std::size_t k = 0; k < order.size(); ++k) {
    auto const part = static_cast<std::size_t>(order[k] / samples);
    index_t const own = position(part, seen[part]), before = seen[part] == 0 ? 0 : position(part, seen[part] - 1) + 1;
    least[k] = at_least - before + own;
    most[k] = at_most;
    at_least += own + 1 - before;
    at_most += position(part, ++seen[part]) - own;
  }
  b.first.resize(p), b.end.resize(p);
  for (std::size_t q = 0; q < p; ++q) {
    auto const first = std::upper_bound(most.begin(), most.end(), parts.begins[q]) - most.begin() - 1;
    auto const end = std::lower_bound(least.begin(), least.end(), parts.begins[q + 1]) - least.begin();
    b.first[q] = order[static_cast<std::size_t>(first)];
    b.end[q] = static_cast<std::size_t>(end) < order.size() ? order[static_cast<std::size_t>(end)] : -1;
  }
}

}  // namespace ashlar::tensor_detail

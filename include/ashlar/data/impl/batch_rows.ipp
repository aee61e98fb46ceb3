// SPDX-License-Identifier: BSL-1.0
// The functions of data/batch_rows.hpp.

namespace ashlar::data_detail {

ASHLAR_INLINE example_runs::example_runs(region const& held, shape const& extents) {
  shape at;
  at.rank = held.rank;
  if (held.rank == 1) add(0, 1);
  bool const any = held.rank > 1 && held.extents().size() > 0;
  int const last = held.rank - 1;
  for (bool more = any; more;) {
    index_t begin = 0;
    for (int d = 1; d < last; ++d) begin = (begin + held.dim[d][at[d]]) * extents[d + 1];
    for (index_t i = 0; i < held.dim[last].size(); i += held.dim[last].run(i))
      add(begin + held.dim[last][i], held.dim[last].run(i));
    int d = last - 1;
    while (d > 0 && ++at[d] == held.dim[d].size()) at[d--] = 0;
    more = d > 0;
  }
  if (runs.empty()) return;
  first = runs.front().first;
  span = runs.back().first + runs.back().size - first;
}

ASHLAR_INLINE void example_runs::add(index_t begin, index_t size) {
  elements += size;
  if (!runs.empty() && runs.back().first + runs.back().size == begin)
    runs.back().size += size;
  else
    runs.push_back({begin, size});
}

ASHLAR_INLINE shape batch_extents(array_source const& from, index_t rows, int rank) {
  auto const example = from.example_extents();
  shape extents = shape::of(rows);
  extents.rank = rank;
  if (rank == static_cast<int>(example.size()) + 1) {
    for (int d = 1; d < rank; ++d) extents[d] = example[static_cast<std::size_t>(d - 1)];
  } else if (rank == 2) {
    extents[1] = from.size();
  } else if (rank != 1 || from.size() != 1) {
    throw error(
        "ashlar::batch_stream: expected a layout with the dimensions of the array, or with two, of examples and of their elements, found one of " +
        std::to_string(rank) + " for examples of " + extents_text({example.begin(), example.end()}) +
        (rank == 1 ? "; give the layout a second dimension" : ""));
  }
  return extents;
}

}  // namespace ashlar::data_detail

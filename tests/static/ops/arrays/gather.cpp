// The rules of gathering rows and of summing rows into a table, proven by simulation on two ranks.
#include "ashlar/ops/arrays/gather.hpp"
#include "support/simulated_mesh.hpp"

using namespace ashlar;
using namespace ashlar::test;

constexpr mesh_shape two_ranks{1, {2}};
constexpr tally proven(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }

// Row numbers of a table of 3 rows, which occur more than once. Where they are partial, their summands do.
constexpr test::tensor row_numbers(index_t n, layout_value const& v, unsigned seed) {
  return distribute(shape::of(n), v, two_ranks, [&](index_t i, int summand) {
    return integer(static_cast<long long>(static_cast<unsigned>(arbitrary(seed, 2 * i + summand).value) / 2 % 3));
  });
}

// out[i, c] = table[index[i], c], and 0 where the table at hand has no such row.
constexpr array gather(array const& table, array const& index) {
  array y = array::of(shape::of(index.extents[0], table.extents[1]));
  for (index_t i = 0; i < index.extents[0]; ++i)
    for (index_t c = 0; c < table.extents[1]; ++c) {
      index_t const row = index[i].value - table.first_row;
      if (row >= 0 && row < table.extents[0]) y[i * table.extents[1] + c] = table[row * table.extents[1] + c];
    }
  return y;
}

// R and P(sum) tables with R indices; rows sharded leaves a sum; columns or indices sharded stay so.
template <unsigned Partial>
constexpr tally gather_tally = [] {
  tally t;
  for_each_layout(2, 1, Partial, [&](layout_value const& table) {
    for_each_layout(1, 1, Partial, [&](layout_value const& index) {
      t.judge(ops_detail::gather_rule(table, index), 2, Partial, 3, [&](unsigned data) {
        return experiment(gather, two_ranks, arbitrary_tensor(shape::of(3, 2), table, two_ranks, 2 * data),
                          row_numbers(4, index, 2 * data + 1));
      });
    });
  });
  return t;
}();
static_assert(gather_tally<sums> == proven(12, 5));
// A whole table in which a max, min or product is partial could be gathered from, but not once its rows are sharded: the
// rank without the row has no identity to give. The rule refuses both.
static_assert(gather_tally<all_ops> == tally{42, 5, 0, 3});

// table[index[i], c] += update[i, c] in a table of 3 rows, or in those of them that axes give to a rank.
template <bool RowsSharded>
constexpr tally scatter_tally = [] {
  tally t;
  layout_value rows;
  rows.rank = 2;
  if (RowsSharded) rows.dim[0].push(0);
  // The empty table comes as an operand, so that a rank sees which rows it has.
  auto const scatter = [](array const& table, array const& index, array const& update) {
    array y = table;
    if (index.extents[0] != update.extents[0]) return array::undefined();
    y.extents[1] = update.extents[1];
    for (index_t i = 0; i < index.extents[0]; ++i)
      for (index_t c = 0; c < y.extents[1]; ++c) {
        index_t const row = index[i].value - y.first_row, at = row * y.extents[1] + c;
        if (row >= 0 && row < y.extents[0]) y[at] = y[at] + update[i * y.extents[1] + c];
      }
    return y;
  };
  for_each_layout(1, 1, sums, [&](layout_value const& index) {
    for_each_layout(2, 1, sums, [&](layout_value const& update) {
      t.judge(ops_detail::scatter_rule(index, update, rows.dim[0]), 2, sums, 3, [&](unsigned data) {
        return experiment(
            scatter, two_ranks, distribute(shape::of(3, 2), rows, two_ranks, [](index_t, int) { return integer(0); }),
            row_numbers(4, index, 2 * data), arbitrary_tensor(shape::of(4, 2), update, two_ranks, 2 * data + 1));
      });
    });
  });
  return t;
}();
static_assert(scatter_tally<false> == proven(12, 4));  // R R, R P, R S(columns), and S S, which leaves a sum
static_assert(scatter_tally<true> == proven(12, 1));   // R R: each rank takes what falls into its rows

// Gathering and summing back are transposes, on two axes at once: rows of the table over axis 0, indices over axis 1.
constexpr layout_value over(int rank, int axis) {
  layout_value v;
  v.rank = rank;
  v.dim[0].push(axis);
  return v;
}
constexpr layout_value partial_over(layout_value v, int axis) {
  v.add_partial(layout_detail::op_sum, layout_detail::mask_of(axis));
  return v;
}
constexpr layout_value table = over(2, 0), indices = over(1, 1);  // `index` is a function of <strings.h>
static_assert(ops_detail::gather_rule(table, indices).out == partial_over(over(2, 1), 0));
static_assert(ops_detail::scatter_rule(indices, over(2, 1), table.dim[0]).out == partial_over(table, 1));

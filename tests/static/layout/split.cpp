// Balanced, nested splits: which elements a rank holds, compared with counting.
#include "ashlar/layout/split.hpp"

using namespace ashlar;

// The text of the rule: 5 elements in 3 parts are 2 + 2 + 1, and 2 elements in 3 parts 1 + 1 + 0.
static_assert(layout_detail::part_of({0, 5}, 3, 0) == interval{0, 2} &&
              layout_detail::part_of({0, 5}, 3, 1) == interval{2, 4} &&
              layout_detail::part_of({0, 5}, 3, 2) == interval{4, 5});
static_assert(layout_detail::part_of({10, 12}, 3, 1) == interval{11, 12} &&
              layout_detail::part_of({10, 12}, 3, 2).size() == 0);

// Parts are in order, without gaps, of sizes that differ by at most one, and every index has the owner that holds it.
constexpr bool test_parts() {
  for (index_t n = 0; n < 12; ++n)
    for (index_t p = 1; p < 7; ++p) {
      interval const all{3, 3 + n};
      index_t at = all.begin;
      for (index_t r = 0; r < p; ++r) {
        interval const part = layout_detail::part_of(all, p, r);
        if (part.begin != at || part.size() < n / p || part.size() > (n + p - 1) / p) return false;
        for (index_t i = part.begin; i < part.end; ++i)
          if (layout_detail::owner_of(all, p, i) != r) return false;
        at = part.end;
      }
      if (at != all.end) return false;
    }
  return true;
}
static_assert(test_parts());

constexpr mesh_shape grid{2, {2, 3}};
constexpr layout_detail::axis_list list(auto... axis) {
  layout_detail::axis_list l;
  (l.push(axis), ...);
  return l;
}

// Two axes on a dimension split it by the first, then each piece by the second: 7 = 4 + 3 = (2 + 1 + 1) + (1 + 1 + 1).
static_assert(layout_detail::local_indices(7, list(0, 1), grid, 0) == index_set{0, 2} &&
              layout_detail::local_indices(7, list(0, 1), grid, 2) == index_set{3, 4} &&
              layout_detail::local_indices(7, list(0, 1), grid, 3) == index_set{4, 5});
// In the other order 7 = 3 + 2 + 2 = (2 + 1) + (1 + 1) + (1 + 1): rank 3, at (1, 0), has another element.
static_assert(layout_detail::local_indices(7, list(1, 0), grid, 3) == index_set{2, 3});

// Blocks of 2, assigned round-robin to 3: 0 1 | 2 3 | 4 5 | 6 7 | 8.
constexpr layout_detail::axis_list cyclic_by(layout_detail::axis_list l, int count, int block) {
  l.cyclic = static_cast<signed char>(count);
  l.block = static_cast<unsigned short>(block);
  return l;
}
constexpr bool test_cyclic() {
  constexpr index_t expected[3][4]{{0, 1, 6, 7}, {2, 3, 8, -1}, {4, 5, -1, -1}};
  for (int r = 0; r < 3; ++r) {
    index_set const s = layout_detail::local_indices(9, cyclic_by(list(1), 1, 2), grid, r);
    for (index_t i = 0; i < 4; ++i)
      if (i < s.size() ? s[i] != expected[r][i] || s.find(s[i]) != i : expected[r][i] >= 0) return false;
    if (s.find(2 * ((r + 1) % 3)) >= 0) return false;
  }
  return true;
}
static_assert(test_cyclic());
// One round is a split into blocks; an axis behind block-cyclic ones splits what a rank has.
static_assert(layout_detail::local_indices(6, cyclic_by(list(1), 1, 2), grid, 2)[0] == 4 &&
              layout_detail::local_indices(6, cyclic_by(list(1), 1, 2), grid, 2).size() == 2);
static_assert(layout_detail::local_indices(9, cyclic_by(list(1, 0), 1, 2), grid, 3)[0] == 6);
static_assert(layout_detail::overlap_of(index_set{2, 9},
                                        layout_detail::local_indices(12, cyclic_by(list(1), 1, 2), grid, 0))
                      .size == 2 &&
              layout_detail::overlap_of(index_set{2, 9},
                                        layout_detail::local_indices(12, cyclic_by(list(1), 1, 2), grid, 0))
                      .at == 4);
static_assert(!layout_detail::overlap_of(index_set{0, 9},
                                         layout_detail::local_indices(12, cyclic_by(list(1), 1, 2), grid, 0))
                   .adjacent &&
              layout_detail::overlap_of(layout_detail::local_indices(12, cyclic_by(list(1), 1, 2), grid, 0),
                                        index_set{0, 9})
                  .adjacent);
static_assert(parts(list(0, 1), grid) == 6 && parts(list(), grid) == 1);

// Every element lies in the shards of exactly the ranks that differ along replicated axes.
constexpr layout_value matrix(layout_detail::axis_list const& rows, layout_detail::axis_list const& columns) {
  layout_value v;
  v.rank = 2;
  v.dim[0] = rows;
  v.dim[1] = columns;
  return v;
}
constexpr bool test_cover(layout_value const& v, int copies) {
  shape const global = shape::of(5, 4);
  for (index_t i = 0; i < 5; ++i)
    for (index_t j = 0; j < 4; ++j) {
      int holders = 0;
      for (int r = 0; r < grid.ranks(); ++r) {
        region const mine = local_region(global, v, grid, r);
        holders += mine.dim[0].begin <= i && i < mine.dim[0].end && mine.dim[1].begin <= j && j < mine.dim[1].end;
      }
      if (holders != copies) return false;
    }
  return true;
}
static_assert(test_cover(matrix(list(), list()), 6) && test_cover(matrix(list(0), list()), 3) &&
              test_cover(matrix(list(), list(1)), 2));
static_assert(test_cover(matrix(list(0), list(1)), 1) && test_cover(matrix(list(1, 0), list()), 1) &&
              test_cover(matrix(list(), list(0, 1)), 1));
static_assert(local_shape(shape::of(5, 4), matrix(list(0), list(1)), grid, 0) == shape::of(3, 2));
static_assert(layout_detail::largest_shard(shape::of(5, 4), matrix(list(0), list(1)), grid) == 6);

// Evenness: equal pieces on every dimension.
static_assert(layout_detail::is_even(shape::of(6, 4), matrix(list(0, 1), list()), grid) &&
              !layout_detail::is_even(shape::of(4, 4), matrix(list(0, 1), list()), grid));
static_assert(layout_detail::is_even(shape::of(5, 6), matrix(list(), list(1)), grid) &&
              layout_detail::is_even(shape::of(0, 1), matrix(list(0), list()), grid));

static_assert(layout_detail::is_even(shape::of(12, 4), matrix(cyclic_by(list(1), 1, 2), list(0)), grid) &&
              !layout_detail::is_even(shape::of(9, 4), matrix(cyclic_by(list(1), 1, 2), list()), grid));

// What regions have in common.
static_assert(layout_detail::common_size(region{1, {{0, 5}}}, region{1, {{3, 9}}}) == 2);
static_assert(layout_detail::common_size(region{1, {{0, 3}}}, region{1, {{5, 9}}}) == 0);
constexpr index_set by_2(int rank) { return layout_detail::local_indices(12, cyclic_by(list(1), 1, 2), grid, rank); }
static_assert(layout_detail::common_count(index_set{2, 9}, by_2(0)) == 2 &&
              layout_detail::common_count(by_2(0), index_set{2, 9}) == 2);
static_assert(layout_detail::common_count(by_2(0), by_2(0)) == 4 && layout_detail::common_count(by_2(0), by_2(1)) == 0);
static_assert(layout_detail::common_count(by_2(2),
                                          layout_detail::local_indices(12, cyclic_by(list(1), 1, 3), grid, 1)) == 2);

// Equality of layouts on a mesh ignores axes of size 1, and everything where there are no elements but what is partial.
constexpr mesh_shape flat{2, {1, 3}};
static_assert(layout_detail::same_placement(shape::of(4, 4), matrix(list(0), list(1)), matrix(list(), list(1)), flat));
static_assert(layout_detail::same_placement(shape::of(4, 4), matrix(list(0, 1), list()), matrix(list(1, 0), list()),
                                            flat));
static_assert(!layout_detail::same_placement(shape::of(4, 4), matrix(list(0, 1), list()), matrix(list(1, 0), list()),
                                             grid));
static_assert(!layout_detail::same_placement(shape::of(4, 4), matrix(list(0), list(1)), matrix(list(), list(1)), grid));
static_assert(layout_detail::same_placement(shape::of(0, 4), matrix(list(0), list()), matrix(list(), list(0)), grid));
constexpr layout_value partial_over(int axis) {
  layout_value v = matrix(list(), list());
  v.add_partial(layout_detail::op_sum, layout_detail::mask_of(axis));
  return v;
}
static_assert(layout_detail::same_placement(shape::of(4, 4), partial_over(0), matrix(list(), list()), flat));
static_assert(!layout_detail::same_placement(shape::of(0, 4), partial_over(1), matrix(list(), list()), grid));

// Rows of a table by index.
#pragma once
#include "ashlar/layout/gather.hpp"
#include "ashlar/plan/apply.hpp"

namespace ashlar {

namespace detail {
struct gather_words {
  template <fault F, class Axis, class... L>
  static constexpr void say() {
    static_assert(!breaks<F, fault::conflict, Axis, L...>::value,
                  "ashlar::take: the axis is named by the table and by the index; redistribute one of them");
    static_assert(!breaks<F, fault::one_sided, Axis, L...>::value,
                  "ashlar::scatter_add: the axis shards the index otherwise than the rows; redistribute one of them");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::take: a reduction pends over the axis that does not pass through a gather; all_reduce it first");
  }
};
}  // namespace detail

/// The transpose of take: rows of the update summed into a table with the extents and the shards of `like`.
struct scatter_add_op {
  using words = detail::gather_words;
  template <class T, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& update, layout_value const& index, layout_value const& like) {
    return scatter_rule(index, update, like.dim[0]);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const&, shape const& like) { return like; }
};

struct take_op {
  using words = detail::gather_words;
  template <class T, class>
  using element = T;
  static constexpr ruled rule(layout_value const& table, layout_value const& index) { return gather_rule(table, index); }
  static constexpr shape extents(layout_value const&, shape const& table, shape const& index) {
    shape y = index;
    for (int d = 1; d < table.rank; ++d) y.extent[y.rank++] = table[d];
    return y;
  }
  template <int I, class Ct, class Y, class Table, class Index>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, Table const& table, Index const& index) {
    return apply(scatter_add_op{}, ct, index, table);
  }
};

/// Rows of a table by integer index.
/// Shape: table (n, r...), index (i...); result (i..., r...). Pre: 0 <= index < n; an index outside gives a row of zeros.
/// Cost: no communication; where axes shard the table's rows, a sum pends over them in the result.
/// Example: table layout<"model", none>, index layout<"data">: partial<layout<"data", none>, "model">
template <class Table, class Index>
constexpr auto take(Table const& table, Index const& index) {
  return apply(take_op{}, table, index);
}

}  // namespace ashlar

// SPDX-License-Identifier: BSL-1.0
// take: rows of a table by index.
#pragma once
#include "ashlar/layout/einsum.hpp"
#include "ashlar/ops/apply.hpp"

namespace ashlar {

namespace ops_detail {

/// The layout of out[i..., r...] = table[index[i...], r...]: the product of the one-hot matrix of `index` with `table`.
/// If axes shard the table's rows, each rank finds its own rows, and 0 for the others: the result is partial.
/// Example: table layout<"model", none>, index layout<"data">: partial<layout<"data", none>, "model">
constexpr rule_result gather_rule(layout_value const& table, layout_value const& index) {
  axis_mask const at = table.named(), in = index.named();
  if (at & in) return rule_result::wrong(fault::conflict, first_axis(at & in));
  if (index.levels) return rule_result::wrong(fault::not_linear, first_axis(index.partial()));
  if (!layout_detail::partial_only_by(table, op_sum))
    return rule_result::wrong(fault::not_linear, first_axis(table.partial()));
  rule_result r;
  for (int d = 0; d < index.rank; ++d) r.out.dim[r.out.rank++] = index.dim[d];
  for (int d = 1; d < table.rank; ++d) r.out.dim[r.out.rank++] = table.dim[d];
  r.out.add_partial(op_sum, table.partial() | table.dim[0].mask());
  return r;
}

/// The layout of the transpose of take: the rows of `update` are summed into a table whose rows are sharded by `rows`.
/// `update` has the dimensions of the index, then the dimensions of the table except 0.
constexpr rule_result scatter_rule(layout_value const& index, layout_value const& update, axis_list const& rows) {
  rule_result r;
  r.out.rank = update.rank - index.rank + 1;
  r.out.dim[0] = rows;
  if (rule_result const alike = split_alike(index, update, index.rank); alike.why != fault::fits) return alike;
  for (int d = 1; d < r.out.rank; ++d) r.out.dim[d] = update.dim[index.rank + d - 1];
  if (update.named() & rows.mask())
    return rule_result::wrong(fault::conflict, first_axis(update.named() & rows.mask()));
  if (index.levels) return rule_result::wrong(fault::not_linear, first_axis(index.partial()));
  if (!layout_detail::partial_only_by(update, op_sum))
    return rule_result::wrong(fault::not_linear, first_axis(update.partial()));
  r.out.add_partial(op_sum, update.partial() | index.sharding());
  return r;
}

struct gather_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(!breaks<F, fault::conflict, Axis, L...>::value,
                  "ashlar::take: the axis is named by the table and by the index; redistribute one of them");
    static_assert(!breaks<F, fault::one_sided, Axis, L...>::value,
                  "ashlar::scatter_add: the axis shards the index otherwise than the rows; redistribute one of them");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::take: the operand is partial over the axis by a reduction that does not pass through a gather; all_reduce it first");
  }
};

/// The transpose of take: sums the rows of the update into a table with the extents and the sharding of `like`.
struct scatter_add_op {
  using diagnostics = gather_diagnostics;
  static constexpr plan_detail::index_words words{"ashlar::scatter_add: index ",
                                                  " rows of the table; write drop_outside to drop its row"};
  bool drops = false;
  template <class T, class, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& update, layout_value const& index, layout_value const& like) {
    return scatter_rule(index, update, like.dim[0]);
  }
  static constexpr shape extents(layout_value const&, shape const& update, shape const& index, shape const& like) {
    bool fits = update.rank == index.rank + like.rank - 1;
    for (int d = 0; fits && d < index.rank; ++d) fits = update[d] == index[d];
    for (int d = 1; fits && d < like.rank; ++d) fits = update[index.rank + d - 1] == like[d];
    if (!fits)
      fail_extents(
          "ashlar::scatter_add: the rows have the extents of the index, then the extents of the table except the first",
          update, like);
    return like;
  }
  template <int I, class Ct, class Y, class Update, class Index, class Like>
    requires(I == 0)
  constexpr auto pullback(Ct const& ct, Y const&, Update const&, Index const& index, Like const&) const;
};

struct take_op {
  using diagnostics = gather_diagnostics;
  static constexpr plan_detail::index_words words{"ashlar::take: index ",
                                                  " rows of the table; write drop_outside for a row of 0"};
  bool drops = false;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& table, layout_value const& index) {
    return gather_rule(table, index);
  }
  static constexpr shape extents(layout_value const&, shape const& table, shape const& index) {
    shape y = index;
    for (int d = 1; d < table.rank; ++d) y.extent[y.rank++] = table[d];
    return y;
  }
  template <int I, class Ct, class Y, class Table, class Index>
    requires(I == 0)
  constexpr auto pullback(Ct const& ct, Y const&, Table const& table, Index const& index) const {
    return apply(scatter_add_op{drops}, ct, index, table);
  }
};

template <int I, class Ct, class Y, class Update, class Index, class Like>
  requires(I == 0)
constexpr auto scatter_add_op::pullback(Ct const& ct, Y const&, Update const&, Index const& index, Like const&) const {
  return apply(take_op{drops}, ct, index);
}

template <class Index>
inline constexpr bool has_indices = std::is_integral_v<element_t<Index>> && !std::is_same_v<element_t<Index>, bool>;
template <class Index, bool Takes>
struct index_of_rows {
  static constexpr bool ok = has_indices<Index>;
  static constexpr void say() {
    static_assert(ok || !Takes, "ashlar::take: the elements of the index are no integers; write cast<int>(index)");
    static_assert(ok || Takes,
                  "ashlar::scatter_add: the elements of the index are no integers; write cast<int>(index)");
  }
};

template <class Table, class Index>
constexpr auto take(bool drops, Table const& table, Index const& index, call_site const& w) {
  plan_detail::call_in_errors const call(w);
  return checked<index_of_rows<Index, true>>([&](auto const& t, auto const& i) { return apply(take_op{drops}, t, i); },
                                             table, stop_gradient(index));
}
template <class Update, class Index, class Like>
constexpr auto scatter_add(bool drops, Update const& update, Index const& index, Like const& like, call_site const& w) {
  plan_detail::call_in_errors const call(w);
  return checked<index_of_rows<Index, false>>([&](auto const&... x) { return apply(scatter_add_op{drops}, x...); },
                                              update, stop_gradient(index), stop_gradient(like));
}

struct drop_outside_t {};

}  // namespace ops_detail

/// The last argument of take and scatter_add: an index outside the table drops its row.
inline constexpr ops_detail::drop_outside_t drop_outside{};

/// Rows of a table by integer index.
/// Shape: table (n, r...), index (i...); result (i..., r...).
/// Pre: 0 <= index < n. With drop_outside an index outside gives a row of zeros.
/// Cost: no communication; if axes shard the table's rows, the result is partial over them.
/// Error: does not compile if an axis shards the rows and the index, if the index is partial, or if it is no integer. In
///   host memory an index outside throws ashlar::error: at once, if every rank has the index, else in the next collective.
/// Example: take(table<layout<"model", none>>, index<layout<"data">, int>) -> partial<layout<"data", none>, "model">
template <class Table, class Index>
constexpr auto take(Table const& table, Index const& index, call_site w = call_site::current()) {
  return ops_detail::take(false, table, index, w);
}
template <class Table, class Index>
constexpr auto take(Table const& table, Index const& index, ops_detail::drop_outside_t,
                    call_site w = call_site::current()) {
  return ops_detail::take(true, table, index, w);
}

/// Sums rows by integer index into a table of zeros: the transpose of take. Rows of equal index are added, in the type
/// of their elements.
/// Shape: update (i..., r...), index (i...), like (n, r...); the result has the extents of `like`, and its dimension 0 is
///   sharded as dimension 0 of `like`.
/// Pre: 0 <= index < n. With drop_outside a row whose index is outside is dropped.
/// Cost: no communication; if axes shard the index, the result is partial over them.
/// Error: layouts that do not fit do not compile; extents that do not fit throw ashlar::error, and so does an index
///   outside, as in take.
/// Example: all_reduce(scatter_add(weights<layout<"x">>, targets<layout<"x">, int>, ranks<layout<none>>)) ->
///   layout<none>
template <class Update, class Index, class Like>
constexpr auto scatter_add(Update const& update, Index const& index, Like const& like,
                           call_site w = call_site::current()) {
  return ops_detail::scatter_add(false, update, index, like, w);
}
template <class Update, class Index, class Like>
constexpr auto scatter_add(Update const& update, Index const& index, Like const& like, ops_detail::drop_outside_t,
                           call_site w = call_site::current()) {
  return ops_detail::scatter_add(true, update, index, like, w);
}

}  // namespace ashlar

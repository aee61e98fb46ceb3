// SPDX-License-Identifier: BSL-1.0
// The kernel of users' operations: their function on each row.
#pragma once
#include "ashlar/kernels/expression_tree.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/user_operation.hpp"

namespace ashlar {

/// Elements of a tensor that a user's operation sees at once: all with one index for each label that is not whole.
template <class T, int Rank>
struct tensor_row {
  T* data;
  index_t extents[meta_detail::array_bound(Rank ? Rank : 1)], strides[meta_detail::array_bound(Rank ? Rank : 1)];

  ASHLAR_FUNCTION index_t extent(int d) const { return extents[d]; }
  template <class... I>
  ASHLAR_FUNCTION T& operator()(I... i) const {
    static_assert(sizeof...(I) == Rank, "ashlar::tensor_row: a row has one index for each whole label of its tensor");
    index_t at = 0;
    int d = 0;
    ((at += strides[d] * static_cast<index_t>(i), ++d), ...);
    return data[at];
  }
};

namespace kernels_detail {

// Depends on operation, ranks and element types, never on layouts.
template <class Op, int Rank, class Index, class... Row>
struct user_kernel;
template <class Op, int Rank, std::size_t... I, class... Row>
struct user_kernel<Op, Rank, std::index_sequence<I...>, Row...> {
  Op op;
  shape rows;                                                    // local extents of the result, 1 for a whole label.
  index_set held[array_bound(Rank ? Rank : 1)];                  // global indices of the result's dimensions.
  index_t stride[sizeof...(Row)][array_bound(Rank ? Rank : 1)];  // of each tensor along them, 0 if it lacks the label.
  product<Row...> row;  // at the first index: of the result, then of the operands

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t at[array_bound(Rank ? Rank : 1)]{}, offset[sizeof...(Row)]{};
    for (int d = Rank - 1; d >= 0; --d) {
      index_t const k = i % rows.extent[d];
      i /= rows.extent[d];
      at[d] = held[d][k];
      ((offset[I] += k * stride[I][d]), ...);
    }
    op.forward(static_cast<index_t const*>(at), moved(get<I>(row), offset[I])...);
  }
  template <class R>
  KOKKOS_FUNCTION static R moved(R r, index_t by) {
    r.data += by;
    return r;
  }
};

constexpr int count_whole(einsum_equation::labels const& labels, einsum_equation::labels const& whole) {
  int n = 0;
  for (int d = 0; d < labels.rank; ++d) n += whole.find(labels.label[d]) >= 0;
  return n;
}

// The row at a shard's first element.
template <class Row, class T>
Row first_row(einsum_equation::labels const& labels, einsum_equation::labels const& whole, T* data,
              shape const& local) {
  Row r{data, {}, {}};
  for (int d = 0, n = 0; d < labels.rank; ++d)
    if (whole.find(labels.label[d]) >= 0) {
      r.extents[n] = local[d];
      r.strides[n++] = local.stride(d);
    }
  return r;
}

template <class Op>
concept acts_on_rows = requires(einsum_equation const& e) {
  Op::whole.find(e.out.label[0]);
  Op::eq.operands;
};

}  // namespace kernels_detail

}  // namespace ashlar

namespace ashlar::kernels {

template <class Op, class S, class T, class... X>
  requires kernels_detail::acts_on_rows<Op>
void run(Op const& op, S const& space, scratch_memory, shard<T> const& y, shard<X const> const&... x) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr auto const& e = Op::eq;
    constexpr auto const& whole = Op::whole;
    using all = std::make_index_sequence<1 + sizeof...(X)>;
    using result_row = tensor_row<T, kernels_detail::count_whole(e.out, whole)>;
    // A product<...>, written out for nvcc 13.
    using rows =
        kernels_detail::factors<std::make_integer_sequence<int, 1 + static_cast<int>(sizeof...(X))>, result_row,
                                tensor_row<X const, kernels_detail::count_whole(e.in[I], whole)>...>;
    shape const extents = y.local_extents();
    kernels_detail::user_kernel<Op, e.out.rank, all, result_row,
                                tensor_row<X const, kernels_detail::count_whole(e.in[I], whole)>...>
        kernel{op,
               extents,
               {},
               {},
               rows(kernels_detail::first_row<result_row>(e.out, whole, y.data, extents),
                    kernels_detail::first_row<tensor_row<X const, kernels_detail::count_whole(e.in[I], whole)>>(
                        e.in[I], whole, x.data, x.local_extents())...)};
    for (int d = 0; d < e.out.rank; ++d) {
      char const label = e.out.label[d];
      kernel.held[d] = y.owned.dim[d];
      if (whole.find(label) >= 0) {
        kernel.rows[d] = kernel.rows[d] != 0;
        continue;
      }
      kernel.stride[0][d] = extents.stride(d);
      ((kernel.stride[1 + I][d] = e.in[I].find(label) < 0 ? 0 : x.local_extents().stride(e.in[I].find(label))), ...);
    }
    kernels_detail::for_elements("ashlar::user_operation", space, kernel.rows.size(), kernel);
  }(std::index_sequence_for<X...>{});
}

}  // namespace ashlar::kernels

// SPDX-License-Identifier: BSL-1.0
// Assignments and stencils that reduce the elements that they write, in the same kernel.
#pragma once
#include "ashlar/kernels/stencils/checked_reads.hpp"
#include "ashlar/kernels/stencils/write_and_reduce.hpp"
#include "ashlar/ops/stencils/stencil_and_reduce.hpp"
#include "ashlar/tensor/assign.hpp"
#include "ashlar/tensor/stencils/stencil.hpp"
#include <optional>

namespace ashlar::tensor_detail {

/// The elements of a tensor that a kernel is going to write. The tensor is set before the kernel runs.
template <class Tensor>
struct new_elements_source {
  std::shared_ptr<std::optional<Tensor>> tensor;
  auto leaf(shape const& out) const {
    using T = typename Tensor::element_type;
    auto const cells = owned_cells_of(**tensor);
    kernels::read_back<T> l{{cells.first, {}}};
    broadcast_strides(cells.own, out, cells.stride, l.stride);
    return l;
  }
  void expect(std::shared_ptr<reader> const&) const {}
  static long reads(void const*) { return 0; }
  void keep(void const*) {}
};
template <class Tensor>
inline constexpr bool is_new_elements<new_elements_source<Tensor>> = true;

template <class Tensor>
using new_elements_of =
    expression<element_t<Tensor>, layout_t<Tensor>, mesh_t<Tensor>, leaf_node, new_elements_source<Tensor>>;

/// A reduction of new elements: a kernel will do it. X is the expression that it reduces.
template <class T, class L, class M, class Op, unsigned Dims, class X>
class awaited_reduction {
 public:
  using element_type = T;
  using layout_type = L;
  using mesh_type = M;
  using tensor_type = sharded_tensor<T, L, M>;
  using reduction = Op;
  static constexpr unsigned dims = Dims;
  X operand;

  awaited_reduction(device_mesh<M> const& m, shape const& extents, X const& x)
      : operand(x), mesh_(m), extents_(extents) {}
  device_mesh<M> const& mesh() const { return mesh_; }
  shape const& extents() const { return extents_; }
  auto evaluate() const {  // deduced, as in expression
    static_assert(
        !std::is_same_v<X, X>,
        "ashlar::assign_and_reduce: the function returns its reduction as it is; do all else, such as all_reduce, with the result");
    return tensor_type(mesh_, extents_);
  }

 private:
  device_mesh<M> mesh_;
  shape extents_;
};
template <class T, class L, class M, class Op, unsigned Dims, class X>
leaf_node node_of(awaited_reduction<T, L, M, Op, Dims, X> const& x) {
  (void)x.evaluate();  // for its sentence
  return {};
}
template <class T, class L, class M, class Op, unsigned Dims, class X>
auto sources_of(awaited_reduction<T, L, M, Op, Dims, X> const& x) {
  using target = sharded_tensor<T, L, M>;
  return product<tensor_source<target>>(target(x.mesh(), x.extents()));
}
template <class X>
inline constexpr bool is_awaited_reduction = false;
template <class T, class L, class M, class Op, unsigned Dims, class X>
inline constexpr bool is_awaited_reduction<awaited_reduction<T, L, M, Op, Dims, X>> = true;

template <class T, class L, class Op, unsigned Dims, class M, class X>
  requires reads_new_elements<X>
auto make_result(real_ranks, reduce_op<Op, Dims> const&, device_mesh<M> const& m, shape const& extents, X const& x) {
  return awaited_reduction<T, L, M, Op, Dims, X>(m, extents, x);
}

/// Calls the function of new elements. Returns what it gives: an awaited reduction, or a tensor that it made of others.
template <class Tensor, class G>
auto reduction_of(G const& g, new_elements_of<Tensor> const& elements) {
  auto r = g(elements);
  using R = decltype(r);
  static_assert(
      is_awaited_reduction<R> || requires { typename R::execution_space; },
      "ashlar::assign_and_reduce: the function gives one reduction of the new elements; return sum(x * x), or max(abs(x))");
  return r;
}

template <class X, class Y>
bool has_cells_of(X const& x, Y const& y) {
  if constexpr (std::is_same_v<owned_layout_t<layout_t<X>>, owned_layout_t<layout_t<Y>>>)
    return x.extents() == y.extents();
  else
    return false;
}

template <class Y>
kernels::written<element_t<Y>> written_cells_of(Y const& y) {
  auto const cells = owned_cells_of(y);
  kernels::written<element_t<Y>> l{cells.first, {}};
  std::copy_n(cells.stride, rank_v<Y>, l.stride);
  return l;
}

// Writes a box of the owned cells of y, and reduces it, if one kernel can.
template <class Op, class Y, class E, class Result, class Write, class... Leaf>
bool write_and_reduce_box(Y const& y, E const& reduced, kernels::box const& cells, Result* out, Write const& write,
                          Leaf const&... leaf) {
  using T = element_t<Y>;
  shape const own = y.local_region().extents();
  return reduced.sources().apply_to([&](auto const&... s) {
    using value = fused<node_of_t<E>>;
    kernels_detail::write_then_read<T, Write, value, sizeof...(Leaf)> const f{write, value{reduced.node()}};
    return kernels::write_and_reduce<Op>(Kokkos::DefaultExecutionSpace{}, cells, rank_v<Y>, out, f, written_cells_of(y),
                                         leaf..., s.leaf(own)...);
  });
}
template <class R>
inline constexpr bool gives_a_scalar = R::layout_type::rank == 0;

/// Writes an expression to y, and gives the reduction of what is written.
template <class Y, class R, class Node, class... Source>
typename R::tensor_type write_and_reduce(Y const& y, R const& reduction, Node const& node, Source const&... s) {
  using Op = typename R::reduction;
  typename R::tensor_type result(reduction.mesh(), reduction.extents());
  auto const& reduced = reduction.operand;
  if constexpr (gives_a_scalar<R> && rank_v<Y> != 0)
    if (has_cells_of(reduced, y)) {
      shape const own = y.local_region().extents();
      if (write_and_reduce_box<Op>(y, reduced, box_of(own), cells_of(result), fused<Node>{node}, s.leaf(own)...)) {
        take_given_cells(y, s...);
        return result;
      }
    }
  write_elements(y, fused<Node>{node}, s...);
  reduce_expression<Op>(reduced, R::dims, result);
  return result;
}

template <class Y, class R, class Node, class Numbers, class... Source>
typename R::tensor_type assign_and_reduce(Y& y, std::optional<Y>& target, R const& reduction, Node const& node,
                                          factors<Numbers, Source...> const& sources) {
  auto to = memory_to_write(y, sources);
  target.emplace(same_memory(to));
  auto const result = sources.apply_to([&](auto const&... s) { return write_and_reduce(to, reduction, node, s...); });
  y = std::move(to);
  return result;
}

/// Makes the elements of y those of a tensor or an expression, and gives the reduction g of the new elements. All else
/// that g reads, y itself too, has the elements from before.
template <class T, class L, class M, class S, class Value, class G>
auto assign_and_reduce(real_ranks runs, sharded_tensor<T, L, M, S>& y, Value value, G const& g) {
  using Y = sharded_tensor<T, L, M, S>;
  auto const target = std::make_shared<std::optional<Y>>();
  auto const reduction = reduction_of<Y>(
      g, new_elements_of<Y>(y.mesh(), y.extents(), leaf_node{}, product<new_elements_source<Y>>({target})));
  if constexpr (!is_awaited_reduction<std::remove_const_t<decltype(reduction)>>) {
    assign_elements(runs, y, std::move(value));
    return reduction;
  } else if constexpr (requires { value.finished(); }) {
    auto const node = node_of(value);
    auto const sources = sources_of(value);
    if (auto const* const finished = value.finished())
      return assign_and_reduce(y, *target, reduction, leaf_node{}, sources_of(*finished));
    value.drop();  // it would keep a copy of what it reads
    return assign_and_reduce(y, *target, reduction, node, sources);
  } else {
    return assign_and_reduce(y, *target, reduction, leaf_node{}, sources_of(value));
  }
}

template <class F, int Rank>
struct stencil_of_leaves {
  F f;
  template <class... U>
  ASHLAR_FUNCTION auto operator()(U const&... u) const {
    return kernels_detail::call_checked<Rank>(f, cell_index<Rank>{}, u...);
  }
};
template <class X>
kernels::cells_around<element_t<X>, rank_v<X>> cells_around_of(X const& x) {
  auto const cells = owned_cells_of(x);
  kernels::cells_around<element_t<X>, rank_v<X>> l{{cells.first, {}}, {}};
  std::copy_n(cells.stride, rank_v<X>, l.first.stride);
  std::copy_n(cells.stride, rank_v<X>, l.stride);
  return l;
}

/// Writes the stencil f of x and v to y, and its reduction to `result`, box by box. The results of several boxes are
/// combined in their order.
template <class R, class Y, class F, class X, class U, class... V>
void write_stencil_and_reduce(R const& reduction, typename R::tensor_type const& result, Y const& y, F const& f,
                              X const& x, U&& u, V const&... v) {
  using Op = typename R::reduction;
  using T = typename R::element_type;
  constexpr int rank = rank_v<X>;
  using S = typename X::execution_space;
  region const own = x.local_region();
  auto const& reduced = reduction.operand;
  check_linearity<rank, element_t<X>, element_t<V>...>(f, own, box_of(own.extents()));
  auto const run = [&](kernels::box const& cells) {
    run_stencil_kernel(S{}, stencil_on(f, stencil_target_of(y), cells, own, owned_cells_of(x), owned_cells_of(v)...));
  };
  auto const fused_run = [&](kernels::box const& cells, T* out) {
    return write_and_reduce_box<Op>(y, reduced, cells, out, stencil_of_leaves<F, rank>{f}, cells_around_of(x),
                                    cells_around_of(v)...);
  };
  if constexpr (std::is_same_v<std::remove_cvref_t<U>, X>) {
    kernels::box const all = box_of(own.extents());
    if (fused_run(all, cells_of(result))) return;
    run(all);
    reduce_expression<Op>(reduced, R::dims, result);
  } else {
    auto const of_boxes = scratch_from_pool<S>.template array<T>(1 + 2 * rank);
    index_t boxes = 0;
    run_around_exchange<F, 1>(box_of(own.extents()), x, std::forward<U>(u), [&](kernels::box const& cells) {
      if (cells.shape(rank).size() == 0) return;
      T* const out = of_boxes.data() + boxes++;
      if (fused_run(cells, out)) return;
      run(cells);
      reduced.sources().apply_to([&](auto const&... s) {
        fused<node_of_t<decltype(reduced)>> const value{reduced.node()};
        kernels::reduce_box<Op>(S{}, cells, rank, out, value, s.leaf(own.extents())...);
      });
    });
    kernels::reduce<Op>(S{}, of_boxes.data(), shape::of(boxes), 1u, cells_of(result));
  }
}

/// The stencil f on the owned cells of x and v, as run_stencil, and the reduction g of its result.
template <class Y, class F, class G, class X, class U, class... V>
auto reduce_stencil(real_ranks runs, F const& f, G const& g, X const& x, U&& u, V const&... v) {
  constexpr int rank = rank_v<X>;
  auto const target = std::make_shared<std::optional<Y>>();
  auto const reduction = reduction_of<Y>(
      g, new_elements_of<Y>(x.mesh(), x.extents(), leaf_node{}, product<new_elements_source<Y>>({target})));
  using R = std::remove_const_t<decltype(reduction)>;
  if constexpr (!is_awaited_reduction<R>) {
    return std::pair(run_stencil<Y>(runs, f, stencil_box{}, x, std::forward<U>(u), v...), reduction);
  } else {
    typename R::tensor_type const result(reduction.mesh(), reduction.extents());
    constexpr bool with_index =
        ops_detail::takes_index<F, rank, ops_detail::neighbours_in<F, X>, ops_detail::neighbours_in<F, V>...>;
    constexpr bool with_components = ops_detail::cell_dimensions<F, rank> < rank;
    if constexpr (gives_a_scalar<R> && !with_index && !with_components)
      if (has_cells_of(reduction.operand, x)) {
        Y const y = plan_detail::fields_like<Y>(x);
        target->emplace(y);
        write_stencil_and_reduce(reduction, result, y, f, x, std::forward<U>(u), v...);
        if constexpr (layout_has_a_halo<layout_t<Y>>::value) copy_given_cells(typename Y::execution_space{}, x, y);
        return std::pair(y, result);
      }
    Y const y = run_stencil<Y>(runs, f, stencil_box{}, x, std::forward<U>(u), v...);
    target->emplace(y);
    reduce_expression<typename R::reduction>(reduction.operand, R::dims, result);
    return std::pair(y, result);
  }
}

}  // namespace ashlar::tensor_detail

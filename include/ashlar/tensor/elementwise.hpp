// SPDX-License-Identifier: BSL-1.0
// Elementwise expressions on real tensors: evaluated at their first read, as one kernel.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/expression_tree.hpp"
#include "ashlar/kernels/index_of_elements.hpp"
#include "ashlar/kernels/math.hpp"
#include "ashlar/kernels/random.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/roots.hpp"
#include "ashlar/meta/product.hpp"
#include "ashlar/ops/random.hpp"
#include "ashlar/tensor/given_cells.hpp"

namespace ashlar {

namespace tensor_detail {

// An operand of an expression, read where it is. It becomes a leaf of kernels::map when the expression is evaluated.
template <class Tensor>
struct tensor_source {
  Tensor tensor;
  tensor_source(Tensor const& x) : tensor(same_memory(x)) {}
  tensor_source(tensor_source const& s) : tensor_source(s.tensor) {}
  auto leaf(shape const& out) const {
    using T = typename Tensor::element_type;
    if constexpr (Tensor::rank == 0 && runs_in_caller<Kokkos::DefaultExecutionSpace>) {
      return kernels::constant<T>{*cells_of(tensor)};  // read once per kernel
    } else if constexpr (has_halo_sums<layout_t<Tensor>>) {
      return kernels::contiguous<T>(cells_of(tensor), out);
    } else if constexpr (layout_has_a_halo<layout_t<Tensor>>::value) {
      kernels::strided<T> const own = owned_leaf(tensor);
      kernels::strided<T> l{own.data, {}};
      broadcast_strides(tensor.local_region().extents(), out, own.stride, l.stride);
      return l;
    } else {
      kernels::strided<T> l{cells_of(tensor), {}};
      shape const e = tensor.local_extents();
      index_t own[max_rank]{};
      for (int d = 0; d < e.rank; ++d) own[d] = e.stride(d);
      broadcast_strides(e, out, own, l.stride);
      return l;
    }
  }
  void expect(std::shared_ptr<reader> const& r) const { block_of(tensor)->expect(r); }
  long reads(void const* block) const { return block_of(tensor).get() == block ? 1 : 0; }
  void keep(void const* block) {
    if (block_of(tensor).get() != block) return;
    Tensor own = copy_of_stored(tensor);
    std::swap(tensor, own);
  }
};

// A tensor that is repeated along the dimensions in a bit mask. `local` are the extents of this rank's shard then.
template <class Tensor, unsigned Dims>
struct repeated_source : tensor_source<Tensor> {
  shape local;
  auto leaf(shape const& out) const {
    kernels::strided<typename Tensor::element_type> l{cells_of(this->tensor), {}};
    shape const e = this->tensor.local_extents();
    index_t own[max_rank]{};
    for (int d = 0, k = 0; d < local.rank; ++d)
      if (!(Dims >> d & 1u)) own[d] = e.stride(k++);
    broadcast_strides(local, out, own, l.stride);
    return l;
  }
};

template <bool BlockCyclic>
struct random_source {
  prng_key key;
  shape global;
  region part;
  auto leaf(shape const& out) const {
    index_t own[max_rank]{};
    if constexpr (BlockCyclic) {
      kernels::cyclic_random_numbers<uniform_generator<float>> l(key, part, global);
      for (int d = 0; d < part.rank; ++d) own[d] = l.stride[d];
      broadcast_strides(part.extents(), out, own, l.stride);
      return l;
    } else {
      kernels::uniform_numbers<float> l{key, 0, {}};
      for (int d = 0; d < global.rank; ++d) {
        own[d] = global.stride(d);
        l.base += part.dim[d].begin * own[d];
      }
      broadcast_strides(part.extents(), out, own, l.stride);
      return l;
    }
  }
  void expect(std::shared_ptr<reader> const&) const {}
  static long reads(void const*) { return 0; }
  void keep(void const*) {}
};

// The global index of each element of a shard that holds `part`.
template <int Rank>
struct index_source {
  region part;
  auto leaf(shape const& out) const {
    kernels::index_of_elements<Rank> l(part);
    index_t own[max_rank]{};
    std::copy_n(l.stride, Rank, own);
    broadcast_strides(part.extents(), out, own, l.stride);
    return l;
  }
  void expect(std::shared_ptr<reader> const&) const {}
  static long reads(void const*) { return 0; }
  void keep(void const*) {}
};

/// True for the operand of an expression whose elements the kernel that reads them writes first
/// (tensor/stencils/write_and_reduce.hpp).
template <class Source>
inline constexpr bool is_new_elements = false;
template <class Sources>
inline constexpr bool has_new_elements = false;
template <class Numbers, class... Source>
inline constexpr bool has_new_elements<factors<Numbers, Source...>> = (is_new_elements<Source> || ...);
/// An expression that cannot be evaluated, because it reads new elements.
template <class X>
concept reads_new_elements = requires(X const& x) {
  x.finished();
  requires has_new_elements<std::remove_cvref_t<decltype(x.sources())>>;
};

// True if a layout is block-cyclic.
template <class L>
inline constexpr bool is_cyclic_v = encode_blocks(value_v<context_of<L>, L>) != 0;

template <class Source>
inline constexpr bool has_halo_v = false;
template <class Tensor>
inline constexpr bool has_halo_v<tensor_source<Tensor>> = layout_has_a_halo<layout_t<Tensor>>::value;

// Copies the given cells of the first operand that has a halo to y.
template <class Y, class First, class... Rest>
void take_given_cells(Y const& y, First const& first, Rest const&... rest) {
  if constexpr (has_halo_v<First>)
    copy_given_cells(typename Y::execution_space{}, first.tensor, y);
  else if constexpr (sizeof...(Rest) > 0)
    take_given_cells(y, rest...);
}

/// Writes the elements of an expression to y.
template <class Y, class F, class... Source>
void write_elements(Y const& y, F const& f, Source const&... s) {
  Kokkos::DefaultExecutionSpace const space{};
  if constexpr (has_halo_sums<layout_t<Y>>) {  // whose operands hold sums, too: all stored cells
    shape const out = y.stored_extents();
    kernels::map(space, out, all_cells_of(y), f, s.leaf(out)...);
  } else if constexpr (layout_has_a_halo<layout_t<Y>>::value) {
    auto const to = owned_cells_of(y);
    kernels::map_to(space, to.own, to.first, to.stride, f, s.leaf(to.own)...);
    take_given_cells(y, s...);
  } else {
    shape const out = y.local_extents();
    kernels::map(space, out, cells_of(y), f, s.leaf(out)...);
  }
}

template <class X>
inline constexpr bool has_another_type = true;

[[noreturn]] inline void fail_moved_expression() {
  throw error("ashlar::expression: the expression was moved from; read the one that it was moved to");
}

template <class T, class L, class M, class Node, class... Source>
class expression_state : public reader {
  using result = sharded_tensor<T, L, M>;

 public:
  expression_state(device_mesh<M> const& m, shape const& e, Node const& n, product<Source...> const& s)
      : mesh(m), extents(e), node(n), sources(s) {}
  expression_state(expression_state const&) = delete;
  expression_state& operator=(expression_state const&) = delete;
  ~expression_state() override {
    if (value_ != nullptr) value_->~result();
  }
  result const& evaluate() {
    if (value_ == nullptr) {
      result y(mesh, extents);
      sources.apply_to([&](auto const&... s) { write_elements(y, fused<Node>{node}, s...); });
      value_ = ::new (static_cast<void*>(memory_)) result(y);
    }
    return *value_;
  }
  /// The result if there is one yet, else null.
  result const* finished() const { return value_; }
  void keep(void const* block) override {
    sources.apply_to([&](auto&... s) { (s.keep(block), ...); });
  }

  device_mesh<M> const mesh;
  shape const extents;
  Node const node;
  product<Source...> sources;

 private:
  alignas(result) std::byte memory_[sizeof(result)];  // std::optional would compile 20 functions for each type
  result* value_ = nullptr;
};

}  // namespace tensor_detail

/// An elementwise expression that has not been read yet. It owns its operands. At its first read it runs as one kernel;
/// copies share the result. If an operand is updated in place, a living expression keeps a copy of the old operand: a
/// later expression may use it. These read it: every operation that is neither elementwise nor a reduction, evaluate(),
/// view(), and the conversion to sharded_tensor. A reduction evaluates it in its own kernel and stores nothing.
template <class T, class L, class M, class Node, class... Source>
class expression {
 public:
  using element_type = T;
  using layout_type = L;
  using mesh_type = M;
  using tensor_type = sharded_tensor<T, L, M>;
  static constexpr int rank = L::rank;

  expression(device_mesh<M> const& m, shape const& extents, Node const& node,
             meta_detail::product<Source...> const& sources)
      : state_(static_cast<tensor_detail::reader*>(new state(m, extents, node, sources))) {
    sources.apply_to([&](auto const&... s) { (s.expect(state_), ...); });
  }
  /// Does not compile: an expression has no memory to assign to.
  template <tensor X>
  expression& operator=(X const&) {
    static_assert(
        !tensor_detail::has_another_type<X>,
        "ashlar::expression: the variable is an expression, which keeps its type; make it a tensor by auto z = (expression).evaluate()");
    return *this;
  }
  device_mesh<M> const& mesh() const { return own().mesh; }
  shape const& extents() const { return own().extents; }
  index_t extent(int d) const { return extents()[d]; }
  auto const& evaluate() const {  // deduced, so that clang names the line of the program in the sentence
    static_assert(
        (!tensor_detail::is_new_elements<Source> && ...),
        "ashlar::assign_and_reduce: the function reads the new elements in one reduction, such as sum(x * x), and in elementwise operations below it; do all else with the result");
    return evaluate_now();
  }
  operator tensor_type() const { return evaluate(); }
  auto view() const& { return evaluate().view(); }
  /// Does not compile: the memory of a temporary goes with it.
  template <class X = expression>
  auto view() && {
    tensor_detail::refuse_temporary<X>();
    return typename tensor_type::const_view_type();
  }

  tensor_type const& evaluate_now() const { return own().evaluate(); }
  tensor_type const* finished() const { return own().finished(); }
  void drop() { state_.reset(); }
  auto const& node() const { return own().node; }
  auto const& sources() const { return own().sources; }

 private:
  using state = tensor_detail::expression_state<T, L, M, Node, Source...>;
  state& own() const {
    if (!state_) tensor_detail::fail_moved_expression();
    return static_cast<state&>(*state_);
  }

  std::shared_ptr<tensor_detail::reader> state_;  // a pointer to `state` would compile 40 functions of its own
};

namespace tensor_detail {

template <class T, class L, class M, class S>
leaf_node node_of(sharded_tensor<T, L, M, S> const&) {
  return {};
}
template <class T, class L, class M, class S>
auto sources_of(sharded_tensor<T, L, M, S> const& x) {
  using source = tensor_source<sharded_tensor<T, L, M, S>>;
  return product<source>(source(x));
}
template <class T, class L, class M, class Node, class... Source>
Node const& node_of(expression<T, L, M, Node, Source...> const& x) {
  return x.node();
}
template <class T, class L, class M, class Node, class... Source>
auto const& sources_of(expression<T, L, M, Node, Source...> const& x) {
  return x.sources();
}

template <class X>
using node_of_t = std::remove_cvref_t<decltype(node_of(std::declval<std::remove_cvref_t<X> const&>()))>;

template <class T, class L, class M, class Node, class Numbers, class... Source>
expression<T, L, M, Node, Source...> make_expression(device_mesh<M> const& m, shape const& e, Node const& n,
                                                     factors<Numbers, Source...> const& s) {
  return {m, e, n, s};
}

template <class T, class L, class F, class M, class... A>
auto make_result(real_ranks, elementwise_op<F> const& op, device_mesh<M> const& m, shape const& extents,
                 A const&... a) {
  using node = function_node<F, node_of_t<A>...>;
  return make_expression<T, L>(m, extents, node{op.f, product<node_of_t<A>...>(node_of(a)...)}, join(sources_of(a)...));
}
// A function of the index: the index is the first leaf.
template <class L, int Rank, class M>
auto sources_of_index(device_mesh<M> const& m, shape const& extents) {
  region const part = local_region(extents, value_v<mesh_context<M, L>, owned_layout_t<L>>, m.sizes(), m.rank());
  return product<index_source<Rank>>({part});
}
template <class T, class L, class F, int Rank, class M, class... A>
auto make_result(real_ranks, elementwise_op<function_of_index<F, Rank>> const& op, device_mesh<M> const& m,
                 shape const& extents, A const&... a) {
  using node = function_node<F, leaf_node, node_of_t<A>...>;
  return make_expression<T, L>(m, extents, node{op.f.f, product<leaf_node, node_of_t<A>...>({}, node_of(a)...)},
                               join(sources_of_index<L, Rank>(m, extents), sources_of(a)...));
}
template <class T, class L, unsigned Dims, class M, class A, class Like>
auto make_result(real_ranks, expand_op<Dims> const&, device_mesh<M> const& m, shape const& extents, A const& a,
                 Like const&) {
  using operand = std::remove_cvref_t<decltype(materialize(a))>;
  shape const local = local_shape(extents, value_v<mesh_context<M, L>, owned_layout_t<L>>, m.sizes(), m.rank());
  return make_expression<T, L>(m, extents, leaf_node{},
                               product<repeated_source<operand, Dims>>({{materialize(a)}, local}));
}
template <class T, class L, class R, class M, class A>
auto make_result(real_ranks, elementwise_op<fn::dropout<R>> const& op, device_mesh<M> const& m, shape const& extents,
                 A const& a) {
  constexpr layout_value layout = value_v<mesh_context<M, L>, L>;
  region const part = local_region(extents, layout, m.sizes(), m.rank());
  using node = function_node<kernels::dropout<T>, node_of_t<A>, leaf_node>;
  kernels::dropout<T> const f(static_cast<double>(op.f.rate));
  return make_expression<T, L>(m, extents, node{f, product<node_of_t<A>, leaf_node>(node_of(a), {})},
                               join(sources_of(a), product<random_source<is_cyclic_v<L>>>({op.f.key, extents, part})));
}

template <class Op, class X, class Y>
void reduce_owned(X const& x, unsigned dims, Y const& y) {
  kernels::map_reduce<Op>(typename Y::execution_space{}, x.local_region().extents(), dims, cells_of(y), same_value{},
                          owned_leaf(x));
}

/// A reduction of an expression without a value: its kernel evaluates the expression, and stores no element of it. If
/// that would change the order of the sum, the expression is evaluated first. So a program gets the same bits if it stores
/// an intermediate result.
template <class Op, class X, class Y>
void reduce_expression(X const& x, unsigned dims, Y const& y) {
  using S = Kokkos::DefaultExecutionSpace;
  using T = element_t<X>;
  using H = layout_t<X>;
  shape const local =
      local_shape(x.extents(), plan_detail::value_on<mesh_t<X>, owned_layout_t<H>>, x.mesh().sizes(), x.mesh().rank());
  bool reduced = false;
  if (x.finished() == nullptr)
    x.sources().apply_to([&](auto const&... s) {
      fused<node_of_t<X>> const f{x.node()};
      kernels::strided<T> stored{nullptr, {}};
      row_major_strides const strides = stored_strides<H>(local);
      std::copy_n(strides.stride, max_rank, stored.stride);
      if (!kernels::reduces_as_stored<Op>(local, dims, stored, f, s.leaf(local)...)) return;
      kernels::map_reduce<Op>(S{}, local, dims, cells_of(y), f, s.leaf(local)...);
      reduced = true;
    });
  if (reduced) return;
  if constexpr (layout_has_a_halo<H>::value)
    reduce_owned<Op>(x.evaluate_now(), dims, y);
  else
    kernels::reduce<Op>(S{}, x.evaluate_now().data(), local, dims, cells_of(y));
}
template <class T, class L, class Op, unsigned Dims, class M, class X>
  requires(requires(X const& x) { x.finished(); } && !reads_new_elements<X>)
auto make_result(real_ranks, reduce_op<Op, Dims> const&, device_mesh<M> const& m, shape const& extents, X const& x) {
  sharded_tensor<T, L, M> y(m, extents);
  reduce_expression<Op>(x, Dims, y);
  return y;
}
/// Reductions of a tensor with a halo read its owned cells.
template <class T, class L, class Op, unsigned Dims, class M, class X>
  requires(layout_has_a_halo<layout_t<X>>::value && !requires(X const& x) { x.finished(); })
auto make_result(real_ranks, reduce_op<Op, Dims> const&, device_mesh<M> const& m, shape const& extents, X const& x) {
  sharded_tensor<T, L, M> y(m, extents);
  reduce_owned<Op>(x, Dims, y);
  return y;
}
template <class T, class L, int Rank, class M, class X>
  requires(layout_has_a_halo<layout_t<X>>::value)
auto make_result(real_ranks, sum_to_op<Rank> const& op, device_mesh<M> const& m, shape const& extents, X const& x) {
  sharded_tensor<T, L, M> y(m, extents);
  reduce_owned<op::sum>(materialize(x), op.dims(x.extents()), y);
  return y;
}

/// Fills a tensor with random numbers, each a function of key and global index.
template <class R, class T, class L, class M, class S>
void fill_random(real_ranks, uniform_distribution<R> const& d, sharded_tensor<T, L, M, S>& x, prng_key key) {
  kernels::fill_uniform(S{}, cells_of(x), x.local_region(), x.extents(), key, d.low, d.high);
}
template <class R, class T, class L, class M, class S>
void fill_random(real_ranks, normal_distribution<R> const& d, sharded_tensor<T, L, M, S>& x, prng_key key) {
  kernels::fill_normal(S{}, cells_of(x), x.local_region(), x.extents(), key, d.mean, d.deviation);
}

template <class T, class L, class M, class S>
  requires(layout_has_a_halo<L>::value)
void fill_elements(real_ranks, sharded_tensor<T, L, M, S>& x, std::type_identity_t<T> const& value) {
  own_new_memory(x);
  kernels::map_to(S{}, x.stored_extents(), all_cells_of(x), x.stored_strides().stride, converted<T>{},
                  kernels::constant<T>{value});
}
// Sets every element of this rank, which other ranks need not do.
template <class T, class L, class M, class S>
void fill_elements(real_ranks, sharded_tensor<T, L, M, S>& x, std::type_identity_t<T> const& value) {
  own_new_memory(x);
  kernels::fill(S{}, cells_of(x), x.local_size(), value);
}
}  // namespace tensor_detail

/// Sets every element. Copies and expressions of the tensor keep its elements as they were.
/// Collective: if each rank has the whole tensor, all ranks give it the same value.
/// Cost: no communication.
/// Error: the next collective throws ashlar::error on every rank if they do not.
/// Example: fill(sums, 0.);
template <class T, class L, class M, class S>
void fill(sharded_tensor<T, L, M, S>& x, ops_detail::number_for<std::type_identity_t<T>, true> value,
          call_site w = call_site::current()) {
  T const element = value.element();
  if constexpr (sharded_tensor<T, L, M, S>::layout.sharding() == 0 && !plan_detail::layout_is_partial<L>::value)
    comm_detail::state_of(x.mesh()).calls.note_tensor(x.extents(), w, plan_detail::argument("value", element));
  tensor_detail::fill_elements(tensor_detail::real_ranks{}, x, element);
}

namespace tensor_detail {

template <class X>
auto elements_of(X& x) {
  if constexpr (std::is_const_v<X>)
    return materialize(x).data();
  else
    return cells_of(x);
}

/// Calls f(x, others...) on corresponding elements, in one kernel. f may write the elements of x, and of others that
/// are not const. If F::takes_a_root is a type, calls f.with_root(sqrt(f.under_root(x, others...)), x, others...)
/// instead. Copies and expressions of these tensors keep the elements as they were.
template <class F, class T, class L, class M, class S, class... X>
void update_elements(real_ranks, F const& f, sharded_tensor<T, L, M, S>& x, X&... others) {
  auto prepare = [](auto& t) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(t)>>) own_memory(real_ranks{}, t);
  };
  prepare(x);
  (prepare(others), ...);
  if constexpr (requires { typename F::takes_a_root; })
    kernels::for_each_with_root(S{}, x.local_size(), f, cells_of(x), elements_of(others)...);
  else
    kernels::for_each(S{}, x.local_size(), f, cells_of(x), elements_of(others)...);
}

}  // namespace tensor_detail

}  // namespace ashlar

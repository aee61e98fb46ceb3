// SPDX-License-Identifier: BSL-1.0
// Products of matrices, and batches of them, of which each rank has some terms of the summed label. No operand is gathered.
#pragma once
#include "ashlar/kernels/products/matrix.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/assign.hpp"
#include "ashlar/ops/products/einsum.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include "ashlar/tensor/compute.hpp"
#include "ashlar/tensor/haloed_tensor.hpp"
#include "ashlar/tensor/products/product_route.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/products/terms_in_panels.hpp"
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::kernels_detail {
template <class Space, class T>
struct matrix_products;  // kernels/products/einsum.hpp, which needs BLAS
}

namespace ashlar::tensor_detail {

/// Takes the steps of a route. Each shard between is freed as soon as the next step is done.
template <class T, class Space, class M>
stored_shard<T, Space> along_route(route_of_tensor const& route, device_mesh<M> const& m, stored_shard<T, Space> x,
                                   shape const& extents, call_site const& w) {
  for (int i = 0; i < route.size; ++i)
    x = step_of_shards<ops_detail::axes_with_ranks<M> == 0>(*route.step[i], m, x, extents, w);
  return x;
}

/// An operand of a product: its shard and its route.
template <class T, class Space, class M>
struct routed_operand {
  device_mesh<M> const& mesh;
  stored_shard<T, Space> shard;
  shape extents;
  route_of_tensor const& route;

  shape local_extents() const { return local_shape(extents, route.from, mesh.sizes(), mesh.rank()); }
  /// The terms of each rank of a gather over `axes`.
  std::vector<index_set> terms_of_ranks(axis_mask axes, int dim) const {
    mesh_shape const& sizes = mesh.sizes();
    std::vector<index_set> terms;
    for (int q = 0; q < sizes.ranks(axes); ++q)
      terms.push_back(local_region(extents, route.from, sizes, sizes.with_position(mesh.rank(), axes, q)).dim[dim]);
    return terms;
  }
  /// The shard at the end of the route. `kept` owns it.
  kernels::shard<T const> redistributed(stored_shard<T, Space>& kept, call_site const& w) const {
    kept = along_route(route, mesh, shard, extents, w);
    return {kept.data(), local_region(extents, route.to, mesh.sizes(), mesh.rank()), extents};
  }
};

/// An operand that is not gathered. Other ranks of the node read it in place. Between nodes it travels in panels. If no
/// axes gather it, each rank has all terms.
/// Collective: the ranks that differ along the axes. They may read the operand until this object ends.
template <class T, class Space, class M>
class operand_of_product {
 public:
  operand_of_product(routed_operand<T, Space, M> const& x, int dim, panels_of_terms const& panels,
                     side_of_segment operand, std::vector<index_set> const& terms, call_site const& w)
      : x_(x), panels_(panels), operand_(operand) {
    shard_of_terms<T> const own{x_.shard.data(), dim, x_.local_extents()};
    if (terms.size() > 1)
      offer(own, terms, w);
    else
      shards_.push_back(own);
  }
  operand_of_product(operand_of_product const&) = delete;
  operand_of_product& operator=(operand_of_product const&) = delete;
  // After an error elsewhere the other ranks may still read the operand.
  ~operand_of_product() {
    try {
      end();
    } catch (error const&) {
    }
  }
  bool travels() const { return in_panels_.has_value(); }
  /// Waits for a panel, and begins the next one. Pre: the panel before is released.
  void receive(index_t t) {
    if (!travels()) return;
    in_collective([&] {
      in_panels_->receive(t);
      if (t + 1 < panels_.count) in_panels_->post(t + 1);
    });
  }
  void release() {
    if (travels()) in_collective([&] { in_panels_->release(); });
  }
  void progress() {
    if (travels()) in_panels_->progress();
  }
  /// The slice of a segment in the panel that was received.
  part_of_operand<T> part(std::size_t segment, interval const& slice) const {
    if (travels()) return in_panels_->part(segment);
    auto const& at = panels_.segments[segment].*operand_;
    return shards_[static_cast<std::size_t>(at.rank)].part(at.begin + slice.begin);
  }
  /// Waits until no other rank reads the operand. Error: ashlar::error if one does not come.
  void end() {
    if (!std::exchange(is_read_, false)) return;
    scope_->enter();
    round_->end();
  }
  /// Ends a collective that is not complete, after an error elsewhere: the other ranks learn of it.
  void give_up() {
    if (!travels()) return;
    try {
      in_collective([] { throw error("ashlar::matmul: the other operand did not arrive"); });
    } catch (error const&) {
    }
  }

 private:
  void offer(shard_of_terms<T> const& own, std::vector<index_set> const& terms, call_site const& w) {
    device_mesh<M> const& m = x_.mesh;
    plan_step const& s = *x_.route.step[0];
    communicator const& ranks = m.communicator(s.axes);
    if (m.recorder()) note(m, s, step_bytes(s, x_.extents, m.sizes(), sizeof(T)), w);
    step_transfers const& v = *remembered_transfers(s, x_.extents, m.sizes(), m.rank());
    constexpr std::uint64_t in_panels = 2;  // other calls of an all_gather have another fingerprint
    std::uint64_t const fingerprint =
        fingerprint_of(collective_of(s.what), v.fingerprint, element_code<T>, in_panels, panels_.count);
    scope_.emplace(m, s, fingerprint, v.received * sizeof(T), w, collective_kind::goes_on);
    round_.emplace(ranks, fingerprint, static_cast<T const*>(x_.shard.data()),
                   static_cast<std::size_t>(v.source.size()));
    if (*round_) {
      is_read_ = true;
      ranks.counters().all_gather.add(static_cast<std::size_t>(v.source.size()) * sizeof(T));
      for (int q = 0; q < ranks.size(); ++q)
        shards_.push_back({round_->group().template source<T>(q), own.dim,
                           own.extents_of(terms[static_cast<std::size_t>(q)].size())});
    } else {
      in_panels_.emplace(ranks, panels_, operand_, own);
      or_give_up([&] { in_panels_->post(0); });
    }
    scope_->leave();
  }
  template <class F>
  void or_give_up(F f) {
    try {
      f();
    } catch (...) {
      in_panels_->give_up();
      in_panels_.reset();
      throw;
    }
  }
  // Calls f in the collective, which the rank enters again.
  template <class F>
  void in_collective(F f) {
    or_give_up([&] {
      scope_->enter();
      struct leaving {
        collective_scope& scope;
        ~leaving() { scope.leave(); }
      } const here{*scope_};
      f();
    });
  }

  routed_operand<T, Space, M> x_;
  panels_of_terms const& panels_;
  side_of_segment operand_;
  std::vector<shard_of_terms<T>> shards_;  // by rank, that are read in place
  std::optional<collective_scope> scope_;
  std::optional<node_round> round_;
  std::optional<operand_in_panels<Space, T>> in_panels_;
  bool is_read_ = false;
};

/// The shard to which a product is written: c = alpha a b + beta c. If it has no memory, it gets some; beta is 0 then.
template <class T, class S>
struct shard_of_product {
  stored_shard<T, S> c = {};
  T alpha = T(1), beta = T(0);

  /// `product`: its extents; `elements`: of the shard.
  T* memory(shape const& product, index_t elements) {
    if (!c.owner) c.owner = memory_of_shard<typename S::memory_space>(product, elements, sizeof(T));
    return c.data();
  }
};

/// c = alpha a b + beta c for a panel, with beta = 1 after the first one: one BLAS call for each segment.
/// `product`: the extents of the shard c.
template <class S, class T, class A, class B>
void multiply_panel(product_dims const& d, shape const& product, panels_of_terms const& panels, index_t t, A& a, B& b,
                    shard_of_product<T, S> const& result) {
  using enum label_role;
  using products = kernels_detail::matrix_products<S, T>;
  role_strides const of_c = d.strides(2, product);
  bool const transposed = d.is_last(2, row);                                              // c' = b' a'
  label_role const major = transposed ? column : row, minor = transposed ? row : column;  // of c as it is stored
  // The matrix of two roles, or its transpose, at the begin of the batch.
  auto const matrix_of = [&](int array, T const* data, role_strides const& of, label_role first, label_role second) {
    bool const stored_transposed = d.is_last(array, first);
    return kernels::matrix<T>{data, of.stride_of(stored_transposed ? second : first), stored_transposed != transposed};
  };
  for (std::size_t s = 0; s < panels.segments.size(); ++s) {
    interval const slice = panels.slice(s, t);
    if (slice.size() == 0) continue;
    auto const x = a.part(s, slice), y = b.part(s, slice);
    role_strides const of_a = d.strides(0, x.extents), of_b = d.strides(1, y.extents);
    auto left = matrix_of(0, x.data, of_a, row, summed), right = matrix_of(1, y.data, of_b, summed, column);
    index_t step_left = of_a.stride_of(batch), step_right = of_b.stride_of(batch);
    if (transposed) {
      std::swap(left, right);
      std::swap(step_left, step_right);
    }
    T const beta = s == 0 && t == 0 ? result.beta : T(1);
    products::run(S{}, of_c.extent_of(batch), of_c.extent_of(major), of_c.extent_of(minor), slice.size(), result.alpha,
                  left, step_left, right, step_right, beta, result.c.data(), of_c.stride_of(major),
                  of_c.stride_of(batch));
    a.progress();
    b.progress();
  }
}

/// True if kernels/products/einsum.hpp is included and BLAS multiplies these elements.
template <class S, class T>
concept has_matrix_products = requires { requires kernels_detail::matrix_products<S, T>::fits; };

/// BLAS is slow for few terms, so smaller blocks are gathered at once.
inline constexpr index_t least_terms_in_place = 128;

/// einsum<E> of two operands in the layouts of their routes, if it can do without gathering an operand along the summed
/// label. On a node BLAS reads the blocks of the other ranks. Between nodes panels travel, and the next one travels while
/// BLAS multiplies. Otherwise it returns false.
/// `product`: its extents; `layout`: of the product.
template <equation E, class T, class S, class M>
bool product_in_place(routed_operand<T, S, M> const& a, routed_operand<T, S, M> const& b, shape const& product,
                      layout_value const& layout, shard_of_product<T, S>& result, call_site const& w) {
  constexpr product_dims d(einsum_op<E>::eq);
  if constexpr (runs_in_caller<S> && d.is_batch_of_matrices && has_matrix_products<S, T>) {
    bool const a_is_read = a.route.gathers_only(d.of_a), b_is_read = b.route.gathers_only(d.of_b);
    if (!(a_is_read || b_is_read) || !(a_is_read || a.route.is_ready(d.of_a)) ||
        !(b_is_read || b.route.is_ready(d.of_b)))
      return false;
    axis_mask const of_a = a_is_read ? a.route.step[0]->axes : 0, of_b = b_is_read ? b.route.step[0]->axes : 0;
    device_mesh<M> const& m = a.mesh;
    // A group of ranks reads one operand in place at a time. Axes of size 1 make no other group.
    if (m.sizes().ranks(of_a ^ of_b) == 1) return false;
    auto const terms_of_a = a.terms_of_ranks(of_a, d.of_a), terms_of_b = b.terms_of_ranks(of_b, d.of_b);
    panels_of_terms panels(terms_of_a, terms_of_b);
    auto const segments = static_cast<index_t>(panels.segments.size());
    if (segments == 0 || a.extents[d.of_a] < least_terms_in_place * segments) return false;
    shape const local = local_shape(product, layout, m.sizes(), m.rank());
    result.memory(product, local.size());
    operand_of_product<T, S, M> left(a, d.of_a, panels, &segment_of_terms::of_a, terms_of_a, w);
    std::optional<operand_of_product<T, S, M>> right;
    try {
      right.emplace(b, d.of_b, panels, &segment_of_terms::of_b, terms_of_b, w);
      if (!left.travels() && !right->travels()) panels.count = 1;
      for (index_t t = 0; t < panels.count; ++t) {
        left.receive(t);
        right->receive(t);
        multiply_panel<S>(d, local, panels, t, left, *right, result);
        left.release();
        right->release();
      }
      left.end();
      right->end();
    } catch (...) {
      left.give_up();
      if (right) right->give_up();
      throw;
    }
    return true;
  } else {
    return false;
  }
}

/// Writes einsum<E> of two operands to a shard in this layout, or adds it.
template <equation E, class T, class S, class M>
void write_product(routed_operand<T, S, M> const& a, routed_operand<T, S, M> const& b, shape const& product,
                   layout_value const& layout, shard_of_product<T, S>& result, call_site const& w) {
  if (product_in_place<E>(a, b, product, layout, result, w)) return;
  stored_shard<T, S> x, y;
  kernels::shard<T const> const left = a.redistributed(x, w), right = b.redistributed(y, w);
  region const part = local_region(product, layout, a.mesh.sizes(), a.mesh.rank());
  T* const c = result.memory(product, part.size());
  evaluate_shards<S>(ops_detail::scaled_einsum<E, T>{result.alpha, result.beta}, kernels::shard<T>{c, part, product},
                     left, right);
}

/// einsum<E> of two operands. The shard of the result is in the layout in which its route ends.
template <equation E, class T, class S, class M>
stored_shard<T, S> product_of_shards(routed_operand<T, S, M> const& a, routed_operand<T, S, M> const& b,
                                     route_of_tensor const& result, shape const& product, call_site const& w) {
  shard_of_product<T, S> to;
  write_product<E>(a, b, product, result.from, to, w);
  return along_route(result, a.mesh, std::move(to.c), product, w);
}

/// True if all reductions of a layout are sums.
constexpr bool reduces_by_sums(layout_value const& v) {
  for (int l = 0; l < v.levels; ++l)
    if (v.reductions[l].op != op_sum) return false;
  return true;
}

/// True if a product of A and B into layout To is computed by layouts that are values.
template <class M, class To, class A, class B>
inline constexpr bool multiplies_shards = [] {
  using c = plan_detail::mesh_context<M, layout_t<A>, layout_t<B>, To>;
  using T = element_t<A>;
  if constexpr (layout_detail::layout_has_a_halo<layout_t<A>>::value ||
                layout_detail::layout_has_a_halo<layout_t<B>>::value || layout_detail::layout_has_a_halo<To>::value ||
                !std::is_same_v<typename c::ops, builtin_ops> || !reduces_elements<op::sum, T>::value)
    return false;
  else
    return std::is_base_of_v<tensor_on<T, layout_t<A>, M>,
                             std::remove_cvref_t<decltype(materialize(std::declval<A const&>()))>> &&
           std::is_base_of_v<tensor_on<T, layout_t<B>, M>,
                             std::remove_cvref_t<decltype(materialize(std::declval<B const&>()))>> &&
           reduces_by_sums(value_v<c, layout_t<A>>) && reduces_by_sums(value_v<c, layout_t<B>>) &&
           reduces_by_sums(value_v<c, To>);
}();

/// The routes of einsum<E> of two tensors into layout To.
template <equation E, class To, class T, class LA, class LB, class M>
product_route const& route_of_product(ops_detail::product_problem const& p, shape const& a, shape const& b,
                                      shape const& product, mesh_shape const& sizes) {
  static thread_local product_routes routes;
  plan_detail::check_size<T>(product);
  return routes.of(p, a, b, sizes);
}

/// einsum<E> of two tensors as a tensor of layout To. Layouts between are values, so they need no types.
template <equation E, class To, class T, class LA, class LB, class M, class S>
sharded_tensor<T, To, M, S> multiply(ops_detail::product_problem const& p, sharded_tensor<T, LA, M, S> const& a,
                                     sharded_tensor<T, LB, M, S> const& b, shape const& product, call_site const& w) {
  product_route const& r =
      route_of_product<E, To, T, LA, LB, M>(p, a.extents(), b.extents(), product, a.mesh().sizes());
  routed_operand<T, S, M> const x{a.mesh(), stored(a), a.extents(), r.a}, y{a.mesh(), stored(b), b.extents(), r.b};
  stored_shard<T, S> const c = product_of_shards<E>(x, y, r.result, product, w);
  return {a.mesh(), product, c.owner, c.offset};
}

/// Adds alpha * einsum<E>(a, b) to c, in the memory of c if no other tensor and no operand shares it.
template <equation E, class T, class L, class LA, class LB, class M, class S>
void multiply_into(ops_detail::product_problem const& p, sharded_tensor<T, L, M, S>& c, T const& alpha,
                   sharded_tensor<T, LA, M, S> const& a, sharded_tensor<T, LB, M, S> const& b, call_site const& w) {
  product_route const& r =
      route_of_product<E, L, T, LA, LB, M>(p, a.extents(), b.extents(), c.extents(), c.mesh().sizes());
  routed_operand<T, S, M> const x{a.mesh(), stored(a), a.extents(), r.a}, y{a.mesh(), stored(b), b.extents(), r.b};
  bool const may_read_c = block_of(c)->held && block_of(c).use_count() != 1;
  if (!(r.result.from == r.result.to) || may_read_c) {
    stored_shard<T, S> const s = product_of_shards<E>(x, y, r.result, c.extents(), w);
    sharded_tensor<T, L, M, S> const product{c.mesh(), c.extents(), s.owner, s.offset};
    (void)ops_detail::update(c, [&](auto const& old) { return old + alpha * product; });
    return;
  }
  own_memory(real_ranks{}, c);
  shard_of_product<T, S> to{stored(c), alpha, T(1)};
  write_product<E>(x, y, c.extents(), r.result.to, to, w);
}

/// The same for x and its conjugate. `square(shard of the product, shard of x)` multiplies them, and returns false if it
/// cannot. Post: nothing, and no communication, if this rank needs other elements of the two operands, or receives some.
template <equation E, class To, class Square, class T, class L, class M, class S>
std::optional<sharded_tensor<T, To, M, S>> multiply_in_half(ops_detail::product_problem const& p, Square const& square,
                                                            sharded_tensor<T, L, M, S> const& x, shape const& product,
                                                            call_site const& w) {
  device_mesh<M> const& m = x.mesh();
  product_route const& r = route_of_product<E, To, T, L, L, M>(p, x.extents(), x.extents(), product, m.sizes());
  auto const indices = [&](route_of_tensor const& of) { return local_region(x.extents(), of.to, m.sizes(), m.rank()); };
  if (!r.a.is_local() || !r.b.is_local() || !(indices(r.a) == indices(r.b))) return std::nullopt;
  region const part = local_region(product, r.result.from, m.sizes(), m.rank());
  stored_shard<T, S> c{memory_of_shard<typename S::memory_space>(product, part.size(), sizeof(T)), 0}, kept;
  routed_operand<T, S, M> const operand{m, stored(x), x.extents(), r.a};
  if (!square(kernels::shard<T>{c.data(), part, product}, operand.redistributed(kept, w))) return std::nullopt;
  c = along_route(r.result, m, std::move(c), product, w);
  return sharded_tensor<T, To, M, S>{m, product, c.owner, c.offset};
}

}  // namespace ashlar::tensor_detail

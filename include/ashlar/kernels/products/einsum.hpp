// SPDX-License-Identifier: BSL-1.0
// Local einsum. Matrix products go to BLAS, by strides and flags rather than copies.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/kernels/products/blas.hpp"
#include "ashlar/kernels/products/contraction.hpp"
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/products/einsum.hpp"

namespace ashlar::kernels_detail {

template <class T>
struct axpby {
  T alpha, beta;
  KOKKOS_FUNCTION T operator()(T x, T y) const { return beta == T(0) ? alpha * x : alpha * x + beta * y; }
};

template <class Space, class T>
using scratch = Kokkos::View<T*, typename Space::memory_space>;

template <class T, class Space>
scratch<Space, T> make_scratch(Space const& space, labelled const& x) {
  return scratch<Space, T>(Kokkos::view_alloc(instance_of(space), Kokkos::WithoutInitializing, "ashlar::contract"),
                           static_cast<std::size_t>(x.extents.size()));
}

/// Makes c = alpha r + beta c for the result r that compute(out) stores to `out`.
template <class Space, class T, class Compute>
void scaled(Space const& space, labelled const& x, T alpha, T beta, T* c, Compute const& compute) {
  auto const finish = [&](T const* r) {
    kernels::map(space, x.extents, c, axpby<T>{alpha, beta}, kernels::contiguous(r, x.extents),
                 kernels::contiguous<T>(c, x.extents));
  };
  if (beta != T(0)) {
    auto const r = make_scratch<T>(space, x);
    compute(r.data());
    finish(r.data());
    space.fence("ashlar::contract: scratch");
  } else {
    compute(c);
    if (alpha != T(1)) finish(c);
  }
}

template <class T>
kernels::strided<T> leaf(T const* data, labelled const& x, labelled const& along) {
  kernels::strided<T> s{data, {}};
  x.strides_along(along, s.stride);
  return s;
}

/// The order of loops for a sum over the labels of x that c lacks: the order of x if c keeps it. Otherwise the summed
/// labels are innermost.
ASHLAR_INLINE labelled order_of_sum(labelled const& x, labelled const& c);
ASHLAR_INLINE unsigned dimensions_missing_in(labelled const& c, labelled const& x);

/// c = a, permuted and summed over the labels that c lacks, in one kernel. The sum is computed in the type of c.
template <class Space, class T, class R>
void rearrange(Space const& space, labelled const& from, labelled const& to, T const* a, R* c) {
  if constexpr (std::is_same_v<T, R>)  // else it is a sum
    if (from.labels.rank == to.labels.rank) {
      int order[max_rank]{};
      for (int d = 0; d < to.labels.rank; ++d) order[d] = from.labels.find(to.labels.label[d]);
      return kernels::permute(space, a, from.extents, order, c);
    }
  labelled const loops = order_of_sum(from, to);
  kernels::map_reduce<op::sum>(space, loops.extents, dimensions_missing_in(to, loops), c, same_value{},
                               leaf(a, from, loops));
}

/// Computes the products of a plan, one BLAS call after another. The longest outer loop is the batch of one call.
template <class Space, class T>
void run_gemm(Space const& space, gemm_loops g, T alpha, T const* a, T const* b, T beta, T* c) {
  stored_matrix const as = stored_a(g), bs = stored_b(g), cs = stored_c(g);
  int longest = 0;
  for (int d = 1; d < g.outer.rank; ++d)
    if (g.outer.extent[d] > g.outer.extent[longest]) longest = d;
  product_loop const batch = take_loop(g.outer, longest);
  index_t o[3], l[3];
  for (index_t i = 0; i < g.outer.size(); ++i)
    for (index_t s = 0; s < g.sums.size(); ++s) {
      g.outer.locate(i, o);
      g.sums.locate(s, l);
      kernels::matrix<T> const x{a + o[0] + l[0], as.leading, as.transposed != cs.transposed};
      kernels::matrix<T> const y{b + o[1] + l[1], bs.leading, bs.transposed != cs.transposed};
      T const by = s == 0 ? beta : T(1);
      if (cs.transposed)  // c' = b' a'
        kernels::gemm_batch(space, batch.n, g.n.n, g.m.n, g.k.n, alpha, y, batch.b, x, batch.a, by, c + o[2],
                            cs.leading, batch.c);
      else
        kernels::gemm_batch(space, batch.n, g.m.n, g.n.n, g.k.n, alpha, x, batch.a, y, batch.b, by, c + o[2],
                            cs.leading, batch.c);
    }
}

/// Local einsum of two operands: c = alpha sum(a b) + beta c over the labels that c lacks.
/// Shape: arrays are contiguous, row-major, in the space's memory.
/// Pre: a label has one extent; c overlaps neither operand. With beta = 0, c is not read.
/// Cost: float, double and complex: one BLAS call if batch, row, column and summed labels each flatten into one stride.
///   (Every matrix product does, transposed in any way.) Otherwise a few calls. Operands are rearranged in scratch only
///   if that is faster or BLAS has no other way. Products by element, dots and integers: one kernel. Labels summed in
///   one operand alone, and beta != 0 outside of BLAS, take a scratch array.
template <class Space, class T>
struct contract_call {
  Space const& space;
  T alpha, beta;

  scratch<Space, T> rearranged(labelled const& from, labelled const& to, T const* x) const {
    auto const r = make_scratch<T>(space, to);
    rearrange(space, from, to, x, r.data());
    return r;
  }

  void operator()(contraction const& x, T const* a, T const* b, T* c) const {
    if (x.c.extents.size() == 0) return;
    if (x.a.extents.size() == 0 || x.b.extents.size() == 0)
      return scaled(space, x.c, alpha, beta, c, [&](T* r) { kernels::fill(space, r, x.c.extents.size(), T(0)); });
    // Labels of one operand alone are summed there first. Dimensions of extent 1 are dropped.
    contraction y;
    y.a.append(x.a, [&](char l) { return x.a.extent(l) != 1 && (x.b.has(l) || x.c.has(l)); });
    y.b.append(x.b, [&](char l) { return x.b.extent(l) != 1 && (x.a.has(l) || x.c.has(l)); });
    y.c.append(x.c, [&](char l) { return x.c.extent(l) != 1; });
    scratch<Space, T> sa, sb;
    if (y.a.extents.size() < x.a.extents.size()) a = (sa = rearranged(x.a, y.a, a)).data();
    if (y.b.extents.size() < x.b.extents.size()) b = (sb = rearranged(x.b, y.b, b)).data();
    product(y, a, b, c);
    if (sa.data() || sb.data()) space.fence("ashlar::contract: scratch");
  }

  // Contracts in one kernel, without matrix products.
  void by_elements(contraction const& x, T const* a, T const* b, T* c) const {
    scaled(space, x.c, alpha, beta, c, [&](T* r) {
      labelled const loops = order_of_sum(x.a.labels.rank < x.b.labels.rank ? x.b : x.a, x.c);
      if (unsigned const sums = dimensions_missing_in(x.c, loops))
        kernels::map_reduce<op::sum>(space, loops.extents, sums, r, fn::multiply{}, leaf(a, x.a, loops),
                                     leaf(b, x.b, loops));
      else
        kernels::map(space, x.c.extents, r, fn::multiply{}, leaf(a, x.a, x.c), leaf(b, x.b, x.c));
    });
  }

  void product(contraction const& x, T const* a, T const* b, T* c) const {
    label_classes const classes(x);
    bool const rows = classes.m.size() > 1, columns = classes.n.size() > 1, summed = classes.k.size() > 1;
    if (!(rows && columns) && !(summed && (rows || columns))) return by_elements(x, a, b, c);
    gemm_plan const plan = best_gemm(classes);
    if constexpr (!kernels::BlasScalar<T>) {
      strided_gemm(space, plan.loops, alpha, a, b, beta, c);
    } else {
      if (plan.fits && classes.one_product()) return run_gemm(space, plan.loops, alpha, a, b, beta, c);
      // A contraction that touches each element once gains nothing from copies or from many calls.
      if (!(rows && columns && summed)) return by_elements(x, a, b, c);
      with_copies(x, plan, a, b, c);
    }
  }

  void with_copies(contraction const& x, gemm_plan plan, T const* a, T const* b, T* c) const {
    copies copy;
    for (int mask = 1; mask < 8; ++mask) {
      copies const trial{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
      gemm_plan p = best_gemm(label_classes(trial.of(x)));
      p.cost += trial.cost(x);
      if (!p.better_than(plan)) continue;
      plan = p;
      copy = trial;
    }
    contraction const y = copy.of(x);
    scratch<Space, T> sa, sb;
    if (copy.a) a = (sa = rearranged(x.a, y.a, a)).data();
    if (copy.b) b = (sb = rearranged(x.b, y.b, b)).data();
    if (copy.c) {
      auto const r = make_scratch<T>(space, y.c);
      run_gemm(space, plan.loops, alpha, a, b, T(0), r.data());
      scaled(space, x.c, T(1), beta, c, [&](T* z) { rearrange<Space, T>(space, y.c, x.c, r.data(), z); });
      space.fence("ashlar::contract: scratch");
    } else {
      run_gemm(space, plan.loops, alpha, a, b, beta, c);
      if (copy.a || copy.b) space.fence("ashlar::contract: scratch");
    }
  }
};

/// c = a times its conjugate, which is operand Conjugated. Returns false, and writes nothing, unless HERK computes it.
template <int Conjugated, class Space, class T>
bool contract_with_conjugate(Space const& space, contraction const& x, T const* a, T* c) {
  contraction y;
  auto const take = [](labelled& to, labelled const& from) {
    to.append(from, [&](char l) { return from.extent(l) != 1; });
  };
  take(y.a, x.a), take(y.b, x.b), take(y.c, x.c);
  auto const is_alone = [](labelled const& l, labelled const& other, labelled const& out) {
    for (int d = 0; d < l.labels.rank; ++d)
      if (!other.has(l.labels.label[d]) && !out.has(l.labels.label[d])) return true;
    return false;
  };
  if (x.c.extents.size() == 0 || x.a.extents.size() == 0 || is_alone(y.a, y.b, y.c) || is_alone(y.b, y.a, y.c))
    return false;
  label_classes const classes(y);
  gemm_plan const plan = best_gemm(classes);
  if (!plan.fits || !classes.one_product() || plan.loops.sums.size() != 1) return false;
  gemm_loops const& g = plan.loops;
  stored_matrix const as = stored_a(g), bs = stored_b(g), cs = stored_c(g);
  index_t const n = g.m.n, k = g.k.n;
  kernels::matrix<T> const left{a, as.leading, as.transposed != cs.transposed},
      right{a, bs.leading, bs.transposed != cs.transposed};
  if (!is_transpose(n, g.n.n, left, right) || n * n * k <= host_blas::least_for_half ||
      (std::max)({n, k, as.leading, cs.leading}) > INT_MAX)
    return false;
  for (int d = 0; d < g.outer.rank; ++d)
    if (g.outer.stride[0][d] != g.outer.stride[1][d]) return false;  // a batch times another batch
  index_t o[3];
  for (index_t i = 0; i < g.outer.size(); ++i) {
    g.outer.locate(i, o);
    kernels::matrix<T> factor = cs.transposed ? right : left;  // c' = b' a'
    factor.data += o[0];
    blas_of(space).hermitian_square(n, k, factor, (Conjugated == 0) != cs.transposed, c + o[2], cs.leading);
  }
  return true;
}

/// gemm_batch, for tensor/products/product_of_blocks.hpp, which includes no BLAS.
template <class Space, class T>
struct matrix_products {
  static constexpr bool fits = kernels::BlasScalar<T>;

  template <class... Arguments>
  static void run(Space const& space, Arguments... arguments) {
    kernels::gemm_batch(space, arguments...);
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <equation E, class S, class R, class T>
void run(ops_detail::einsum_op<E> const&, S const& space, scratch_memory, shard<R> const& y, shard<T const> const& a) {
  constexpr auto e = ops_detail::einsum_op<E>::eq;
  kernels_detail::rearrange(space, {e.in[0], a.local_extents()}, {e.out, y.local_extents()}, a.data, y.data);
}
template <equation E, class S, class T>
void run(ops_detail::scaled_einsum<E, T> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& a, shard<T const> const& b) {
  constexpr auto e = ops_detail::einsum_op<E>::eq;
  kernels_detail::contract_call<S, T> const call{space, op.alpha, op.beta};
  call({{e.in[0], a.local_extents()}, {e.in[1], b.local_extents()}, {e.out, y.local_extents()}}, a.data, b.data,
       y.data);
}
template <equation E, class S, class T>
void run(ops_detail::einsum_op<E> const&, S const& space, scratch_memory scratch, shard<T> const& y,
         shard<T const> const& a, shard<T const> const& b) {
  run(ops_detail::scaled_einsum<E, T>{T(1), T(0)}, space, scratch, y, a, b);
}

/// Returns false, and writes nothing, unless BLAS computes half of the product and mirrors it.
template <equation E, int Conjugated, class S, class T>
bool run(ops_detail::einsum_with_conjugate<E, Conjugated> const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& a) {
  if constexpr (kernels_detail::has_herk<T> && kernels_detail::runs_in_caller<S>) {
    constexpr auto e = ops_detail::einsum_op<E>::eq;
    return kernels_detail::contract_with_conjugate<Conjugated>(
        space, {{e.in[0], a.local_extents()}, {e.in[1], a.local_extents()}, {e.out, y.local_extents()}}, a.data,
        y.data);
  } else {
    return false;
  }
}

}  // namespace ashlar::kernels

#if ASHLAR_IMPL
#include "ashlar/kernels/products/impl/einsum.ipp"
#endif

// Products of matrices whose blocks are in the memory of several ranks of a node. Nothing is gathered.
#pragma once
#include "ashlar/kernels/matrix.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/relayout_plan.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include "ashlar/tensor/run_step.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::kernels_detail {
template <class Space, class T>
struct matrix_product;  // kernels/einsum.hpp, which needs BLAS
}

namespace ashlar::tensor_detail {

/// The dimension of the summed label in each operand of a product of two matrices. -1: the equation is another product.
struct summed_dims {
  int of_a = -1, of_b = -1;
  bool transposed = false;  // the result is [columns of b][rows of a]

  constexpr explicit summed_dims(einsum_equation const& e) {
    if (e.operands != 2 || e.in[0].rank != 2 || e.in[1].rank != 2 || e.out.rank != 2) return;
    for (int d = 0; d < 2; ++d) {
      int const other = e.in[1].find(e.in[0].label[d]);
      if (other < 0 || e.out.find(e.in[0].label[d]) >= 0) continue;
      char const row = e.in[0].label[1 - d], column = e.in[1].label[1 - other];
      if (row == column || e.out.find(row) < 0 || e.out.find(column) < 0) continue;
      of_a = d;
      of_b = other;
      transposed = e.out.find(column) == 0;
    }
  }
};

/// The plan that gathers a dimension in one step, and nothing else, is the only one of Plans.
template <class Plans>
constexpr bool gathers_only(layout_value const& from, layout_value const& to, int dim) {
  redistribution_plan const& p = Plans::value.plan[0];
  return Plans::value.size == 1 && p.size == 1 && p[0].what == collective::all_gather && to.dim[dim].size == 0 &&
         from.dim[dim].cyclic == 0 && from.dim[1 - dim] == to.dim[1 - dim] && p[0].axes == from.dim[dim].mask();
}

/// A block of an operand: some terms of the summed label.
template <class T>
struct block_of_terms {
  interval terms;
  T const* data;
  index_t leading;
};

/// An operand that is not gathered: other ranks of the node read it in place. Between nodes it is gathered.
/// Gathers: Plan is one all_gather of dimension `dim`, to layout To. Otherwise the operand is in that layout.
/// Collective: the ranks that differ along the axes of the gather. They may read the operand until this object ends.
template <class Plan, class To, bool Gathers, class T, class L, class M>
class operand_in_blocks {
 public:
  operand_in_blocks(tensor_on<T, L, M> const& x, int dim, [[maybe_unused]] call_site const& w) : x_(x), dim_(dim) {
    if constexpr (Gathers)
      if (ranks_of_gather(x) > 1) offer(w);
    if (blocks_.empty()) add(x.data(), x.local_region());
  }
  operand_in_blocks(operand_in_blocks const&) = delete;
  operand_in_blocks& operator=(operand_in_blocks const&) = delete;
  // After an error elsewhere the other ranks may still read the operand.
  ~operand_in_blocks() {
    try {
      end();
    } catch (error const&) {
    }
  }
  /// Waits until no other rank reads the operand. Error: ashlar::error if one does not come.
  void end() {
    if (!std::exchange(is_read_, false)) return;
    scope_->enter();
    round_->end();
  }
  std::vector<block_of_terms<T>> const& blocks() const { return blocks_; }

  static int ranks_of_gather(tensor_on<T, L, M> const& x) {
    return Gathers ? x.mesh().sizes().ranks(step_of<Plan, 0>.axes) : 1;
  }

 private:
  using space = typename tensor_on<T, L, M>::execution_space;

  void offer(call_site const& w) {
    device_mesh<M> const& m = x_.mesh();
    plan_step const& s = step_of<Plan, 0>;
    communicator const& ranks = m.communicator(s.axes);
    if (m.recorder()) note(m, s, step_bytes(s, x_.extents(), m.sizes(), sizeof(T)), w);
    step_transfers const& v = *remembered_transfers(s, x_.extents(), m.sizes(), m.rank());
    std::uint64_t const fingerprint = fingerprint_of(collective_of(s.what), v.fingerprint, element_code<T>);
    scope_.emplace(m, s, fingerprint, v.received * sizeof(T), w);
    round_.emplace(ranks, fingerprint, static_cast<T const*>(x_.data()), static_cast<std::size_t>(v.source.size()));
    if (*round_) {
      is_read_ = true;
      ranks.counters().all_gather.add(static_cast<std::size_t>(v.source.size()) * sizeof(T));
      for (int q = 0; q < ranks.size(); ++q)
        add(round_->group().template source<T>(q),
            local_region(x_.extents(), x_.layout, m.sizes(), m.sizes().with_position(m.rank(), s.axes, q)));
      std::ranges::sort(blocks_, {}, [](auto const& b) { return b.terms.begin; });
    } else {
      whole_.emplace(m, x_.extents());
      exchange(space{}, s, v, ranks, static_cast<T const*>(x_.data()), whole_->data());
      add(whole_->data(), whole_->local_region());
    }
    scope_->leave();
  }
  void add(T const* data, region const& r) {
    if (r.dim[dim_].size() > 0) blocks_.push_back({{r.dim[dim_].begin, r.dim[dim_].end}, data, r.extents()[1]});
  }

  tensor_on<T, L, M> x_;
  int dim_;
  std::vector<block_of_terms<T>> blocks_;
  std::optional<tensor_on<T, To, M>> whole_;
  std::optional<collective_scope> scope_;
  std::optional<node_round<T>> round_;
  bool is_read_ = false;
};

/// c = the product of the blocks, one BLAS call for each interval of terms in one block of each operand.
template <class S, class T>
void multiply_blocks(summed_dims const& d, index_t rows, index_t columns, std::vector<block_of_terms<T>> const& a,
                     std::vector<block_of_terms<T>> const& b, T* c) {
  auto const matrix = [](block_of_terms<T> const& x, index_t first, int dim, bool transposed) {
    return kernels::matrix<T>{x.data + (first - x.terms.begin) * (dim == 0 ? x.leading : 1), x.leading, transposed};
  };
  auto x = a.begin();
  auto y = b.begin();
  for (index_t first = 0; x != a.end() && y != b.end();) {
    index_t const last = std::min(x->terms.end, y->terms.end);
    auto const left = matrix(*x, first, d.of_a, (d.of_a == 0) != d.transposed);
    auto const right = matrix(*y, first, d.of_b, (d.of_b == 1) != d.transposed);
    T const beta = first == 0 ? T(0) : T(1);
    using product = kernels_detail::matrix_product<S, T>;
    if (d.transposed)
      product::run(S{}, columns, rows, last - first, right, left, beta, c);
    else
      product::run(S{}, rows, columns, last - first, left, right, beta, c);
    if (x->terms.end == last) ++x;
    if (y->terms.end == last) ++y;
    first = last;
  }
}

/// True if kernels/einsum.hpp is included and BLAS multiplies these elements.
template <class S, class T>
concept has_matrix_product = requires { requires kernels_detail::matrix_product<S, T>::fits; };

/// BLAS is slow for few terms, so smaller blocks are gathered.
inline constexpr index_t least_terms_in_place = 128;

/// The result of `gather(x, y)`, which is einsum<E> of x in layout ToX and y in layout ToY. On a node nothing is gathered
/// along the summed label: BLAS reads the blocks of the other ranks.
template <equation E, class ToX, class ToY, class X, class Y, class F>
auto gathered_product(X const& x, Y const& y, call_site const& w, F const& gather) {
  using M = mesh_t<X>;
  using T = element_t<X>;
  using S = typename tensor_on<T, ToX, M>::execution_space;
  constexpr summed_dims d(einsum_op<E>::eq);
  if constexpr (!runs_in_caller<S> || d.of_a < 0 || layout_detail::layout_has_a_halo<layout_t<X>>::value ||
                layout_detail::layout_has_a_halo<layout_t<Y>>::value) {
    return gather(x, y);
  } else {
    constexpr axis_mask all = ops_detail::axes_with_ranks<M>;
    using from_x = ops_detail::plans_between<M, layout_t<X>, ToX, all>;
    using from_y = ops_detail::plans_between<M, layout_t<Y>, ToY, all>;
    using cx = typename from_x::context;
    using cy = typename from_y::context;
    constexpr bool x_is_read = gathers_only<from_x>(value_v<cx, layout_t<X>>, value_v<cx, ToX>, d.of_a),
                   y_is_read = gathers_only<from_y>(value_v<cy, layout_t<Y>>, value_v<cy, ToY>, d.of_b),
                   x_is_ready = std::is_same_v<layout_t<X>, ToX> && value_v<cx, ToX>.dim[d.of_a].size == 0,
                   y_is_ready = std::is_same_v<layout_t<Y>, ToY> && value_v<cy, ToY>.dim[d.of_b].size == 0;
    if constexpr (!(x_is_read || y_is_read) || !(x_is_read || x_is_ready) || !(y_is_read || y_is_ready) ||
                  !has_matrix_product<S, T>) {
      return gather(x, y);
    } else {
      using A = operand_in_blocks<ops_detail::plan_number<from_x, 0>, ToX, x_is_read, T, layout_t<X>, M>;
      using B = operand_in_blocks<ops_detail::plan_number<from_y, 0>, ToY, y_is_read, T, layout_t<Y>, M>;
      using Result = decltype(gather(x, y));
      tensor_on<T, layout_t<X>, M> const a = materialize(x);
      tensor_on<T, layout_t<Y>, M> const b = materialize(y);
      index_t const ranks = std::max(A::ranks_of_gather(a), B::ranks_of_gather(b));
      if (ranks == 1 || a.extents()[d.of_a] / ranks < least_terms_in_place) return gather(x, y);
      tensor_on<T, layout_t<Result>, M> const c(a.mesh(), einsum_op<E>::extents({}, a.extents(), b.extents()));
      shape const local = c.local_extents();
      A left(a, d.of_a, w);
      B right(b, d.of_b, w);
      multiply_blocks<S, T>(d, local[d.transposed ? 1 : 0], local[d.transposed ? 0 : 1], left.blocks(), right.blocks(),
                            c.data());
      left.end();
      right.end();
      return Result(c);
    }
  }
}

}  // namespace ashlar::tensor_detail

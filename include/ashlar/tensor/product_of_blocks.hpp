// Products of matrices of which each rank has some terms of the summed label. No operand is gathered.
#pragma once
#include "ashlar/kernels/matrix.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/einsum.hpp"
#include "ashlar/ops/relayout_plan.hpp"
#include "ashlar/tensor/collective_scope.hpp"
#include "ashlar/tensor/run_step.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/tensor/terms_in_panels.hpp"
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

/// The terms of each rank of a gather over `axes`. Pre: the dimension of the terms is not block-cyclic.
template <class X>
std::vector<interval> terms_of_ranks(X const& x, axis_mask axes, int dim) {
  mesh_shape const& sizes = x.mesh().sizes();
  std::vector<interval> terms;
  for (int q = 0; q < sizes.ranks(axes); ++q) {
    auto const& d = local_region(x.extents(), x.layout, sizes, sizes.with_position(x.mesh().rank(), axes, q)).dim[dim];
    terms.push_back({d.begin, d.end});
  }
  return terms;
}

/// An operand that is not gathered. Other ranks of the node read it in place. Between nodes it travels in panels.
/// Gathers: Plan is one all_gather of dimension `dim`. Otherwise each rank has all terms.
/// Collective: the ranks that differ along the axes of the gather. They may read the operand until this object ends.
template <class Plan, bool Gathers, class T, class L, class M>
class operand_of_product {
 public:
  static axis_mask axes() {
    if constexpr (Gathers)
      return step_of<Plan, 0>.axes;
    else
      return 0;
  }

  operand_of_product(tensor_on<T, L, M> const& x, int dim, panels_of_terms const& panels, std::vector<interval> terms,
                     [[maybe_unused]] call_site const& w)
      : x_(x), dim_(dim), panels_(panels), terms_(std::move(terms)) {
    if constexpr (Gathers)
      if (terms_.size() > 1) offer(w);
    if (!scope_) shards_.push_back(shard(x_.data(), x_.local_extents(), terms_[0]));
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
    for (shard_of_terms<T> const& s : shards_)
      if (s.terms.begin <= slice.begin && slice.end <= s.terms.end) return s.part(slice);
    return {};
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
  using space = typename tensor_on<T, L, M>::execution_space;

  shard_of_terms<T> shard(T const* data, shape const& extents, interval const& terms) const {
    return {data, dim_, extents, terms};
  }
  void offer(call_site const& w) {
    device_mesh<M> const& m = x_.mesh();
    plan_step const& s = step_of<Plan, 0>;
    communicator const& ranks = m.communicator(s.axes);
    if (m.recorder()) note(m, s, step_bytes(s, x_.extents(), m.sizes(), sizeof(T)), w);
    step_transfers const& v = *remembered_transfers(s, x_.extents(), m.sizes(), m.rank());
    constexpr std::uint64_t in_panels = 2;  // other calls of an all_gather have another fingerprint
    std::uint64_t const fingerprint =
        fingerprint_of(collective_of(s.what), v.fingerprint, element_code<T>, in_panels, panels_.count);
    scope_.emplace(m, s, fingerprint, v.received * sizeof(T), w, collective_kind::goes_on);
    round_.emplace(ranks, fingerprint, static_cast<T const*>(x_.data()), static_cast<std::size_t>(v.source.size()));
    if (*round_) {
      is_read_ = true;
      ranks.counters().all_gather.add(static_cast<std::size_t>(v.source.size()) * sizeof(T));
      for (int q = 0; q < ranks.size(); ++q) {
        interval const terms = terms_[static_cast<std::size_t>(q)];
        shape extents = x_.local_extents();
        extents[dim_] = terms.size();
        if (terms.size() > 0) shards_.push_back(shard(round_->group().template source<T>(q), extents, terms));
      }
    } else {
      interval const own = terms_[static_cast<std::size_t>(ranks.rank())];
      in_panels_.emplace(ranks, panels_, std::move(terms_), shard(x_.data(), x_.local_extents(), own));
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

  tensor_on<T, L, M> x_;
  int dim_;
  panels_of_terms const& panels_;
  std::vector<interval> terms_;
  std::vector<shard_of_terms<T>> shards_;  // that are read in place
  std::optional<collective_scope> scope_;
  std::optional<node_round<T>> round_;
  std::optional<operand_in_panels<space, T>> in_panels_;
  bool is_read_ = false;
};

/// c = a b, or c += a b, for a panel: one BLAS call for each segment.
template <class S, class T, class A, class B>
void multiply_panel(summed_dims const& d, index_t rows, index_t columns, panels_of_terms const& panels, index_t t, A& a,
                    B& b, T* c) {
  for (std::size_t s = 0; s < panels.segments.size(); ++s) {
    interval const slice = panels.slice(s, t);
    if (slice.size() == 0) continue;
    auto const x = a.part(s, slice), y = b.part(s, slice);
    kernels::matrix<T> const left{x.data, x.leading, (d.of_a == 0) != d.transposed},
        right{y.data, y.leading, (d.of_b == 1) != d.transposed};
    T const beta = s == 0 && t == 0 ? T(0) : T(1);
    using product = kernels_detail::matrix_product<S, T>;
    if (d.transposed)
      product::run(S{}, columns, rows, slice.size(), right, left, beta, c);
    else
      product::run(S{}, rows, columns, slice.size(), left, right, beta, c);
    a.progress();
    b.progress();
  }
}

/// True if kernels/einsum.hpp is included and BLAS multiplies these elements.
template <class S, class T>
concept has_matrix_product = requires { requires kernels_detail::matrix_product<S, T>::fits; };

/// BLAS is slow for few terms, so smaller blocks are gathered at once.
inline constexpr index_t least_terms_in_place = 128;

/// The result of `gather(x, y)`, which is einsum<E> of x in layout ToX and y in layout ToY. No operand is gathered along
/// the summed label. On a node BLAS reads the blocks of the other ranks. Between nodes panels travel, and the next one
/// travels while BLAS multiplies.
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
      using A = operand_of_product<ops_detail::plan_number<from_x, 0>, x_is_read, T, layout_t<X>, M>;
      using B = operand_of_product<ops_detail::plan_number<from_y, 0>, y_is_read, T, layout_t<Y>, M>;
      using Result = decltype(gather(x, y));
      tensor_on<T, layout_t<X>, M> const a = materialize(x);
      tensor_on<T, layout_t<Y>, M> const b = materialize(y);
      index_t const ranks = std::max(a.mesh().sizes().ranks(A::axes()), b.mesh().sizes().ranks(B::axes()));
      // A group of ranks reads one operand in place at a time.
      if (ranks == 1 || a.extents()[d.of_a] / ranks < least_terms_in_place || A::axes() == B::axes())
        return gather(x, y);
      tensor_on<T, layout_t<Result>, M> const c(a.mesh(), einsum_op<E>::extents({}, a.extents(), b.extents()));
      shape const local = c.local_extents();
      auto of_a = terms_of_ranks(a, A::axes(), d.of_a), of_b = terms_of_ranks(b, B::axes(), d.of_b);
      panels_of_terms panels(of_a, of_b);
      A left(a, d.of_a, panels, std::move(of_a), w);
      std::optional<B> right;
      try {
        right.emplace(b, d.of_b, panels, std::move(of_b), w);
        if (!left.travels() && !right->travels()) panels.count = 1;
        for (index_t t = 0; t < panels.count; ++t) {
          left.receive(t);
          right->receive(t);
          multiply_panel<S>(d, local[d.transposed ? 1 : 0], local[d.transposed ? 0 : 1], panels, t, left, *right,
                            c.data());
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
      return Result(c);
    }
  }
}

}  // namespace ashlar::tensor_detail

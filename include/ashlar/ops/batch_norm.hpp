// Batch normalisation of real tensors.
#pragma once
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/local/channels.hpp"
#include "ashlar/ops/local/rows.hpp"
#include "ashlar/plan/batch_norm.hpp"
#include "ashlar/tensor/staging.hpp"

namespace ashlar {

namespace detail {

// Number j of each channel, of a shard of moments or coefficients.
template <class X>
local::strided<double> channel_row(X const& x, int j) {
  shape const s = x.local_extents();
  return {x.data() + j * s[s.rank - 1], {1}};
}

template <class T>
struct narrow {
  KOKKOS_FUNCTION T operator()(double x) const { return static_cast<T>(x); }
};
// The same in the element type of the array that they are for.
template <class Space, class T>
class narrowed_row {
 public:
  template <class X>
  narrowed_row(X const& x, int j) : to_(buffer_.allocate(static_cast<std::size_t>(x.local_extents()[rank_v<X> - 1]))) {
    local::map(Space{}, shape::of(x.local_extents()[rank_v<X> - 1]), to_, narrow<T>{}, channel_row(x, j));
  }
  T const* data() const { return to_; }

 private:
  pool_scratch<Space, T> buffer_;
  T* to_;
};

template <class T>
struct moments_pullback {
  T factor;  // 1 / n
  KOKKOS_FUNCTION T operator()(T x, T center, T d_mean, T d_square) const {
    return factor * (d_mean + 2 * d_square * (x - center));
  }
};
template <class T>
struct affine {
  KOKKOS_FUNCTION T operator()(T x, T factor, T offset, T mean) const { return factor * (x - mean) + offset; }
};
struct variance_of_moments {
  KOKKOS_FUNCTION double operator()(double first, double second) const {
    double const v = second - first * first;
    return v > 0 ? v : 0;
  }
};
struct inverse_deviation {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double first, double second) const {
    return 1 / Kokkos::sqrt(variance_of_moments{}(first, second) + epsilon);
  }
};

}  // namespace detail

template <statistics Over, class L, class M, class S, class X, class Center>
void evaluate(moments_op<Over> const&, sharded_tensor<double, L, M, S>& m, X const& x, Center const& center) {
  using T = element_t<X>;
  detail::rows_of const r(x.local_extents());
  index_t const n = Over == statistics::global ? detail::rows_of(x.extents()).rows : r.rows;
  local::channel_moments(S{}, static_cast<T const*>(x.data()), r.rows, r.n, static_cast<T const*>(center.data()),
                         n ? 1. / static_cast<double>(n) : 0., m.data());
}
template <class T, class L, class M, class S, class Ct, class X, class Center>
void evaluate(moments_pullback_op const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& x, Center const& center) {
  detail::rows_of const r(x.local_extents());
  auto const n = static_cast<double>(op.per_shard ? r.rows : detail::rows_of(x.extents()).rows);
  detail::narrowed_row<S, T> const first(ct, 0), second(ct, 1);
  local::map_channels(S{}, r.rows, r.n, g.data(), detail::moments_pullback<T>{static_cast<T>(1 / n)}, static_cast<T const*>(x.data()),
                      static_cast<T const*>(center.data()), first.data(), second.data());
}
template <class L, class M, class S, class X>
void evaluate(moving_moments_op const&, sharded_tensor<double, L, M, S>& m, X const& variance) {
  using T = element_t<X>;
  index_t const c = variance.local_size();
  local::fill(S{}, m.data(), c, 0.);
  local::map(S{}, shape::of(c), m.data() + c, detail::same_value{}, local::strided<T>{variance.data(), {1}});
}

namespace detail {

struct factor_of_moments {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double first, double second, double scale) const {
    return scale * inverse_deviation{epsilon}(first, second);
  }
};
struct sum_of_two {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};
// d(mean square) = -1/2 scale r^3 d(factor), where r^-2 = square - mean^2 + epsilon.
struct square_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double first, double second, double scale) const {
    double const r = inverse_deviation{epsilon}(first, second);
    return -0.5 * scale * r * r * r * d_factor;
  }
};
// d(mean) = -2 mean d(mean square) - factor d(offset).
struct mean_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double d_offset, double first, double second, double scale) const {
    double const r = inverse_deviation{epsilon}(first, second);
    return scale * r * (first * r * r * d_factor - d_offset);
  }
};
struct scale_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double first, double second) const {
    return d_factor * inverse_deviation{epsilon}(first, second);
  }
};
struct moving_mean {
  double momentum;
  KOKKOS_FUNCTION double operator()(double first, double, double old) const { return old + (1 - momentum) * first; }
};
struct moving_variance {
  double momentum;
  KOKKOS_FUNCTION double operator()(double first, double second, double old) const {
    return momentum * old + (1 - momentum) * variance_of_moments{}(first, second);
  }
};

// Scale and shift, or what stands for them.
template <bool Scaled, class... F>
auto scale_leaf(F const&... f) {
  if constexpr (Scaled)
    return local::strided<element_t<first_t<F...>>>{first_operand(f...).data(), {1}};
  else
    return local::constant<double>{1};
}
template <bool Scaled, bool Shifted, class... F>
auto shift_leaf(F const&... f) {
  if constexpr (Shifted) {
    auto const& shift = operand_at<Scaled ? 1 : 0>(f...);
    return local::strided<element_t<decltype(shift)>>{shift.data(), {1}};
  } else {
    return local::constant<double>{0};
  }
}

}  // namespace detail

template <bool Scaled, bool Shifted, class L, class M, class S, class X, class Center, class... F>
void evaluate(coefficients_op<Scaled, Shifted> const& op, sharded_tensor<double, L, M, S>& y, X const& moments, Center const& center, F const&... f) {
  index_t const c = center.local_size();
  shape const row = shape::of(c);
  auto const first = detail::channel_row(moments, 0), second = detail::channel_row(moments, 1);
  local::map(S{}, row, y.data(), detail::factor_of_moments{op.epsilon}, first, second, detail::scale_leaf<Scaled>(f...));
  local::map(S{}, row, y.data() + c, detail::same_value{}, detail::shift_leaf<Scaled, Shifted>(f...));
  local::map(S{}, row, y.data() + 2 * c, detail::sum_of_two{}, first, local::strided<element_t<Center>>{center.data(), {1}});
}
template <bool Scaled, class L, class M, class S, class Ct, class X, class... Scale>
void evaluate(coefficients_moments_pullback_op<Scaled> const& op, sharded_tensor<double, L, M, S>& g, Ct const& ct, X const& moments, Scale const&... scale) {
  auto const d_factor = detail::channel_row(ct, 0), d_offset = detail::channel_row(ct, 1), first = detail::channel_row(moments, 0),
             second = detail::channel_row(moments, 1);
  shape const e = moments.local_extents();
  index_t const c = e[e.rank - 1];
  auto const by = detail::scale_leaf<Scaled>(scale...);
  local::map(S{}, shape::of(c), g.data(), detail::mean_pullback{op.epsilon}, d_factor, d_offset, first, second, by);
  local::map(S{}, shape::of(c), g.data() + c, detail::square_pullback{op.epsilon}, d_factor, first, second, by);
}
template <coefficient Which, class T, class L, class M, class S, class Ct, class X, class Like>
void evaluate(coefficient_pullback_op<Which> const& op, sharded_tensor<T, L, M, S>& g, Ct const& ct, X const& moments, Like const&) {
  shape const row = shape::of(g.local_size());
  if constexpr (Which == coefficient::scale)
    local::map(S{}, row, g.data(), detail::scale_pullback{op.epsilon}, detail::channel_row(ct, 0), detail::channel_row(moments, 0),
               detail::channel_row(moments, 1));
  else
    local::map(S{}, row, g.data(), detail::same_value{}, detail::channel_row(ct, 1));
}

template <class T, class L, class M, class S, class X, class C>
void evaluate(channel_affine_op const&, sharded_tensor<T, L, M, S>& y, X const& x, C const& coefficients) {
  detail::rows_of const r(x.local_extents());
  detail::narrowed_row<S, T> const factor(coefficients, 0), offset(coefficients, 1), mean(coefficients, 2);
  local::map_channels(S{}, r.rows, r.n, y.data(), detail::affine<T>{}, static_cast<T const*>(x.data()), factor.data(), offset.data(), mean.data());
}
template <class T, class L, class M, class S, class Ct, class C>
void evaluate(channel_affine_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, C const& coefficients) {
  detail::rows_of const r(ct.local_extents());
  detail::narrowed_row<S, T> const factor(coefficients, 0);
  local::map_channels(S{}, r.rows, r.n, g.data(), fn::multiply{}, static_cast<T const*>(ct.data()), factor.data());
}
template <class L, class M, class S, class Ct, class X, class C>
void evaluate(channel_affine_sums_op const&, sharded_tensor<double, L, M, S>& g, Ct const& ct, X const& x, C const& coefficients) {
  using T = element_t<X>;
  detail::rows_of const r(x.local_extents());
  detail::narrowed_row<S, T> const mean(coefficients, 2);
  local::channel_affine_sums(S{}, static_cast<T const*>(x.data()), static_cast<T const*>(ct.data()), r.rows, r.n, mean.data(), g.data());
  local::fill(S{}, g.data() + 2 * r.n, r.n, 0.);
}
template <moving Which, class T, class L, class M, class S, class X, class Old>
void evaluate(moving_op<Which> const& op, sharded_tensor<T, L, M, S>& y, X const& moments, Old const& old) {
  using average = std::conditional_t<Which == moving::mean, detail::moving_mean, detail::moving_variance>;
  local::map(S{}, shape::of(y.local_size()), y.data(), average{op.momentum}, detail::channel_row(moments, 0), detail::channel_row(moments, 1),
             local::strided<T>{old.data(), {1}});
}

}  // namespace ashlar

// SPDX-License-Identifier: BSL-1.0
// Cosine and sine transforms along one dimension. Include tensor/fft/fft.hpp for transforms on real ranks.
#pragma once
#include "ashlar/ops/fft/fft.hpp"

namespace ashlar::ops_detail {

enum class wave { cosine, sine };

/// A transform of type I to IV, or its transpose, times a factor.
template <int Dim, wave W, int Type, bool Transposed>
struct dct_op : along_whole_dimension<Dim> {
  static constexpr wave family = W;
  static constexpr int type = Type;
  static constexpr bool transposed = Transposed;
  double factor;
  constexpr explicit dct_op(double by) : factor(by) {}
  template <class T>
  using element = T;
  static constexpr shape extents(layout_value const&, shape const& x) {
    if (W == wave::cosine && Type == 1 && x[Dim] == 1)
      fail("ashlar::transforms::dct: a cosine transform of type 1 has 2 numbers or more; choose another type");
    return x;
  }
  template <int, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const&) const {
    return apply(dct_op<Dim, W, Type, !Transposed>(factor), ct);
  }
};

template <int Type>
struct dct_type {
  static constexpr bool ok = Type >= 1 && Type <= 4;
  static constexpr void say() {
    static_assert(ok, "ashlar::transforms::dct: a cosine or sine transform has type 1, 2, 3 or 4; write one of these");
  }
};

/// The type of the inverse of a transform.
constexpr int inverse_type(int type) { return type == 2 ? 3 : type == 3 ? 2 : type; }
/// The number by which the product of a transform and its inverse is divided.
constexpr double period(wave w, int type, index_t n) {
  index_t const mirrored = type != 1 ? n : w == wave::cosine ? n - 1 : n + 1;
  return 2 * static_cast<double>(mirrored);
}

template <int Dim, wave W, int Type, direction D, class X>
constexpr auto transform_by_waves(X const& x) {
  return checked<dct_type<Type>, fft_operand<X, Dim>>(
      []<class Y>(Y const& y) {
        constexpr int dim = dimension_of<Y, Dim>;
        if constexpr (D == direction::forward)
          return apply(dct_op<dim, W, Type, false>(1), y);
        else
          return apply(dct_op<dim, W, inverse_type(Type), false>(1 / period(W, Type, y.extents()[dim])), y);
      },
      x);
}

}  // namespace ashlar::ops_detail

namespace ashlar::transforms {

/// The cosine transform along dimension Dim of each line, of type 1 to 4, as scipy.fft.dct with norm=None. Both parts of
/// complex numbers are transformed.
/// Shape: the extents and the layout of x. Partial sums stay partial.
/// Pre: no axis shards the dimension.
/// Post: of type 2, y_k = 2 sum over j of x_j cos(pi (j + 1/2) k / n)
/// Cost: no communication. The derivative is the transposed transform of the cotangent.
/// Error: as for fft; type 1 of one number throws ashlar::error.
/// Example: transforms::dct<1>(x), transforms::dct<1, 4>(x)
template <int Dim, int Type = 2, tensor X>
constexpr auto dct(X const& x) {
  return ops_detail::transform_by_waves<Dim, ops_detail::wave::cosine, Type, ops_detail::direction::forward>(x);
}
/// The inverse of dct of the same type, as scipy.fft.idct.
/// Shape: as dct.
/// Pre, Cost, Error: as dct.
/// Example: transforms::inverse_dct<1>(transforms::dct<1>(x)) equals x, up to rounding
template <int Dim, int Type = 2, tensor X>
constexpr auto inverse_dct(X const& x) {
  return ops_detail::transform_by_waves<Dim, ops_detail::wave::cosine, Type, ops_detail::direction::inverse>(x);
}
/// The sine transform along dimension Dim of each line, of type 1 to 4, as scipy.fft.dst with norm=None.
/// Shape: as dct.
/// Pre, Cost, Error: as dct.
/// Post: of type 2, y_k = 2 sum over j of x_j sin(pi (j + 1/2) (k + 1) / n)
/// Example: transforms::dst<0, 1>(x) for a function that is 0 at both ends
template <int Dim, int Type = 2, tensor X>
constexpr auto dst(X const& x) {
  return ops_detail::transform_by_waves<Dim, ops_detail::wave::sine, Type, ops_detail::direction::forward>(x);
}
/// The inverse of dst of the same type, as scipy.fft.idst.
/// Shape: as dct.
/// Pre, Cost, Error: as dct.
/// Example: transforms::inverse_dst<1>(transforms::dst<1>(x)) equals x, up to rounding
template <int Dim, int Type = 2, tensor X>
constexpr auto inverse_dst(X const& x) {
  return ops_detail::transform_by_waves<Dim, ops_detail::wave::sine, Type, ops_detail::direction::inverse>(x);
}

}  // namespace ashlar::transforms

// SPDX-License-Identifier: BSL-1.0
// Parameters before they have a layout.
#pragma once
#include "ashlar/layout/layout.hpp"

namespace ashlar::training {

/// Initial values of a parameter. Glorot's uniform distribution has the limit sqrt(6 / (fan in + fan out)). He's normal
/// distribution has the deviation sqrt(2 / fan in). Kernels are (..., in, out).
enum class initializer { zeros, ones, glorot_uniform, he_normal, normal };

template <int Rank, class Layout>
struct laid_out_weight;

/// A parameter before it has a layout: extents by value, rank by type. By default a vector starts with zeros, any other
/// parameter with Glorot's uniform distribution.
/// Example: weight{784, 200}
template <int Rank>
struct weight {
  static_assert(
      Rank >= 1,
      "ashlar::training::weight: a parameter has at least one dimension; write its extents, as in weight{784, 200}");
  static constexpr int rank = Rank;
  index_t extent[meta_detail::array_bound(Rank < 1 ? 1 : Rank)];
  initializer first = Rank == 1 ? initializer::zeros : initializer::glorot_uniform;

  template <class... I>
    requires(sizeof...(I) == Rank)
  constexpr weight(I... n) : extent{static_cast<index_t>(n)...} {}

  double deviation = 0;  // of initializer::normal

  constexpr weight from(initializer i) const {
    weight w = *this;
    w.first = i;
    return w;
  }
  /// The same with its own layout, which no strategy changes: weight{784, 128}.laid_out<layout<none, "model">>().
  template <class Layout>
  constexpr laid_out_weight<Rank, Layout> laid_out() const {
    return {*this};
  }
  /// Starts with normal numbers of mean 0.
  constexpr weight normal(double of_deviation) const {
    weight w = from(initializer::normal);
    w.deviation = of_deviation;
    return w;
  }
};
template <class... I>
weight(I...) -> weight<static_cast<int>(sizeof...(I))>;

}  // namespace ashlar::training

namespace ashlar::train_detail {

// True for a layout of Rank dimensions.
template <class Layout, int Rank>
inline constexpr bool fits = false;
template <class Layout, int Rank>
  requires is_layout_v<Layout>
inline constexpr bool fits<Layout, Rank> = Layout::rank == Rank;

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A parameter with its own layout. Rules do not apply to it.
template <int Rank, class Layout>
struct laid_out_weight : weight<Rank> {
  static_assert(train_detail::fits<Layout, Rank>,
                "ashlar::training::weight: laid_out takes a layout with one spec for each dimension of the parameter");
  using layout_type = Layout;
};

}  // namespace ashlar::training

// SPDX-License-Identifier: BSL-1.0
// Pooling of images, channels last.
#pragma once
#include "ashlar/ops/nn/convolution.hpp"
#include "ashlar/ops/view.hpp"

namespace ashlar::nn {

/// The value of a window: its largest element, or the mean of its elements.
enum class pooling { max, average };

}  // namespace ashlar::nn

namespace ashlar::ops_detail {

/// The layout of pooled windows of x (n, h, w, c): the layout of x. No axis may shard h and w.
constexpr rule_result pooling_rule(linearity kind, layout_value const& x) {
  rule_result const r = whole_in(x, 1, 2);
  return r.why == fault::fits ? elementwise_rule(kind, x) : r;
}

struct pooling_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::nn::pool2d: the axis shards a spatial dimension, and windows would reach over its shards; all_gather it, or redistribute it to a layout with a halo, as halo(\"h\", 1)");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::nn::pool2d: the operand is partial over the axis by a reduction that does not pass through pooling; all_reduce or reduce_scatter it first");
  }
};

/// Windows of Size by Size elements over images.
template <pooling Kind, int Size, int Stride, padding Edge>
struct sliding_window {
  using diagnostics = pooling_diagnostics;
  static constexpr linearity kind = Kind == pooling::average ? linearity::linear : linearity::nonlinear;
  static constexpr windows along(int d, shape const& images) { return {images[1 + d], Size, Stride, 1, Edge}; }
};

/// The cotangent of the images, from the cotangent of the result and the images.
template <pooling Kind, int Size, int Stride, padding Edge>
struct pool2d_pullback_op : sliding_window<Kind, Size, Stride, Edge> {
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& ct, layout_value const&) {
    return pooling_rule(linearity::linear, ct);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& images) { return images; }
};

template <pooling Kind, int Size, int Stride, padding Edge>
struct pool2d_op : sliding_window<Kind, Size, Stride, Edge> {
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& x) { return pooling_rule(pool2d_op::kind, x); }
  static constexpr shape extents(layout_value const&, shape const& x) {
    windows const h = pool2d_op::along(0, x), w = pool2d_op::along(1, x);
    if (Edge == padding::valid && (h.n < Size || w.n < Size))
      plan_detail::fail_extents("ashlar::nn::pool2d: without padding the window is not larger than the images",
                                shape::of(Size, Size), x);
    return shape::of(x[0], h.count(), w.count(), x[3]);
  }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return apply(pool2d_pullback_op<Kind, Size, Stride, Edge>{}, ct, x);
  }
};

/// The same for images whose dimensions h and w have a halo L. To is the layout of the result if it has one, else void.
template <pooling Kind, int Size, int Stride, padding Edge, class L>
struct pool2d_halo_pullback_op : pool2d_pullback_op<Kind, Size, Stride, Edge> {
  static constexpr bool reads_halo = true;
  template <class Owned>
  using result_layout = typename layout_detail::with_owned_layout<halo_sums<L>, Owned>::type;
  static constexpr rule_result rule(layout_value const& ct, layout_value const&) {
    return elementwise_rule(linearity::linear, ct);
  }
};
template <pooling Kind, int Size, int Stride, padding Edge, class L, class To>
struct pool2d_halo_op : pool2d_op<Kind, Size, Stride, Edge> {
  static constexpr bool reads_halo = true;
  template <class Owned>
  using result_layout = named_or_owned<To, Owned>;
  static constexpr rule_result rule(layout_value const& x) { return elementwise_rule(pool2d_halo_op::kind, x); }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return apply(pool2d_halo_pullback_op<Kind, Size, Stride, Edge, L>{}, without_halo(ct), x);
  }
};

template <class X>
struct pool2d_rank {
  static constexpr bool ok = rank_v<X> == 4;
  static constexpr void say() {
    static_assert(ok, "ashlar::nn::pool2d: images (n, h, w, channels) have four dimensions");
  }
};
// Requires a halo of images that fits the windows.
template <class X, int Size, int Stride, padding Edge>
struct pool2d_halo {
  static constexpr image_halo found = halo_of_images<layout_t<X>>;
  static constexpr int narrow = found == image_halo::fits && Stride == 1 && Edge == padding::same
                                    ? dimension_narrower_than_windows<mesh_t<X>, layout_t<X>, Size, Size, 1>
                                    : -1;
  static constexpr bool ok = found == image_halo::fits && narrow < 0;
  static constexpr void say() {
    static_assert(found != image_halo::unfilled,
                  "ashlar::nn::pool2d: the halo of the images is not filled; write exchange_halo(images)");
    static_assert(found != image_halo::sums,
                  "ashlar::nn::pool2d: the halo of the images holds sums; write add_halo(images) first");
    static_assert(
        found != image_halo::corners,
        "ashlar::nn::pool2d: windows read corners, which were not exchanged; write exchange_halo(images) without corners::skipped");
    static_assert(
        found != image_halo::other_dimensions,
        "ashlar::nn::pool2d: the batch or the channels have a halo, which no window reads; give only h and w a halo");
    static_assert(
        narrow < 0,
        "ashlar::nn::pool2d: windows reach beyond the halo; widen the halo of this dimension to half the window's size");
  }
};

template <class To, pooling Kind, int Size, int Stride, padding Edge, class X>
constexpr auto pool2d(X const& x, call_site const& w) {
  plan_detail::call_in_errors const call(w);
  static_assert(!number_is_not_positive<Size, Stride>, "ashlar::nn::pool2d: window and stride are 1 or more");
  static_assert(Kind == pooling::max || real_or_complex_elements<X>,
                "ashlar::nn::average_pool2d: the elements are integers; write cast<double>(x)");
  if constexpr (layout_detail::layout_has_a_halo<layout_t<X>>::value) {
    using Op = pool2d_halo_op<Kind, Size, Stride, Edge, layout_t<X>, To>;
    return checked<pool2d_rank<X>, pool2d_halo<X, Size, Stride, Edge>, result_of_windows<Op, To, X>>(
        [](auto const& y) {
          require_windows_in_halo("pool2d", y, Op::along(0, y.extents()), Op::along(1, y.extents()));
          return apply(Op{}, y);
        },
        x);
  } else {
    return checked<pool2d_rank<X>>([](auto const& y) { return apply(pool2d_op<Kind, Size, Stride, Edge>{}, y); }, x);
  }
}

template <class X>
struct global_average_pool_elements {
  static constexpr bool ok = real_or_complex_elements<X>;
  static constexpr void say() {
    static_assert(ok, "ashlar::nn::global_average_pool: the elements are integers; write cast<double>(x)");
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// The largest element of each window of Size by Size, per channel, in the type of the images. Of equal elements the
/// first gets the cotangent.
/// Shape: (n, h, w, c) to (n, h', w', c) as in conv2d.
/// Pre: no axis shards h and w of images without a halo. A halo is filled, and the windows of a rank are in its stored
/// cells. Cells beyond a zero boundary do not count; beyond other boundaries they do.
/// Cost: no communication.
/// Example: nn::max_pool2d<2>(x): windows of 2 by 2 side by side
template <int Size, int Stride = Size, padding Edge = padding::valid, tensor X>
constexpr auto max_pool2d(X const& x, call_site w = call_site::current()) {
  return ops_detail::pool2d<void, pooling::max, Size, Stride, Edge>(x, w);
}
/// The same for images with a halo. The result has the layout To, for the exchange before the next layer.
/// Example: auto y = exchange_halo(nn::max_pool2d<H, 2>(x));  // x and y are of fresh<H>
template <class To, int Size, int Stride = Size, padding Edge = padding::valid, tensor X>
constexpr auto max_pool2d(X const& x, call_site w = call_site::current()) {
  return ops_detail::pool2d<To, pooling::max, Size, Stride, Edge>(x, w);
}

/// The mean of the elements of each window. Positions beyond the edges do not count.
/// Shape, Pre: as max_pool2d.
/// Cost: no communication.
/// Error: integers do not compile.
/// Example: nn::average_pool2d<2>(x): windows of 2 by 2 side by side
template <int Size, int Stride = Size, padding Edge = padding::valid, tensor X>
constexpr auto average_pool2d(X const& x, call_site w = call_site::current()) {
  return ops_detail::pool2d<void, pooling::average, Size, Stride, Edge>(x, w);
}
/// The same for images with a halo, as for max_pool2d.
template <class To, int Size, int Stride = Size, padding Edge = padding::valid, tensor X>
constexpr auto average_pool2d(X const& x, call_site w = call_site::current()) {
  return ops_detail::pool2d<To, pooling::average, Size, Stride, Edge>(x, w);
}

/// The mean of each channel over an image: (n, h, w, c) to (n, c). It is partial over the axes that shard h or w.
/// Cost: no communication.
/// Error: integers do not compile.
/// Example: nn::global_average_pool(x<layout<"data", none, none, none>>) -> layout<"data", none>
template <tensor X>
constexpr auto global_average_pool(X const& x) {
  return meta_detail::checked<ops_detail::global_average_pool_elements<X>>([](auto const& y) { return mean<1, 2>(y); },
                                                                           x);
}

}  // namespace ashlar::nn

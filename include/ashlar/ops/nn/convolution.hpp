// SPDX-License-Identifier: BSL-1.0
// Convolution of images, channels last.
#pragma once
#include "ashlar/layout/window.hpp"
#include "ashlar/ops/functions.hpp"
#include "ashlar/ops/stencils/halo_windows.hpp"

namespace ashlar::ops_detail {

constexpr rule_result whole_in(layout_value const& x, int from, int to) {
  for (int d = from; d <= to; ++d)
    if (x.dim[d].size) return rule_result::wrong(fault::sharded_dimension, x.dim[d][0]);
  return {};
}

/// The layout of the convolution of x (n, h, w, i) with a kernel (k, l, i, o) into (n, h, w, o). Other equations of the
/// same letters give its transposes. The rule is einsum's, and no axis may shard the dimensions h, w, k and l.
/// Example: layout<"data", none, none, "model"> and layout<none, none, "model", none> give
/// partial<layout<"data", none, none, none>, "model">
constexpr rule_result convolution_rule(einsum_equation const& e, layout_value const& a, layout_value const& b) {
  for (int o = 0; o < 2; ++o) {
    bool const is_kernel = e.in[o].label[0] == 'k';
    rule_result const r = whole_in(o == 0 ? a : b, is_kernel ? 0 : 1, is_kernel ? 1 : 2);
    if (r.why != fault::fits) return r;
  }
  return einsum_rule(e, a, b);
}

struct convolution_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::nn::conv2d: the axis shards a spatial dimension of the images or of the kernel, and windows would reach over its shards; all_gather it, or redistribute images to a layout with a halo, as halo(\"h\", 1)");
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::nn::conv2d: the channels are sharded over the axis in one operand and not in the other; all_gather or redistribute one of them first");
    static_assert(
        !breaks<F, fault::conflict, Axis, L...>::value,
        "ashlar::nn::conv2d: the axis shards different dimensions of images and kernel, or channels in another order or in other blocks; redistribute one of them");
    static_assert(
        !breaks<F, fault::two_partials, Axis, L...>::value,
        "ashlar::nn::conv2d: a product of two partial sums is no partial sum; all_reduce or reduce_scatter one of them first");
    static_assert(
        !breaks<F, fault::partial_and_shard, Axis, L...>::value,
        "ashlar::nn::conv2d: one operand is partial over an axis that shards the other; all_reduce or reduce_scatter the first");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::nn::conv2d: only a partial sum passes through a sum of products; all_reduce or reduce_scatter first");
  }
};

// Made without parse(), which requires an operand with each label of the result.
inline constexpr einsum_equation::labels image_labels{4, {'n', 'h', 'w', 'i'}}, kernel_labels{4, {'k', 'l', 'i', 'o'}},
    result_labels{4, {'n', 'h', 'w', 'o'}};
inline constexpr einsum_equation images_by_kernel{2, {image_labels, kernel_labels}, result_labels},
    cotangent_by_kernel{2, {result_labels, kernel_labels}, image_labels},
    images_by_cotangent{2, {image_labels, result_labels}, kernel_labels};

template <int... N>
inline constexpr bool number_is_not_positive = ((N < 1) || ...);

/// The windows of a kernel over images (n, h, w, i): the common base of the convolution and its transposes.
template <int Stride, int Dilation, padding Edge>
struct sliding_kernel {
  using diagnostics = convolution_diagnostics;
  template <class T, class>
  using element = T;
  /// Windows along dimension 1 + d of the images.
  static constexpr windows along(int d, shape const& images, shape const& kernel) {
    return {images[1 + d], kernel[d], Stride, Dilation, Edge};
  }
};

/// The cotangent of operand 0, the images, from the cotangent of the result and the kernel; or of operand 1, the kernel, from
/// the images and the cotangent of the result. It has the extents `like`.
template <int Operand, int Stride, int Dilation, padding Edge>
struct conv2d_pullback_op : sliding_kernel<Stride, Dilation, Edge> {
  static constexpr einsum_equation equation = Operand == 0 ? cotangent_by_kernel : images_by_cotangent;
  shape like;
  constexpr explicit conv2d_pullback_op(shape const& s) : like(s) {}
  static constexpr rule_result rule(layout_value const& a, layout_value const& b) {
    return convolution_rule(equation, a, b);
  }
  constexpr shape extents(layout_value const&, shape const&, shape const&) const { return like; }
};

template <int Stride, int Dilation, padding Edge>
struct conv2d_op : sliding_kernel<Stride, Dilation, Edge> {
  static constexpr rule_result rule(layout_value const& images, layout_value const& kernel) {
    return convolution_rule(images_by_kernel, images, kernel);
  }
  static constexpr shape extents(layout_value const&, shape const& images, shape const& kernel) {
    if (images[3] != kernel[2])
      // Compilers print the line on which a call begins.
      // clang-format off
      plan_detail::fail_extents("ashlar::nn::conv2d: images (n, h, w, i) and kernel (k, l, i, o) have the same number of channels i", images,
          kernel);
    // clang-format on
    windows const h = conv2d_op::along(0, images, kernel), w = conv2d_op::along(1, images, kernel);
    if (Edge == padding::valid && (h.n < h.reach() || w.n < w.reach()))
      plan_detail::fail_extents("ashlar::nn::conv2d: without padding the kernel is not larger than the images", images,
                                kernel);
    return shape::of(images[0], h.count(), w.count(), kernel[3]);
  }
  template <int I, class Ct, class Y, class X, class K>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& images, K const& kernel) {
    if constexpr (I == 0)
      return apply(conv2d_pullback_op<0, Stride, Dilation, Edge>{images.extents()}, ct, kernel);
    else
      return apply(conv2d_pullback_op<1, Stride, Dilation, Edge>{kernel.extents()}, images, ct);
  }
};

/// The same with images (n, h, w, i) whose dimensions h and w have a halo, in the layout L. To is the layout of the result
/// if it has one, else void.
template <int Operand, int Stride, int Dilation, padding Edge, class L>
struct conv2d_halo_pullback_op : conv2d_pullback_op<Operand, Stride, Dilation, Edge> {
  using conv2d_pullback_op<Operand, Stride, Dilation, Edge>::conv2d_pullback_op;
  static constexpr bool reads_halo = true;
  template <class Owned>
  using result_layout = typename std::conditional_t<Operand == 0, layout_detail::with_owned_layout<halo_sums<L>, Owned>,
                                                    std::type_identity<Owned>>::type;
  static constexpr rule_result rule(layout_value const& a, layout_value const& b) {
    return einsum_rule(conv2d_halo_pullback_op::equation, a, b);
  }
};
template <int Stride, int Dilation, padding Edge, class To>
struct conv2d_halo_op : conv2d_op<Stride, Dilation, Edge> {
  static constexpr bool reads_halo = true;
  template <class Owned>
  using result_layout = named_or_owned<To, Owned>;
  static constexpr rule_result rule(layout_value const& images, layout_value const& kernel) {
    rule_result const r = whole_in(kernel, 0, 1);
    return r.why == fault::fits ? einsum_rule(images_by_kernel, images, kernel) : r;
  }
  template <int I, class Ct, class Y, class X, class K>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& images, K const& kernel) {
    using Op = conv2d_halo_pullback_op<I, Stride, Dilation, Edge, layout_t<X>>;
    if constexpr (I == 0)
      return apply(Op{images.extents()}, without_halo(ct), kernel);
    else
      return apply(Op{kernel.extents()}, images, without_halo(ct));
  }
};

template <class X, class K>
struct conv2d_operands {
  static constexpr bool rank = rank_v<X> == 4 && rank_v<K> == 4, elements = real_or_complex_elements<X>,
                        numbers = std::is_floating_point_v<component_t<element_t<X>>>, ok = rank && elements && numbers;
  static constexpr void say() {
    static_assert(
        rank,
        "ashlar::nn::conv2d: images (n, h, w, channels) and kernel (k, l, channels, filters) have four dimensions each");
    static_assert(!rank || elements, "ashlar::nn::conv2d: the elements are integers; write cast<double>(x)");
    static_assert(!rank || !elements || numbers,
                  "ashlar::nn::conv2d: images are of float, double or complex numbers; cast them");
  }
};
template <class X, class K, int Stride, int Dilation, padding Edge>
constexpr int dimension_narrower_than_kernel() {
  if constexpr (static_shape<K> && Stride == 1 && Edge == padding::same) {
    constexpr shape kernel = static_extents_v<K>;
    return dimension_narrower_than_windows<mesh_t<X>, layout_t<X>, kernel[0], kernel[1], Dilation>;
  }
  return -1;
}
// Requires a halo of images that fits the windows.
template <class X, class K, int Stride, int Dilation, padding Edge>
struct conv2d_halo {
  static constexpr image_halo found = halo_of_images<layout_t<X>>;
  static constexpr int narrow =
      found == image_halo::fits ? dimension_narrower_than_kernel<X, K, Stride, Dilation, Edge>() : -1;
  static constexpr bool ok = found == image_halo::fits && narrow < 0;
  static constexpr void say() {
    static_assert(found != image_halo::unfilled,
                  "ashlar::nn::conv2d: the halo of the images is not filled; write exchange_halo(images)");
    static_assert(found != image_halo::sums,
                  "ashlar::nn::conv2d: the halo of the images holds sums; write add_halo(images) first");
    static_assert(
        found != image_halo::corners,
        "ashlar::nn::conv2d: windows read corners, which were not exchanged; write exchange_halo(images) without corners::skipped");
    static_assert(
        found != image_halo::other_dimensions,
        "ashlar::nn::conv2d: the batch or the channels have a halo, which no window reads; give only h and w a halo");
    static_assert(
        narrow < 0,
        "ashlar::nn::conv2d: windows of the kernel reach beyond the halo; widen the halo of this dimension to half the kernel's reach");
  }
};

template <class To, int Stride, int Dilation, padding Edge, class X, class K>
constexpr auto conv2d_of(X const& images, K const& kernel, call_site const& w) {
  plan_detail::call_in_errors const call(w);
  static_assert(!number_is_not_positive<Stride, Dilation>, "ashlar::nn::conv2d: stride and dilation are 1 or more");
  if constexpr (number_is_not_positive<Stride, Dilation>) {
    return images;
  } else if constexpr (layout_detail::layout_has_a_halo<layout_t<X>>::value) {
    using Op = conv2d_halo_op<Stride, Dilation, Edge, To>;
    return checked<conv2d_operands<X, K>, conv2d_halo<X, K, Stride, Dilation, Edge>, result_of_windows<Op, To, X, K>>(
        [](auto const& x, auto const& k) {
          require_windows_in_halo("conv2d", x, Op::along(0, x.extents(), k.extents()),
                                  Op::along(1, x.extents(), k.extents()));
          return apply(Op{}, x, k);
        },
        images, kernel);
  } else {
    return checked<conv2d_operands<X, K>>(
        [](auto const& x, auto const& k) { return apply(conv2d_op<Stride, Dilation, Edge>{}, x, k); }, images, kernel);
  }
}

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// Convolution of images with a kernel: a cross-correlation, as in all deep-learning libraries. Positions beyond the
/// edges are zeros.
/// Shape: images (n, h, w, i), kernel (k, l, i, o); result (n, h', w', o) with h' = ceil(h / Stride) for padding::same,
/// and floor((h - (k - 1) Dilation - 1) / Stride) + 1 for padding::valid.
/// Pre: no axis shards k and l, nor h and w of images without a halo. Batch and channels may be sharded, input channels
/// alike in both operands. If the images have a halo, it is filled, and the windows of a rank are in its stored cells.
/// Then what is beyond the edges follows the layout: boundary::zero gives the zeros of other libraries.
/// Cost: no communication; if the input channels are sharded, the result is partial. Locally matrix products of blocks
/// of windows that fit a cache; the windows of a whole batch are never stored.
/// Error: does not compile if an axis shards the channels of one operand alone, or different dimensions of both. Nor
/// does it if both are partial over one axis, or one is partial over an axis that shards the other. An unfilled halo does
/// not compile, nor does one that is narrower than the windows if the kernel's extents are static. Otherwise
/// ashlar::error names the widths. Extents that disagree throw ashlar::error. Integers do not compile.
/// Example: nn::conv2d<2>(x<layout<"data", none, none, none>>, k<layout<none, none, none, "model">>) ->
///   layout<"data", none, none, "model">
/// Example: nn::conv2d(x<fresh<layout<none, halo("h", 1), halo("w", 1), none>>>, k<layout<none, none, none, none>>) -> layout<none, "h", "w", none>
template <int Stride = 1, int Dilation = 1, padding Edge = padding::same, tensor X, tensor K>
constexpr auto conv2d(X const& images, K const& kernel, call_site w = call_site::current()) {
  return ops_detail::conv2d_of<void, Stride, Dilation, Edge>(images, kernel, w);
}

/// The same for images with a halo. The result has the layout To, for the exchange before the next layer. It
/// is written in place: no copy gives it the room.
/// Error: does not compile unless To is H, and H is split as the result is.
/// Example: auto y = exchange_halo(nn::conv2d<H>(x, k));  // x and y are of fresh<H>
template <class To, int Stride = 1, int Dilation = 1, padding Edge = padding::same, tensor X, tensor K>
constexpr auto conv2d(X const& images, K const& kernel, call_site w = call_site::current()) {
  return ops_detail::conv2d_of<To, Stride, Dilation, Edge>(images, kernel, w);
}

}  // namespace ashlar::nn

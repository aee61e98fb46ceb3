// Windows over a dimension, by listing what they cover, and the rule of convolution, proven by simulation on two ranks.
#include "ashlar/plan/convolution.hpp"
#include "../../support/simulated_mesh.hpp"

using namespace ashlar;
using namespace ashlar::test;

// Without padding windows lie inside, and one more would not. With it there is one for every `stride` elements, as few
// elements as possible lie outside, and no more of them at the end than at the beginning, but one.
constexpr bool right(windows const& w) {
  index_t const last = w.first(w.count() - 1) + w.reach();
  if (w.edge == padding::valid)
    return w.count() == 0 ? w.n < w.reach() : w.first(0) == 0 && last <= w.n && last + w.stride > w.n;
  if (w.count() * w.stride < w.n || (w.count() - 1) * w.stride >= w.n) return w.n == 0 && w.count() == 0;
  index_t const before = -w.first(0), after = last - w.n;
  return before >= 0 && (before == 0 ? after <= 1 : after == before || after == before + 1);
}
constexpr bool all_windows_are_right() {
  for (padding edge : {padding::valid, padding::same})
    for (index_t n = 0; n < 12; ++n)
      for (index_t size = 1; size < 6; ++size)
        for (index_t stride = 1; stride < 5; ++stride)
          for (index_t dilation = 1; dilation < 4; ++dilation)
            if (!right({n, size, stride, dilation, edge})) return false;
  return true;
}
static_assert(all_windows_are_right());
// The layers of Keras' guide: 6 by 6 windows at a stride of 2 over 28 and 14 pixels begin two pixels outside.
static_assert(windows{28, 6, 2, 1, padding::same}.count() == 14 && windows{28, 6, 2, 1, padding::same}.before() == 2);
static_assert(windows{14, 6, 2, 1, padding::same}.count() == 7 && windows{14, 6, 2, 1, padding::same}.before() == 2);
static_assert(windows{8, 3, 2, 1, padding::same}.before() == 0);  // asymmetric: one beyond the end alone

// ---- Images (2, 3, 3, 2) and a kernel (2, 2, 2, 2), on two ranks.

constexpr mesh_shape two_ranks{1, {2}};

constexpr array convolve(array const& x, array const& k) {
  shape const a = x.extents, b = k.extents;
  if (a[3] != b[2] || a[1] < b[0] || a[2] < b[1]) return array::undefined();
  array y = array::of(shape::of(a[0], a[1] - b[0] + 1, a[2] - b[1] + 1, b[3]));
  for (index_t i = 0; i < y.extents.size(); ++i) {
    index_t const o = i % b[3], w = i / b[3] % y.extents[2], h = i / (b[3] * y.extents[2]) % y.extents[1], n = i / y.extents.stride(0);
    for (index_t p = 0; p < b[0]; ++p)
      for (index_t q = 0; q < b[1]; ++q)
        for (index_t c = 0; c < a[3]; ++c)
          y[i] = y[i] + x[((n * a[1] + h + p) * a[2] + w + q) * a[3] + c] * k[((p * b[1] + q) * b[2] + c) * b[3] + o];
  }
  return y;
}
// By the layouts of the images, since compilers limit the steps of one evaluation.
template <int Nth>
constexpr tally convolutions_of = [] {
  tally t;
  int nth = 0;
  for_each_layout(4, 1, sums, [&](layout_value const& x) {
    if (nth++ == Nth)
      for_each_layout(4, 1, sums, [&](layout_value const& k) {
        t.judge(convolution_rule(detail::images_by_kernel, x, k), 4, sums, 2, [&](unsigned data) {
          return experiment(convolve, two_ranks, arbitrary_tensor(shape::of(2, 3, 3, 2), x, two_ranks, 2 * data),
                            arbitrary_tensor(shape::of(2, 2, 2, 2), k, two_ranks, 2 * data + 1));
        });
      });
  });
  return t;
}();
constexpr tally of(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }
static_assert(convolutions_of<0> == of(6, 3));  // whole images: a kernel that is whole, split by filters, or pending
static_assert(convolutions_of<1> == of(6, 1));  // split by the batch
static_assert(convolutions_of<2> == of(6, 0) && convolutions_of<3> == of(6, 0));  // by rows or columns of pixels
static_assert(convolutions_of<4> == of(6, 1));  // by channels, as the kernel
static_assert(convolutions_of<5> == of(6, 1));  // pending

// Transposes: the layout of each operand's cotangent is that of the operand, or a pending sum where the other has the axis.
constexpr layout_value over(int dim) {
  layout_value v;
  v.rank = 4;
  if (dim >= 0) v.dim[dim].push(0);
  return v;
}
constexpr layout_value pending = [] {
  layout_value v = over(-1);
  v.pend(op_sum, 1);
  return v;
}();
static_assert(convolution_rule(detail::cotangent_by_kernel, over(0), over(-1)).out == over(0));
static_assert(convolution_rule(detail::images_by_cotangent, over(0), over(0)).out == pending);   // by the batch
static_assert(convolution_rule(detail::cotangent_by_kernel, over(3), over(3)).out == pending);   // by filters
static_assert(convolution_rule(detail::images_by_cotangent, over(-1), over(3)).out == over(3));
static_assert(convolution_rule(detail::cotangent_by_kernel, over(-1), over(2)).out == over(3));  // by channels
static_assert(convolution_rule(detail::images_by_cotangent, over(3), over(-1)).out == over(2));
static_assert(pooling_rule(linearity::linear, pending).out == pending && pooling_rule(linearity::nonlinear, over(3)).out == over(3));
static_assert(pooling_rule(linearity::nonlinear, pending).why == fault::not_linear && pooling_rule(linearity::linear, over(2)).why == fault::sharded_dimension);

// The rule of convolution, proven by simulation on two ranks.
#include "ashlar/ops/nn/convolution.hpp"
#include "support/simulated_mesh.hpp"

using namespace ashlar;
using namespace ashlar::test;

// Images (2, 3, 3, 2) and a kernel (2, 2, 2, 2), on two ranks.

constexpr mesh_shape two_ranks{1, {2}};

constexpr array convolve(array const& x, array const& k) {
  shape const a = x.extents, b = k.extents;
  if (a[3] != b[2] || a[1] < b[0] || a[2] < b[1]) return array::undefined();
  array y = array::of(shape::of(a[0], a[1] - b[0] + 1, a[2] - b[1] + 1, b[3]));
  for (index_t i = 0; i < y.extents.size(); ++i) {
    index_t const o = i % b[3], w = i / b[3] % y.extents[2], h = i / (b[3] * y.extents[2]) % y.extents[1],
                  n = i / y.extents.stride(0);
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
        t.judge(ops_detail::convolution_rule(ops_detail::images_by_kernel, x, k), 4, sums, 2, [&](unsigned data) {
          return experiment(convolve, two_ranks, arbitrary_tensor(shape::of(2, 3, 3, 2), x, two_ranks, 2 * data),
                            arbitrary_tensor(shape::of(2, 2, 2, 2), k, two_ranks, 2 * data + 1));
        });
      });
  });
  return t;
}();
constexpr tally of(int tuples, int accepted) { return {tuples, accepted, 0, 0}; }
static_assert(convolutions_of<0> == of(6, 3));  // whole images: a kernel that is whole, split by filters, or partial
static_assert(convolutions_of<1> == of(6, 1));  // split by the batch
static_assert(convolutions_of<2> == of(6, 0) && convolutions_of<3> == of(6, 0));  // by rows or columns of pixels
static_assert(convolutions_of<4> == of(6, 1));                                    // by channels, as the kernel
static_assert(convolutions_of<5> == of(6, 1));                                    // partial

// Transposes: the layout of each operand's cotangent is that of the operand, or a partial sum where the other has the axis.
constexpr layout_value over(int dim) {
  layout_value v;
  v.rank = 4;
  if (dim >= 0) v.dim[dim].push(0);
  return v;
}
constexpr layout_value partial_sums = [] {
  layout_value v = over(-1);
  v.add_partial(layout_detail::op_sum, 1);
  return v;
}();
static_assert(ops_detail::convolution_rule(ops_detail::cotangent_by_kernel, over(0), over(-1)).out == over(0));
static_assert(ops_detail::convolution_rule(ops_detail::images_by_cotangent, over(0), over(0)).out ==
              partial_sums);  // by the batch
static_assert(ops_detail::convolution_rule(ops_detail::cotangent_by_kernel, over(3), over(3)).out ==
              partial_sums);  // by filters
static_assert(ops_detail::convolution_rule(ops_detail::images_by_cotangent, over(-1), over(3)).out == over(3));
static_assert(ops_detail::convolution_rule(ops_detail::cotangent_by_kernel, over(-1), over(2)).out ==
              over(3));  // by channels
static_assert(ops_detail::convolution_rule(ops_detail::images_by_cotangent, over(3), over(-1)).out == over(2));

#include "ashlar/kernels/nn/convolution.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/functions.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "../../../examples/support/rotary.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;

// A chain of one layer in place of many, on real ranks.
namespace chain_of_equal_layers {
using matrix = sharded_tensor<double, layout<none, none>, mesh<axis<"a">>>;
auto right(matrix const& x, matrix const& w) {
  auto const layer = [](auto const& y, auto const& v, std::size_t) { return einsum<"bi,io->bo">(y, v); };
  return chain(stack<3>(w), x, layer);
}
// error: ashlar::chain: equal_layers is one layer in place of many, for dry runs; write stack<N>(layer) on real ranks
auto wrong(matrix const& x, matrix const& w) {
  auto const layer = [](auto const& y, auto const& v, std::size_t) { return einsum<"bi,io->bo">(y, v); };
  return chain(equal_layers<3>(w), x, layer);
}
}  // namespace chain_of_equal_layers

// Images of elements that no BLAS multiplies.
namespace conv2d_of_other_elements {
struct pair {
  float first, second;
};
auto right(device_mesh<grid> const& m) {
  using element = float;
  return conv2d(make<element, layout<"data", none, none, none>>(m, {8, 6, 6, 4}),
                make<element, layout<none, none, none, none>>(m, {3, 3, 4, 2}));
}
// error: ashlar::nn::conv2d: images are of float, double or complex numbers; cast them
auto wrong(device_mesh<grid> const& m) {
  using element = pair;
  return conv2d(make<element, layout<"data", none, none, none>>(m, {8, 6, 6, 4}),
                make<element, layout<none, none, none, none>>(m, {3, 3, 4, 2}));
}
}  // namespace conv2d_of_other_elements

// An operation of the program's own that can be planned, and not run.
namespace operation_without_a_kernel {
struct copied {
  using diagnostics = ops_detail::elementwise_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& x) {
    return layout_detail::elementwise_rule(linearity::linear, x);
  }
  static constexpr shape extents(layout_value const&, shape const& x) { return x; }
};
struct with_kernel : copied {};
template <class S, class T>
void run(with_kernel const&, S const& space, kernels::scratch_memory, kernels::shard<T> const& y,
         kernels::shard<T const> const& x) {
  kernels::copy(space, x.data, y.data, x.local_size());
}
auto right(device_mesh<grid> const& m) { return apply(with_kernel{}, make<float, layout<"data", none>>(m, {8, 4})); }
// error: ashlar::apply: the operation has no kernel; include ashlar/blas.hpp for einsum, transpose and convolutions, or ashlar/kernels/<its name>.hpp; beside an operation of your own write run(op, space, scratch, y, x...)
auto wrong(device_mesh<grid> const& m) { return apply(copied{}, make<float, layout<"data", none>>(m, {8, 4})); }
}  // namespace operation_without_a_kernel

// The example's operation on features of which each rank has a piece.
namespace rotary_of_sharded_features {
using grid = mesh<axis<"data">, axis<"seq">>;
constexpr grid m{{2, 2}};
constexpr auto right = apply(rope::rotary{}, make<double, layout<"data", "seq", none>>(m, {4, 10, 6}));
// error: rotary: the axis shards the features, which are turned in pairs; all_gather them, or shard heads or positions
constexpr auto wrong = apply(rope::rotary{}, make<double, layout<"data", none, "seq">>(m, {4, 10, 6}));
}  // namespace rotary_of_sharded_features

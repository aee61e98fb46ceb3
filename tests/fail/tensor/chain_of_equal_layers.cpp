// A chain of one layer in place of many, on real ranks.
// EXPECT: ashlar::chain: equal_layers is one layer in place of many, for dry runs; write stack
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using matrix = sharded_tensor<double, layout<none, none>, mesh<axis<"a">>>;

auto apply_layers(matrix const& x, matrix const& w) {
  auto const layer = [](auto const& y, auto const& v, std::size_t) { return einsum<"bi,io->bo">(y, v); };
#ifdef ASHLAR_CONTROL
  return chain(stack<3>(w), x, layer);
#else
  return chain(equal_layers<3>(w), x, layer);
#endif
}

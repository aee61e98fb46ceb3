// A row added to a sharded tensor of a lower rank: the sum has more dimensions.
// EXPECT: ashlar::assign: the value has another layout than the tensor
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid sizes{{2}};
constexpr auto matrix = make<float, layout<"data", none>>(sizes, {8, 4});

constexpr auto updated = [] {
  auto row = make<float, layout<none>>(sizes, {4});
#ifdef ASHLAR_CONTROL
  auto x = matrix;
  x += row;
#else
  row += matrix;
#endif
  return row;
}();

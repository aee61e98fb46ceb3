// An operation of the program's own that can be planned, and not run.
// EXPECT: ashlar::apply: the operation has no kernel
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/functions.hpp"
#include "ashlar/tensor/backend.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

namespace {

struct copied {
  using diagnostics = ops_detail::elementwise_diagnostics;
  template <class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& x) {
    return layout_detail::elementwise_rule(linearity::linear, x);
  }
  static constexpr shape extents(layout_value const&, shape const& x) { return x; }
};
#ifdef ASHLAR_CONTROL
template <class S, class T>
void run(copied const&, S const& space, kernels::scratch_memory, kernels::shard<T> const& y,
         kernels::shard<T const> const& x) {
  kernels::copy(space, x.data, y.data, x.local_size());
}
#endif

}  // namespace

auto copy(device_mesh<grid> const& m) { return apply(copied{}, make<float, layout<"data", none>>(m, {8, 4})); }

#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Functions of halos on tensors that have none.
namespace halo_functions_without_a_halo {
using line = mesh<axis<"x">>;
constexpr abstract_mesh<line> m(line{{2}});
using field = layout<halo("x", 1), none>;
constexpr auto rows = make<double, layout<"x", none>>(m, {8, 4});
constexpr auto u = make<double, field>(m, {8, 4});
constexpr auto right = [] { (void)owned(u); };
constexpr auto wrong = [] {
  // error: ashlar::owned: the tensor has no halo; use it as it is
  (void)owned(rows);
};
}  // namespace halo_functions_without_a_halo

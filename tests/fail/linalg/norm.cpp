#include "ashlar/linalg/norm.hpp"

using namespace ashlar;

// The norm of integers, which would round the root.
namespace of_integers {
using line = mesh<axis<"p">>;
auto right(device_mesh<line> const& m) { return linalg::norm(full<double, layout<"p">>(m, {8}, 1)); }
// error: ashlar::linalg::norm: the elements are integers; write cast<double>(x)
auto wrong(device_mesh<line> const& m) { return linalg::norm(full<std::uint8_t, layout<"p">>(m, {8}, 1)); }
}  // namespace of_integers

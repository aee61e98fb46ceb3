// The norm of integers, which would round the root.
// EXPECT: ashlar::linalg::norm: the elements are integers; write cast<double>\(x\)
// ONE ERROR
#include "ashlar/linalg/norm.hpp"

using namespace ashlar;
using line = mesh<axis<"p">>;

#ifdef ASHLAR_CONTROL
using element = double;
#else
using element = std::uint8_t;
#endif
auto norm(device_mesh<line> const& m) { return linalg::norm(full<element, layout<"p">>(m, {8}, 1)); }

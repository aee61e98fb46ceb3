// Each rank factors whole rows.
// EXPECT: ashlar::linalg::tall_skinny_qr: an axis shards the columns; redistribute the rows over all axes, or use linalg::qr
// ONE ERROR
#include "ashlar/linalg/tall_skinny_qr.hpp"
using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;

#ifdef ASHLAR_CONTROL
using L = layout<axes("p", "q"), none>;
#else
using L = layout<"p", "q">;
#endif
auto factor(sharded_tensor<double, L, grid> const& x) { return linalg::tall_skinny_qr(x); }

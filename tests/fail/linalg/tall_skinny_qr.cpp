#include "ashlar/linalg/tall_skinny_qr.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;

// Each rank factors whole rows.
namespace of_sharded_columns {
auto right(sharded_tensor<double, layout<axes("p", "q"), none>, grid> const& x) {
  auto const [q, r] = linalg::tall_skinny_qr(x);
  return q;
}
// error: ashlar::linalg::tall_skinny_qr: an axis shards the columns; redistribute the rows over all axes, or use linalg::qr
auto wrong(sharded_tensor<double, layout<"p", "q">, grid> const& x) {
  auto const [q, r] = linalg::tall_skinny_qr(x);
  return q;
}
}  // namespace of_sharded_columns

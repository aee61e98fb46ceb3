#include "ashlar/ops/random.hpp"

using namespace ashlar;

// A dropout rate of 1, in a constant expression.
namespace dropout_rate_of_one {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto right = dropout(make<float, layout<"data">>(m, {8}), 0.5f, prng_key{1});
// error: ashlar::dropout: the rate is at least 0 and less than 1
constexpr auto wrong = dropout(make<float, layout<"data">>(m, {8}), 1.f, prng_key{1});
}  // namespace dropout_rate_of_one

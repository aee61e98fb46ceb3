#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Reading a sharded dimension as if it were whole.
namespace of_a_sharded_dimension {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto right = softmax(make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::softmax: the axis shards the dimension, which the operation reads as a whole; all_gather it first
constexpr auto wrong = softmax(make<float, layout<none, "data">>(m, {8, 4}));
}  // namespace of_a_sharded_dimension

// A dimension that the tensor lacks, and a sharded one that is not the last.
namespace along_other_dimensions {
constexpr mesh<axis<"x">> m{{2}};
constexpr auto x = make<float, layout<"x", none, none>>(m, {8, 4, 4});
constexpr auto right = [] {
  (void)softmax<1>(x);
  (void)log_softmax<-2>(x);
};
constexpr auto wrong = [] {
  // error: ashlar::softmax: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)softmax<3>(x);
  // error: ashlar::log_softmax: the tensor has no such dimension; they count from 0, or from -1 at the end
  (void)log_softmax<3>(x);
  // error: ashlar::log_softmax: the axis shards the dimension, which the operation reads as a whole; all_gather it first
  (void)log_softmax<-3>(x);
};
}  // namespace along_other_dimensions

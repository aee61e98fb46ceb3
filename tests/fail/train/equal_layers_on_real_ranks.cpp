// One layer in place of many, on real ranks.
// EXPECT: ashlar::init: equal_layers is one layer in place of many, for dry runs; write stack
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/strategy.hpp"

using namespace ashlar;

auto parameters(device_mesh<mesh<axis<"data">>> const& m) {
#ifdef ASHLAR_CONTROL
  return init<data_parallel<"data">>(m, std::tuple(stack<3>(weight{8, 8})), prng_key{1});
#else
  return init<data_parallel<"data">>(m, std::tuple(equal_layers<3>(weight{8, 8})), prng_key{1});
#endif
}

// Parameters of integers, which would round every step.
// EXPECT: ashlar::optimizer: the elements are integers; write cast<double>\(x\)
// ONE ERROR
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = int;
#endif

constexpr auto program = [] {
  auto parameters = std::tuple(make<element, layout<none>>(m, {8}));
  sgd_state<decltype(parameters)> state{0, parameters};
  sgd{}.update(parameters, state, parameters);
};
constexpr int r = (program(), 0);

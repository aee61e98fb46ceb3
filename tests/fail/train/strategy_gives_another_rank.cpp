// A strategy of one's own that gives a matrix the layout of a vector.
// EXPECT: ashlar::init: the strategy.s parameter_layout is no layout with one spec
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
struct columns : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = layout<none, "model">;
};
#else
struct columns : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = layout<"model">;
};
#endif
constexpr auto p = init<columns>(m, model, prng_key{1});

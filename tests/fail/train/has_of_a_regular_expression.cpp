// A strategy of one's own that asks for a regular expression.
// EXPECT: ashlar::layout_map: has takes no regular expression, and only \* is special; write \* for any characters
#include "../../support/two_layers.hpp"

struct strategy : data_parallel<"data"> {
  template <class Parameter>
#ifdef ASHLAR_CONTROL
  using parameter_layout = std::conditional_t<Parameter::has("d1") || Parameter::has("d2"), layout<none, "model">,
#else
  using parameter_layout = std::conditional_t<Parameter::has("d1|d2"), layout<none, "model">,
#endif
                                              layout<none, none>>;
};
constexpr auto p = init<strategy>(m, model, prng_key{1});

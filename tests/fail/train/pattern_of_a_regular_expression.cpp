// A key of Keras, which is a regular expression.
// EXPECT: ashlar::rule: a key is no regular expression, and only \* is special; write \* for any characters
// ONE ERROR
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1*l", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1.*l", layout<none, "model">>>>(m, model, prng_key{1});
#endif

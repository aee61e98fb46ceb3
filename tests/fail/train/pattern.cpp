#include "../../support/two_layers.hpp"

// A key of Keras, which is a regular expression.
namespace key_of_a_regular_expression {
constexpr auto right = init<model_parallel<"data", rule<"d1*l", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::training::rule: a key is no regular expression, and only * is special; write * for any characters, and a rule for each alternative
constexpr auto wrong = init<model_parallel<"data", rule<"d1.*l", layout<none, "model">>>>(m, model, prng_key{1});
}  // namespace key_of_a_regular_expression

// A strategy of one's own that asks for a regular expression.
namespace has_of_a_regular_expression {
using parameter = train_detail::layout_place<train_detail::root, 2>;
constexpr bool right = parameter::has("d1*l") || parameter::has("d2");
// error: ashlar::training::layout_map: has takes no regular expression, and only * is special; write * for any characters, and || for alternatives
constexpr bool wrong = parameter::has("d1|d2");
}  // namespace has_of_a_regular_expression

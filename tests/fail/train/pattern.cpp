#include "../../support/two_layers.hpp"

// A key of Keras, which is a regular expression.
namespace key_of_a_regular_expression {
constexpr auto right = init<model_parallel<"data", rule<"d1*l", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::rule: a key is no regular expression, and only * is special; write * for any characters, and a rule for each alternative
constexpr auto wrong = init<model_parallel<"data", rule<"d1.*l", layout<none, "model">>>>(m, model, prng_key{1});
}  // namespace key_of_a_regular_expression

// A strategy of one's own that asks for a regular expression.
namespace has_of_a_regular_expression {
template <bool Right>
struct strategy : data_parallel<"data"> {
  template <class Parameter>
  static constexpr bool asks() {
    if constexpr (Right)
      return Parameter::has("d1") || Parameter::has("d2");
    else
      return Parameter::has("d1|d2");
  }
  template <class Parameter>
  using parameter_layout = std::conditional_t<asks<Parameter>(), layout<none, "model">, layout<none, none>>;
};
constexpr auto right = init<strategy<true>>(m, model, prng_key{1});
// error: ashlar::layout_map: has takes no regular expression, and only * is special; write * for any characters, and || for alternatives
constexpr auto wrong = init<strategy<false>>(m, model, prng_key{1});
}  // namespace has_of_a_regular_expression

#include "../../support/two_layers.hpp"

using namespace ashlar;
using namespace ashlar::training;

// A rule that only a weight with a layout of its own matches.
namespace rule_for_a_weight_with_its_own_layout {
constexpr auto right = init<model_parallel<"data", rule<"kernel", layout<"model", none>>>>(
    m, build<kernel_alone>(weight{8, 4}), prng_key{1});
// error: ashlar::training::layout_map: a rule matches no parameter of the model; check the path, or leave the rule out
constexpr auto wrong = init<model_parallel<"data", rule<"kernel", layout<"model", none>>>>(
    m, build<kernel_alone>(weight{8, 4}.laid_out<layout<none, none>>()), prng_key{1});
}  // namespace rule_for_a_weight_with_its_own_layout

// A layout rule whose path no parameter has.
namespace rule_matches_no_parameter {
constexpr auto right = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::training::layout_map: a rule matches no parameter of the model; check the path, or leave the rule out
constexpr auto wrong = init<model_parallel<"data", rule<"d1/bias", layout<"model">>>>(m, model, prng_key{1});
}  // namespace rule_matches_no_parameter

// A rule whose layout has another number of dimensions than the parameter.
namespace of_another_rank {
constexpr auto right = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::training::layout_map: the rule's layout has another number of dimensions than the parameter or output; write one spec per dimension
constexpr auto wrong = init<model_parallel<"data", rule<"d1/kernel", layout<"model">>>>(m, model, prng_key{1});
}  // namespace of_another_rank

// A rule with an axis that the mesh does not have.
namespace with_unknown_axis {
constexpr auto right = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::make: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
constexpr auto wrong = init<model_parallel<"data", rule<"d1/kernel", layout<none, "heads">>>>(m, model, prng_key{1});
}  // namespace with_unknown_axis

// A rule whose second argument is no layout.
namespace without_a_layout {
constexpr auto right = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
// error: ashlar::training::rule: its second argument is a layout, as in rule<"d1/kernel", layout<none, "model">>
constexpr auto wrong = init<model_parallel<"data", rule<"d1/kernel", float>>>(m, model, prng_key{1});
}  // namespace without_a_layout

// Two patterns that match one parameter.
namespace two_patterns_match_one_parameter {
constexpr auto right =
    init<model_parallel<"data", rule<"d1*", layout<none, "model">>, rule<"d2*", layout<"model", none>>>>(m, model,
                                                                                                         prng_key{1});
// error: ashlar::training::layout_map: two rules match one parameter; name it by its whole path in one rule, or narrow the patterns
constexpr auto wrong =
    init<model_parallel<"data", rule<"d1*", layout<none, "model">>, rule<"*kernel", layout<"model", none>>>>(
        m, model, prng_key{1});
}  // namespace two_patterns_match_one_parameter

#include "ashlar/train/step.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto net = sequential<8>(dense<"d1", 4>(relu()), dense<"d2", 2>());
using mirrored = data_parallel<"data">;

// A product over inputs that an axis shards, without a rule for the output.
namespace partial_output {
using split = model_parallel<"data", rule<"d2/kernel", layout<"model", none>>, rule<"d1/kernel", layout<none, "model">>,
                             rule<"d1/bias", layout<"model">>, output_rule<"d2", layout<"data", none>>>;
constexpr auto right = dry_run(m, training_step<split>(net, cross_entropy, adam{}, 4));
using partial = model_parallel<"data", rule<"d2/kernel", layout<"model", none>>,
                               rule<"d1/kernel", layout<none, "model">>, rule<"d1/bias", layout<"model">>>;
// error: ashlar::training::sequential: the output of a layer is partial, since an axis shards the inputs of its kernel; give the strategy a rule for it, as in output_rule<"d2", layout<"data", none>>
constexpr auto wrong = dry_run(m, training_step<partial>(net, cross_entropy, adam{}, 4));
}  // namespace partial_output

// A rule for a layer that the network does not have.
namespace unknown_output {
using right_rules = model_parallel<"data", output_rule<"d2", layout<"data", none>>>;
constexpr auto right = dry_run(m, training_step<right_rules>(net, cross_entropy, adam{}, 4));
using wrong_rules = model_parallel<"data", output_rule<"d3", layout<"data", none>>>;
// error: ashlar::training::layout_map: an output_rule matches no layer of the model; name a path above parameters, as "d2" is of "d2/kernel"
constexpr auto wrong = dry_run(m, training_step<wrong_rules>(net, cross_entropy, adam{}, 4));
}  // namespace unknown_output

// A rule that no parameter of the network matches.
namespace unknown_parameter {
using right_rules = model_parallel<"data", rule<"d1/bias", layout<none>>>;
constexpr auto right = dry_run(m, training_step<right_rules>(net, cross_entropy, adam{}, 4));
using wrong_rules = model_parallel<"data", rule<"d3/bias", layout<none>>>;
// error: ashlar::training::layout_map: a rule matches no parameter of the model; check the path, or leave the rule out
constexpr auto wrong = dry_run(m, training_step<wrong_rules>(net, cross_entropy, adam{}, 4));
}  // namespace unknown_parameter

// Two layers of one name.
namespace one_name {
constexpr auto right = sequential<8>(dense<"d1", 4>(), dense<"d2", 4>());
// error: ashlar::training::sequential: two layers have one name; give each layer a name of its own
constexpr auto wrong = sequential<8>(dense<"d1", 4>(), dense<"d1", 4>());
}  // namespace one_name

// Images where a dense layer gives vectors.
namespace vectors_for_images {
constexpr auto right = sequential<8, 8, 1>(conv2d<"c1", 4, 3>());
// error: ashlar::training::sequential: a layer of images takes height, width and channels of an example; write sequential<28, 28, 1>(...), and flatten() after such layers alone
constexpr auto wrong = sequential<8>(conv2d<"c1", 4, 3>());
}  // namespace vectors_for_images

// A product in more dimensions than it has equations for.
namespace many_dimensions {
constexpr auto right_net = sequential<2, 2, 2, 2>(flatten(), dense<"d1", 4>());
constexpr auto right = dry_run(m, training_step<mirrored>(right_net, cross_entropy, adam{}, 4));
constexpr auto wrong_net = sequential<2, 2, 2, 2>(dense<"d1", 2>(), flatten(), dense<"d2", 2>());
// error: ashlar::training::dense: its inputs have 2 to 4 dimensions, the batch first; write flatten() before it
constexpr auto wrong = dry_run(m, training_step<mirrored>(wrong_net, cross_entropy, adam{}, 4));
}  // namespace many_dimensions

// No extents of an example.
namespace without_extents {
constexpr auto right = sequential<8>(dense<"d1", 4>());
// error: ashlar::training::sequential: give the extents of an example, as in sequential<784>(...)
constexpr auto wrong = sequential(dense<"d1", 4>());
}  // namespace without_extents

// No parameters.
namespace without_parameters {
constexpr auto right = sequential<8>(relu(), dense<"d1", 4>());
// error: ashlar::training::sequential: no layer has parameters, so nothing can be trained; add one, such as dense<"d1", 10>()
constexpr auto wrong = sequential<8>(relu());
}  // namespace without_parameters

// A name that no layer has.
namespace unknown_layer {
constexpr auto p = init<mirrored>(m, net.weights(), prng_key{1});
constexpr auto right = p["d1"_n].kernel;
// error: ashlar::tree: no member has this name; name one of the tree's members, as in parameters["d1"_n]
constexpr auto wrong = p["d3"_n].kernel;
}  // namespace unknown_layer

// A layer that takes something else than a tensor.
namespace no_tensor {
constexpr auto right_layer = [](auto const& x) { return x * 2.f; };
constexpr auto right_net = sequential<8>(right_layer, dense<"d1", 4>());
constexpr auto right = dry_run(m, training_step<mirrored>(right_net, cross_entropy, adam{}, 4));
constexpr auto wrong_layer = [](int x) { return x; };
constexpr auto wrong_net = sequential<8>(wrong_layer, dense<"d1", 4>());
// error: ashlar::training::sequential: a layer takes (x), (x, call) or, with weights, (parameters, x, call); call it with a tensor to see what fails
constexpr auto wrong = dry_run(m, training_step<mirrored>(wrong_net, cross_entropy, adam{}, 4));
}  // namespace no_tensor

// A stage that ZeRO does not have.
namespace stage_of_zero {
constexpr int right = zero<3, mirrored, mirrored>::stage;
// error: ashlar::training::zero: its stages are 0 to 3; write zero<1, Whole, Shares>
constexpr int wrong = zero<4, mirrored, mirrored>::stage;
}  // namespace stage_of_zero

// The network in place of its weights.
namespace init_of_a_network {
constexpr auto net = sequential<784>(dense<"d1", 10>());
constexpr auto right = init<data_parallel<"data">>(mesh<axis<"data">>{{2}}, net.weights(), prng_key{2});
// error: ashlar::training::init: it takes the weights of a network; write init<Strategy>(m, network.weights(), key)
constexpr auto wrong = init<data_parallel<"data">>(mesh<axis<"data">>{{2}}, net, prng_key{2});
}  // namespace init_of_a_network

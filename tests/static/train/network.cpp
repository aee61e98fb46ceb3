// What the training step of a network sends, on every mesh, and the layouts and names of its parameters.
#include "ashlar/train/step.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"

using namespace ashlar;
using namespace ashlar::training;

namespace {

// [network]
using grid = mesh<axis<"data">, axis<"model">>;
constexpr auto net =
    sequential<784>(dense<"d1", 256>(relu()), dropout(0.1), dense<"d2", 256>(relu()), dense<"d3", 10>());
// [network]

// [strategies]
using mirrored = data_parallel<"data">;
using sharded = model_parallel<"data", rule<"d1/kernel", layout<none, "model">>, rule<"d1/bias", layout<"model">>,
                               rule<"d2/kernel", layout<"model", none>>, output_rule<"d2", layout<"data", none>>>;
// [strategies]

// [count]
constexpr auto on_8 = dry_run(grid{{2, 4}}, training_step<sharded>(net, cross_entropy, adam{}, 64));
static_assert(on_8.count() == 2);
static_assert(on_8.count(pass::forward, collective::all_reduce, "model") == 1);  // the sum of d2
static_assert(on_8.count(pass::update, collective::all_reduce, "data") == 1);    // the loss and all gradients
// [count]
static_assert(dry_run(grid{{8, 1}}, training_step<mirrored>(net, cross_entropy, adam{}, 64)).count() == 1);
static_assert(dry_run(grid{{1, 1}}, training_step<sharded>(net, cross_entropy, adam{}, 64)).count() == 0);

// A metric and clipping. Only the squares of sharded gradients are summed over an axis.
static_assert(dry_run(grid{{8, 1}}, training_step<mirrored>(net, cross_entropy, adam{}, 64, accuracy)).count() == 1);
static_assert(dry_run(grid{{8, 1}}, training_step<mirrored>(net, cross_entropy, adam{}, 64, accuracy, 1)).count() == 1);
static_assert(dry_run(grid{{2, 4}}, training_step<sharded>(net, cross_entropy, adam{}, 64, accuracy, 1)).count() == 3);

// An all-reduce of n numbers brings a rank n of them on 2 ranks: gradients, loss and hits.
static_assert(dry_run(grid{{2, 1}}, training_step<mirrored>(net, cross_entropy, adam{}, 64, accuracy))
                  .bytes_per_rank() == 4 * (785 * 256 + 257 * 256 + 257 * 10 + 2));

// The tree of the parameters has the names of the layers, and layouts in its types.
constexpr auto parameters = init<sharded>(grid{{2, 4}}, net.weights(), prng_key{1});
static_assert(std::is_same_v<layout_t<decltype(parameters["d1"_n].kernel)>, layout<none, "model">>);
static_assert(std::is_same_v<layout_t<decltype(parameters["d1"_n].bias)>, layout<"model">>);
static_assert(std::is_same_v<layout_t<decltype(parameters["d3"_n].kernel)>, layout<none, none>>);
static_assert(parameters["d1"_n].kernel.extents() == shape::of(784, 256));
static_assert(parameters["d3"_n].bias.extents() == shape::of(10));
static_assert(net.outputs() == shape::of(10));

// Two pairs of layers after one with parameters: each pair has Megatron's two all-reduces, of its sum and of the cotangent of
// its inputs.
constexpr auto two_pairs = sequential<784>(dense<"first", 256>(relu()), dense<"in1", 256>(relu()),
                                           dense<"out1", 256>(relu()), dense<"in2", 256>(relu()), dense<"out2", 10>());
using pairs = model_parallel<"data", rule<"in*/kernel", layout<none, "model">>, rule<"in*/bias", layout<"model">>,
                             rule<"out*/kernel", layout<"model", none>>, output_rule<"out*", layout<"data", none>>>;
constexpr auto of_pairs = dry_run(grid{{2, 4}}, training_step<pairs>(two_pairs, cross_entropy, adam{}, 64));
static_assert(of_pairs.count(pass::forward, collective::all_reduce, "model") == 2);
static_assert(of_pairs.count(pass::backward, collective::all_reduce, "model") == 2);
static_assert(of_pairs.count() == 5);

// Parameters in shares over the axis of the batch are gathered for their use, and their gradients are scattered.
using shares = model_parallel<"data", rule<"d*kernel", layout<"data", none>>, rule<"d*bias", layout<"data">>>;
constexpr auto two_layers = sequential<784>(dense<"d1", 128>(relu()), dense<"d2", 10>());
constexpr auto gathered = dry_run(grid{{8, 1}}, training_step<shares>(two_layers, cross_entropy, adam{}, 128));
static_assert(gathered.count(pass::forward, collective::all_gather, "data") == 4);
static_assert(gathered.count(pass::backward, collective::reduce_scatter, "data") == 4);
static_assert(gathered.count() == 9);

// Images: the extents of each layer follow from those before it.
// [images]
constexpr auto of_images = sequential<28, 28, 1>(conv2d<"c1", 12, 3>(without_bias), batch_norm<"n1">(without_scale),
                                                 relu(), max_pool2d<2>(), conv2d<"c2", 24, 5, 2>(relu()),
                                                 average_pool2d<3, 2>(), flatten(), dense<"d1", 10>(softmax()));
// [images]
static_assert(of_images.outputs() == shape::of(10));
constexpr auto filters = init<mirrored>(grid{{4, 1}}, of_images.weights(), prng_key{1});
static_assert(filters["c1"_n].kernel.extents() == shape::of(3, 3, 1, 12));
static_assert(filters["c2"_n].kernel.extents() == shape::of(5, 5, 12, 24));
static_assert(filters["d1"_n].kernel.extents() == shape::of(3 * 3 * 24, 10));
static_assert(dry_run(grid{{4, 1}}, training_step<mirrored>(of_images, squared_error, sgd{}, 64)).count() == 1 + 1 + 1);

// A layer of one's own: a class with weights(shape), outputs(shape) and operator(). Any callable is a layer, too.
// [own]
template <class S>
struct factors {
  S each;
  static constexpr auto names = ashlar::names("each");
};
struct scaled {
  static constexpr layer_name name = "s1";
  static constexpr auto weights(shape const& inputs) {
    return build<factors>(weight{inputs[0]}.from(initializer::ones));
  }
  static constexpr shape outputs(shape const& inputs) { return inputs; }
  template <class P, tensor X>
  constexpr auto operator()(P const& p, X const& x) const {
    return x * p.each;
  }
};
// [own]
constexpr auto twice = [](auto const& x) { return x + x; };
// [blocks]
constexpr auto mixed = sequential<32>(residual<"r1">(dense<"up", 128>(nn::gelu()), dense<"down", 32>()), scaled{},
                                      twice, block<"b1">(residual<"r2">(layer_norm<"n1">(), dense<"d1", 32>(tanh()))),
                                      dense<"d2", 4>(without_bias));
// [blocks]
using megatron =
    model_parallel<"data", rule<"r1/up/kernel", layout<none, "model">>, rule<"r1/up/bias", layout<"model">>,
                   rule<"r1/down/kernel", layout<"model", none>>, output_rule<"r1/down", layout<"data", none>>>;
static_assert(dry_run(grid{{2, 4}}, training_step<megatron>(mixed, cross_entropy, adam{}, 16)).count() == 2);
constexpr auto mixed_parameters = init<megatron>(grid{{2, 4}}, mixed.weights(), prng_key{1});
static_assert(mixed_parameters["b1"_n]["r2"_n]["n1"_n].scale.extents() == shape::of(32));

// More layers than a struct of named members could have.
constexpr auto deep =
    sequential<8>(dense<"d1", 8>(), dense<"d2", 8>(), dense<"d3", 8>(), dense<"d4", 8>(), dense<"d5", 8>(),
                  dense<"d6", 8>(), dense<"d7", 8>(), dense<"d8", 8>(), dense<"d9", 8>(), dense<"d10", 8>(),
                  dense<"d11", 8>(), dense<"d12", 8>(), dense<"d13", 8>(), dense<"d14", 8>());
static_assert(dry_run(grid{{2, 1}}, training_step<mirrored>(deep, squared_error, sgd{}, 8)).bytes_per_rank() ==
              4 * (14 * 72 + 2));  // an odd number is rounded up

// Words as integers.
constexpr auto of_words =
    sequential<50>(embedding<"words", 1000, 16>(), block<"b1">(dense<"d1", 8>(relu())), flatten(), dense<"d2", 5>());
using by_words = model_parallel<"data", rule<"words/kernel", layout<"model", none>>,
                                output_rule<"words", layout<"data", none, none>>>;
static_assert(dry_run(grid{{2, 2}}, training_step<by_words>(of_words, cross_entropy, adam{}, 8)).count() == 2);

}  // namespace

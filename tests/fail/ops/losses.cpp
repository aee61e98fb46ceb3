#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
using line = mesh<axis<"data">>;

// The loss from labels reads all classes of a row. sharded_cross_entropy takes classes that an axis shards.
namespace cross_entropy_of_sharded_classes {
constexpr auto z = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto labels = make<int, layout<"data">>(m, {8});
constexpr auto right = sharded_cross_entropy(z, labels);
// error: ashlar::nn::softmax_cross_entropy: the axis shards the classes, which the loss reads as a whole; write sharded_cross_entropy(logits, labels)
constexpr auto wrong = softmax_cross_entropy(z, labels);
}  // namespace cross_entropy_of_sharded_classes

// Distributions in double for logits in float.
namespace distribution_of_other_elements {
constexpr auto right = softmax_cross_entropy(x, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::nn::softmax_cross_entropy: logits and distributions have different element types; cast one of them
constexpr auto wrong = softmax_cross_entropy(x, make<double, layout<"data", none>>(m, {8, 4}));
}  // namespace distribution_of_other_elements

// Distributions that are not sharded as the rows are.
namespace distribution_of_other_layout {
constexpr auto right = softmax_cross_entropy(x, make<float, layout<"data", none>>(m, {8, 4}));
// error: ashlar::nn::softmax_cross_entropy: the axis shards the labels otherwise than the rows; make both with one layout
constexpr auto wrong = softmax_cross_entropy(x, make<float, layout<none, none>>(m, {8, 4}));
}  // namespace distribution_of_other_layout

// Labels have as many dimensions as logits, as a distribution for each row has, and weights follow them.
namespace distributions_beside_weights {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto logits = make<float, layout<"data", none>>(m, {8, 10});
constexpr auto weights = make<float, layout<"data">>(m, {8});
constexpr auto right = softmax_cross_entropy(logits, make<int, layout<"data">>(m, {8}), weights);
// error: ashlar::nn::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row takes no weights beside it
constexpr auto wrong = softmax_cross_entropy(logits, make<int, layout<"data", none>>(m, {8, 10}), weights);
}  // namespace distributions_beside_weights

// Labels and weights with a dimension too many.
namespace labels_and_weights_of_other_rank {
constexpr auto logits = make<float, layout<"data", none>>(m, {8, 3});
constexpr auto labels = make<std::int32_t, layout<"data">>(m, {8});
namespace right {
constexpr auto classes = labels;
constexpr auto program = [] {
  (void)softmax_cross_entropy(logits, labels, make<float, layout<"data">>(m, {8}));
  (void)accuracy_count(logits, classes);
  (void)sharded_cross_entropy(logits, classes);
};
}  // namespace right
namespace wrong {
constexpr auto classes = make<std::int32_t, layout<"data", none>>(m, {8, 1});
constexpr auto program = [] {
  // error: ashlar::nn::softmax_cross_entropy: weights have one dimension less than logits, one weight per row
  (void)softmax_cross_entropy(logits, labels, make<float, layout<"data", none>>(m, {8, 1}));
  // error: ashlar::nn::accuracy_count: labels have one dimension less than logits, one label per row
  (void)accuracy_count(logits, classes);
  // error: ashlar::nn::sharded_cross_entropy: labels have one dimension less than logits, one label per row
  (void)sharded_cross_entropy(logits, classes);
};
}  // namespace wrong
}  // namespace labels_and_weights_of_other_rank

// Labels that are not sharded as the rows are.
namespace labels_of_other_layout {
constexpr auto right = softmax_cross_entropy(x, make<int, layout<"data">>(m, {8}));
// error: ashlar::nn::softmax_cross_entropy: the axis shards the labels otherwise than the rows; make both with one layout
constexpr auto wrong = softmax_cross_entropy(x, make<int, layout<none>>(m, {8}));
}  // namespace labels_of_other_layout

// Labels with as many dimensions as the logits.
namespace labels_of_other_rank {
constexpr auto right = softmax_cross_entropy(x, make<int, layout<"data">>(m, {8}));
// error: ashlar::nn::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row is of floating-point numbers
constexpr auto wrong = softmax_cross_entropy(x, make<int, layout<"data", none>>(m, {8, 4}));
}  // namespace labels_of_other_rank

// Labels as floating-point numbers: a label is the class of a row.
namespace labels_that_are_not_integers {
constexpr line m{{2}};
constexpr auto z = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto w = make<float, layout<"data">>(m, {8});
namespace right {
constexpr auto labels = make<int, layout<"data">>(m, {8});
constexpr auto a = softmax_cross_entropy(z, labels);
constexpr auto b = softmax_cross_entropy(z, labels, w);
constexpr auto c = sharded_cross_entropy(z, labels);
constexpr auto d = accuracy_count(z, labels);
constexpr auto e = top_k_count(z, labels, 2);
constexpr auto f = confusion_counts(z, labels);
}  // namespace right
namespace wrong {
constexpr auto labels = make<float, layout<"data">>(m, {8});
// error: ashlar::nn::softmax_cross_entropy: labels are integers, the class of each row; write cast<int>(labels), or give a distribution with one number per logit
constexpr auto a = softmax_cross_entropy(z, labels);
// error: ashlar::nn::softmax_cross_entropy: labels are integers, the class of each row, and weights follow them; write cast<int>(labels)
constexpr auto b = softmax_cross_entropy(z, labels, w);
// error: ashlar::nn::sharded_cross_entropy: labels are integers, the class of each row; write cast<int>(labels)
constexpr auto c = sharded_cross_entropy(z, labels);
// error: ashlar::nn::accuracy_count: labels are integers, the class of each row; write cast<int>(labels)
constexpr auto d = accuracy_count(z, labels);
// error: ashlar::nn::top_k_count: labels are integers, the class of each row; write cast<int>(labels)
constexpr auto e = top_k_count(z, labels, 2);
// error: ashlar::nn::confusion_counts: labels are integers, the class of each row; write cast<int>(labels)
constexpr auto f = confusion_counts(z, labels);
}  // namespace wrong
}  // namespace labels_that_are_not_integers

// Weights in double for logits in float.
namespace weights_of_other_elements {
static_assert(dry_run(line{{2}}, [](auto const& m) {
                (void)softmax_cross_entropy(make<float, layout<"data", none>>(m, {8, 3}),
                                            make<std::int32_t, layout<"data">>(m, {8}),
                                            make<float, layout<"data">>(m, {8}));
              }).count() == 0);
// error: ashlar::nn::softmax_cross_entropy: logits and weights have different element types; make the weights of the logits'
static_assert(dry_run(line{{2}}, [](auto const& m) {
                (void)softmax_cross_entropy(make<float, layout<"data", none>>(m, {8, 3}),
                                            make<std::int32_t, layout<"data">>(m, {8}),
                                            make<double, layout<"data">>(m, {8}));
              }).count() == 0);
}  // namespace weights_of_other_elements

// Predictions of one column, whose dimensions NumPy would broadcast to a square.
namespace mean_squared_error_of_a_column {
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto z = make<float, layout<"data", none>>(m, {8, 1});
constexpr auto y = make<float, layout<"data">>(m, {8});
constexpr auto right = nn::mean_squared_error(flatten<0, 1>(z), y);
// error: ashlar::nn::mean_squared_error: the operands have different numbers of dimensions; write flatten<0, 1>(x) of one with extents n and 1
constexpr auto wrong = nn::mean_squared_error(z, y);
}  // namespace mean_squared_error_of_a_column

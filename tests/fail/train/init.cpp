#include "ashlar/tensor/tensor.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/strategies/strategy.hpp"
#include "ashlar/train/strategies/weight.hpp"
#include "../../support/two_layers.hpp"

using namespace ashlar;
using namespace ashlar::training;

// One layer in place of many, on real ranks.
namespace equal_layers_on_real_ranks {
auto right(device_mesh<mesh<axis<"data">>> const& m) {
  return init<data_parallel<"data">>(m, std::tuple(stack<3>(weight{8, 8})), prng_key{1});
}
// error: ashlar::training::init: equal_layers is one layer in place of many, for dry runs; write stack<N>(layer) on real ranks
auto wrong(device_mesh<mesh<axis<"data">>> const& m) {
  return init<data_parallel<"data">>(m, std::tuple(equal_layers<3>(weight{8, 8})), prng_key{1});
}
}  // namespace equal_layers_on_real_ranks

// A model does not name its members, so it is one leaf and no weight.
namespace model_without_names {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto zero = make<float, layout<none>>(m, {10});
namespace right {
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto p = init<data_parallel<"data">>(m, build<mlp>(weight{784, 200}, weight{200, 10}), prng_key{2});
constexpr auto state = adam{}.init(build<mlp>(zero, zero));
}  // namespace right
namespace wrong {
template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
};
// error: ashlar::training::init: a leaf of the model is no weight; a layer has a type parameter and a name for each member: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names("kernel", "bias"); }
constexpr auto p = init<data_parallel<"data">>(m, build<mlp>(weight{784, 200}, weight{200, 10}), prng_key{2});
// error: ashlar::optimizer: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names("kernel", "bias"); }
constexpr auto state = adam{}.init(build<mlp>(zero, zero));
}  // namespace wrong
}  // namespace model_without_names

// Names of layers that make a path of a parameter too long.
namespace path_of_160_characters {
template <class A>
struct outer {
  A layer;
  static constexpr auto names = ashlar::names("layer");
};
template <class A>
struct outer_of_a_long_name {
  A layer;
  static constexpr auto names = ashlar::names(
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
};
using strategy = model_parallel<"data", rule<"kernel", layout<none, "model">>>;
constexpr auto layer = build<kernel_alone>(weight{8, 4});
constexpr auto right = init<strategy>(m, build<outer>(build<outer>(layer)), prng_key{1});
// error: ashlar::model: a parameter's path is longer than 159 characters; shorten the names
constexpr auto wrong = init<strategy>(m, build<outer_of_a_long_name>(build<outer_of_a_long_name>(layer)), prng_key{1});
}  // namespace path_of_160_characters

// A strategy of one's own that gives a matrix the layout of a vector.
namespace strategy_gives_another_rank {
namespace right {
struct columns : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = layout<none, "model">;
};
constexpr auto p = init<columns>(m, build<kernel_alone>(weight{8, 4}), prng_key{1});
}  // namespace right
// error: ashlar::training::init: the strategy's parameter_layout is no layout with one spec for each dimension of the parameter; replicated<Parameter::rank> is one
namespace wrong {
struct columns : data_parallel<"data"> {
  template <class Parameter>
  using parameter_layout = layout<"model">;
};
constexpr auto p = init<columns>(m, build<kernel_alone>(weight{8, 4}), prng_key{1});
}  // namespace wrong
}  // namespace strategy_gives_another_rank

// A weight whose own layout has another number of dimensions.
namespace weight_laid_out_in_another_rank {
constexpr auto right = weight{8, 4}.laid_out<layout<none, "model">>();
// error: ashlar::training::weight: laid_out takes a layout with one spec for each dimension of the parameter
constexpr auto wrong = weight{8, 4}.laid_out<layout<"model">>();
}  // namespace weight_laid_out_in_another_rank

// A weight without extents.
namespace weight_without_extents {
constexpr auto right = ashlar::training::weight{784};
// error: ashlar::training::weight: a parameter has at least one dimension; write its extents, as in weight{784, 200}
constexpr auto wrong = ashlar::training::weight{};
}  // namespace weight_without_extents

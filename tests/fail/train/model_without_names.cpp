// A model does not name its members, so it is one leaf and no weight.
// EXPECT: ashlar::init: a leaf of the model is no weight; a layer has a type parameter and a name for each member
// EXPECT: ashlar::optimizer: a parameter is no tensor; a struct of tensors has a type parameter and a name for each
#include "ashlar/train/layers.hpp"
#include "ashlar/train/optimizer.hpp"
#include "ashlar/train/strategy.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};

template <class D1, class D2>
struct mlp {
  D1 d1;
  D2 d2;
#ifdef ASHLAR_CONTROL
  static constexpr auto names = ashlar::names("d1", "d2");
#endif
};
constexpr auto model = build<mlp>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}));
constexpr auto p = init<data_parallel<"data">>(m, model, prng_key{2});

constexpr auto zero = make<float, layout<none>>(m, {10});
constexpr auto state = adam{}.init(build<mlp>(zero, zero));

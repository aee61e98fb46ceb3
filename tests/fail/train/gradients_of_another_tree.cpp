// all_reduce of a bundle returns a tuple, which is passed as if it were the gradients.
// EXPECT: ashlar::optimizer: the gradients are another tree than the parameters; name the member of a result, as in result.gradients or auto \[g\] = all_reduce<axis>\(bundle\(gradients\)\)
// ONE ERROR
#include "ashlar/train/layers.hpp"
#include "ashlar/train/optimizer.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};

constexpr auto program = [](auto const& mesh) {
  auto p = build<affine>(make<float, layout<none, none>>(mesh, {8, 4}), make<float, layout<none>>(mesh, {4}));
  auto state = adam{}.init(p);
  using terms = partial<layout<none, none>, "data">;
  auto const gradients =
      build<affine>(make<float, terms>(mesh, {8, 4}), make<float, partial<layout<none>, "data">>(mesh, {4}));
#ifdef ASHLAR_CONTROL
  auto const [g] = all_reduce<"data">(bundle(gradients));
#else
  auto const g = all_reduce<"data">(bundle(gradients));
#endif
  adam{}.update(p, state, g);
};
constexpr auto log = collectives(m, program);

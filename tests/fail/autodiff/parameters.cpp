#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto loss = [](auto const& p, auto const& x) { return sum(einsum<"bi,ih->bh">(x, p.kernel) + p.bias); };

// A parameter with given cells that is replicated over the axis of the batch.
namespace given_edge_replicated_over_an_axis {
using grid = mesh<axis<"data">, axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, layout<halo("y", 1, boundary::given)>>(m, {8});
constexpr auto loss = [](auto const& v) { return all_reduce(sum(v * v)); };
constexpr auto right = value_and_grad<none>(loss)(u);
// error: ashlar::value_and_grad: a tensor with a given boundary is replicated over an axis, so its cotangent would be partial, and given cells are no terms of a sum; write another boundary, or name no such axis, as in value_and_grad<none>(f)
constexpr auto wrong = value_and_grad<"data">(loss)(u);
}  // namespace given_edge_replicated_over_an_axis

// A parameter that is partial by a maximum: the rank on whose term it depends is not known.
namespace parameter_partial_by_a_maximum {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr int right = [] {
  auto w = make<float, partial<layout<none>, "model">>(m, {8});
  (void)value_and_grad<"model">([](auto const& p) { return sum(square(all_reduce<"model">(p))); })(w);
  return 0;
}();
// error: ashlar::value_and_grad: a parameter is partial by a reduction other than a sum, which has no dual; all_reduce it first
constexpr int wrong = [] {
  auto w = make<float, partial<layout<none>, "model", op::max>>(m, {8});
  (void)value_and_grad<"model">([](auto const& p) { return sum(square(all_reduce<"model">(p))); })(w);
  return 0;
}();
}  // namespace parameter_partial_by_a_maximum

// A struct of parameters with names, whose members have fixed types. The gradients would need another struct.
namespace in_a_plain_struct {
using matrix = decltype(make<float, layout<none, none>>(m, {8, 4}));
using vector = decltype(make<float, layout<none>>(m, {4}));
namespace right {
template <class Kernel, class Bias>
struct dense {
  Kernel kernel;
  Bias bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr int r = [] {
  dense<matrix, vector> const p{make<float, layout<none, none>>(m, {8, 4}), make<float, layout<none>>(m, {4})};
  auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));
  return 0;
}();
}  // namespace right
// error: ashlar::value_and_grad: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names("kernel", "bias"); }
namespace wrong {
struct parameters {
  matrix kernel;
  vector bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr int r = [] {
  parameters const p{make<float, layout<none, none>>(m, {8, 4}), make<float, layout<none>>(m, {4})};
  auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));
  return 0;
}();
}  // namespace wrong
}  // namespace in_a_plain_struct

// A struct of parameters that does not say what they are called.
namespace without_names {
namespace right {
template <class Kernel, class Bias>
struct dense {
  Kernel kernel;
  Bias bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
constexpr int r = [] {
  auto p = build<dense>(make<float, layout<none, none>>(m, {8, 4}), make<float, layout<none>>(m, {4}));
  auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));
  return 0;
}();
}  // namespace right
// error: ashlar::value_and_grad: a parameter is no tensor; a struct of tensors has a type parameter and a name for each: template <class K, class B> struct affine { K kernel; B bias; static constexpr auto names = ashlar::names("kernel", "bias"); }
namespace wrong {
template <class Kernel, class Bias>
struct dense {
  Kernel kernel;
  Bias bias;
};
constexpr int r = [] {
  auto p = build<dense>(make<float, layout<none, none>>(m, {8, 4}), make<float, layout<none>>(m, {4}));
  auto [value, gradients] = value_and_grad<"data">(loss)(p, make<float, layout<"data", none>>(m, {6, 8}));
  return 0;
}();
}  // namespace wrong
}  // namespace without_names

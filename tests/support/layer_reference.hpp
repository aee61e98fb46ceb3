// Layers against arrays that PyTorch computed (scripts/reference_layers.py): values and derivatives on all meshes.
#pragma once
#include "adjoint.hpp"
#include "reference.hpp"

namespace ashlar::test {

/// An array of tests/data/layers. Integers become doubles, which hold them.
struct layer_array {
  shape extents;
  std::vector<double> element;

  explicit layer_array(std::string const& name) {
    npy_array const a = reference("layers/" + name);
    for (index_t n : a.extents) extents[extents.rank++] = n;
    auto const take = [&](auto example) {
      for (auto x : elements<decltype(example)>(a)) element.push_back(static_cast<double>(x));
    };
    switch (a.kind) {
      case npy_kind::f8: take(double{}); break;
      case npy_kind::i8: take(std::int64_t{}); break;
      case npy_kind::i4: take(std::int32_t{}); break;
      default: throw error(name + ": expected doubles or integers");
    }
  }
  double operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
};

/// A tensor of layout L with an array's elements; where sums pend, the first summand has them.
template <class L, class T = double>
auto reference_tensor(device_mesh<grid> const& m, std::string const& name) {
  layer_array const a(name);
  return tensor_of<T, L>(m, a.extents, [&](index_t g, int s) { return s == 0 ? a[g] : 0; });
}

/// A tensor denotes an array, to 1e-10 of its largest element.
/// Collective.
template <class X>
void check_reference(X const& x, std::string const& name) {
  CAPTURE(name);
  layer_array const a(name);
  auto const t = materialize(x);
  REQUIRE(t.extents() == a.extents);
  auto const own = shard(t);
  double largest = 0;
  for (double const e : a.element) largest = std::max(largest, std::abs(e));
  CHECK(distance({t.extents(), t.layout, {own.begin(), own.end()}}, t.mesh().sizes(), a.element) <= 1e-10 * std::min(1., largest));
}

/// On every mesh: the value of f(operands of layouts L...), of layout Out, and the operands' cotangents are the arrays of
/// the case `name`. Operands are replicated over the axes named where they are whole.
/// Collective.
template <class Out, dimension Replicated, class... L, class F>
void check_case(std::string const& name, F const& f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(name);
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const operands = [&]<int... I>(std::integer_sequence<int, I...>) {
      return std::tuple(reference_tensor<L>(m, name + ".x" + std::to_string(I))...);
    }(std::make_integer_sequence<int, sizeof...(L)>{});
    auto const [loss, y, gradients] = value_and_grad<Replicated>([&](auto const& x) {
      auto const result = std::apply(f, x);
      using C = typename decltype(result)::cotangent_type;
      return build<with_aux>(apply(pairing_op{}, result, reference_tensor<layout_t<C>>(m, name + ".ct")), plain(result));
    })(operands);
    static_assert(std::is_same_v<layout_t<decltype(y)>, Out>);
    check_reference(y, name + ".y");
    int number = 0;
    for_each_leaf([&](auto const& g) { check_reference(g, name + ".g" + std::to_string(number++)); }, gradients);
  });
}

}  // namespace ashlar::test

// Compares layers with arrays that PyTorch computed (scripts/reference_layers.py): values and derivatives on all
// meshes.
#pragma once
#include "adjoint.hpp"
#include "all_layouts.hpp"
#include "allowed_layouts.hpp"
#include "reference.hpp"
#include <boost/mp11/algorithm.hpp>
#include <map>

namespace ashlar::test {

/// An array of tests/data/layers. Integers are converted to doubles, which is exact.
struct layer_array {
  shape extents;
  std::vector<double> element;

  explicit layer_array(std::string const& name) {
    io::npy_array const a = reference("layers/" + name);
    for (index_t n : a.extents) extents[extents.rank++] = n;
    auto const take = [&](auto example) {
      for (auto x : elements<decltype(example)>(a)) element.push_back(static_cast<double>(x));
    };
    switch (a.kind) {
      case io::npy_kind::f8:
        take(double{});
        break;
      case io::npy_kind::i8:
        take(std::int64_t{});
        break;
      case io::npy_kind::i4:
        take(std::int32_t{});
        break;
      default:
        throw error(name + ": expected doubles or integers");
    }
  }
  double operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
  std::function<double(index_t, int)> in_first_summand() const {
    return [this](index_t g, int s) { return s == 0 ? (*this)[g] : 0; };
  }

  /// Reads each array once, although it is compared in many layouts.
  static layer_array const& of(std::string const& name) {
    static std::map<std::string, layer_array> read;
    return read.try_emplace(name, name).first->second;
  }
};

// The functions below are compiled for each layout of each layer, so as little of them as possible is a template.

/// A tensor of layout L with an array's elements. If it is partial, the first term has them and the others are 0.
template <class L, class T = double>
auto reference_tensor(device_mesh<grid> const& m, std::string const& name) {
  layer_array const& a = layer_array::of(name);
  return tensor_of<T, L>(m, a.extents, a.in_first_summand());
}

/// Checks that a tensor, given by its shard on this rank, denotes an array, to 1e-10 of its largest element.
/// Collective.
inline void check_shard(shard_of_rank const& x, mesh_shape const& mesh, std::string const& name) {
  layer_array const& a = layer_array::of(name);
  CAPTURE(name);
  CAPTURE(test::name(x.layout));
  REQUIRE(x.extents == a.extents);
  double largest = 0;
  for (double const e : a.element) largest = std::max(largest, std::abs(e));
  CHECK(distance(x, mesh, a.element) <= 1e-10 * std::min(1., largest));
}

/// Checks that a tensor denotes an array, to 1e-10 of its largest element.
/// Collective.
template <class X>
void check_reference(X const& x, std::string const& name) {
  auto const& t = plan_detail::materialize(x);
  auto const own = shard(t);
  check_shard({t.extents(), t.layout, {own.begin(), own.end()}}, t.mesh().sizes(), name);
}

/// Calls check(mesh) for every mesh.
inline void on_every_mesh(std::function<void(device_mesh<grid> const&)> const& check) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    check(device_mesh<grid>(MPI_COMM_WORLD, sizes));
  });
}

/// Checks that f(operands of layouts L...) has layout Out, and that its value and the operands' cotangents are the
/// arrays of the case `results`. The operands are the arrays of the case `name`. Over the axes `Replicated`, operands
/// that are neither sharded nor partial are replicated.
/// Collective.
template <class Out, dimension Replicated, class... L, class F>
void check_on_mesh(device_mesh<grid> const& m, std::string const& name, F const& f, std::string const& results) {
  auto const operands = [&]<int... I>(std::integer_sequence<int, I...>) {
    return std::tuple(reference_tensor<L>(m, name + ".x" + std::to_string(I))...);
  }(std::make_integer_sequence<int, sizeof...(L)>{});
  auto const [loss, y, gradients] = value_and_grad<Replicated>([&](auto const& x) {
    auto const result = std::apply(f, x);
    using C = typename decltype(result)::cotangent_type;
    return build<with_aux>(apply(pairing_op{}, result, reference_tensor<layout_t<C>>(m, name + ".ct")),
                           stop_gradient(result));
  })(operands);
  static_assert(std::is_same_v<layout_t<decltype(y)>, Out>);
  check_reference(y, results + ".y");
  int number = 0;
  std::apply([&](auto const&... g) { (check_reference(g, results + ".g" + std::to_string(number++)), ...); },
             gradients);
}

/// As check_on_mesh on every mesh; operands and results are of one case.
/// Collective.
template <class Out, dimension Replicated, class... L, class F>
void check_case(std::string const& name, F const& f) {
  on_every_mesh([&](device_mesh<grid> const& m) { check_on_mesh<Out, Replicated, L...>(m, name, f, name); });
}

/// The axes of a mask.
constexpr dimension axes_of(axis_mask m) {
  if (m == 0) return none;
  return m == 1 ? dimension("data") : m == 2 ? dimension("model") : axes("data", "model");
}

/// Calls check(mesh, placed) on every mesh for each `placed` of a list.
template <class Layouts, class F>
void for_each_placed(F const& check) {
  on_every_mesh(
      [&](device_mesh<grid> const& m) { boost::mp11::mp_for_each<Layouts>([&](auto layouts) { check(m, layouts); }); });
}

/// As check_case, in every layout of a list of `placed`. Operands are replicated over the axes that the result names,
/// and invariant over the others.
/// Collective.
template <class Layouts, class F>
void check_layouts(std::string const& name, F const& f) {
  for_each_placed<Layouts>(
      [&]<axis_mask Named, class Out, class... L>(device_mesh<grid> const& m, placed<Named, Out, L...>) {
        check_on_mesh<Out, axes_of(Named), L...>(m, name, f, name);
      });
}
/// As check_layouts for functions of the first operand. f(type of the second operand's layout) makes the function,
/// which also reads the second operand; that has no derivative.
/// Collective.
template <class Layouts, class F>
void check_layouts_beside(std::string const& name, F const& f) {
  for_each_placed<Layouts>([&]<axis_mask Named, class Out, class First, class Second>(
                               device_mesh<grid> const& m, placed<Named, Out, First, Second>) {
    check_on_mesh<Out, axes_of(Named), First>(m, name, f(std::type_identity<Second>{}), name);
  });
}

}  // namespace ashlar::test

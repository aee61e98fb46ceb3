// Compares derivatives of programs on many ranks with one rank that runs the same program on whole tensors.
#pragma once
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/item.hpp"
#include "dense.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <functional>

namespace ashlar::test {

using grid = mesh<axis<"data">, axis<"model">>;

/// Element g of term s of tensor `number`. (A partial tensor has several terms.)
using element_function = double (*)(index_t g, int s, int number);
inline double integers(index_t g, int s, int number) { return small_number(g + 997 * number, s); }
inline double reals(index_t g, int s, int number) {
  return integers(g, s, number) / 4 + 0.05 * number;
}  // no zero, no tie
inline double positive_reals(index_t g, int s, int number) {
  return std::abs(integers(g, s, number)) / 4 + 0.05 * number;
}

/// The layout and extents of a parameter of a program. Parameters are numbered 0, 1, 2, ... in their order.
template <class L, class T = double>
struct operand {
  using layout_type = L;
  using element_type = T;
  static constexpr layout_value layout = layout_detail::value_v<plan_detail::mesh_context<grid, L>, L>;
  shape extents;
};

/// The mesh of a program's tensors, and their elements. On one rank a tensor is the whole value that it has on a mesh
/// of `sizes`.
struct test_mesh {
  device_mesh<grid> mesh;
  mesh_shape sizes;
  element_function element = integers;
  int moved = -1;  // the number of the operand that is moved by step * direction
  double step = 0;

  test_mesh on_one_rank() const { return {device_mesh<grid>(MPI_COMM_SELF, {1, 1}), sizes, element}; }
  static double direction(index_t g) { return small_number(g, 5); }

  std::function<double(index_t, int)> elements(int number) const {
    return [*this, number](index_t g, int s) {
      return element(g, s, number) + (number == moved && s == 0 ? step * direction(g) : 0);
    };
  }
  std::vector<double> value(shape const& extents, layout_value const& layout, int number) const {
    return denoted<double>(extents, layout, sizes, elements(number));
  }
  template <class L, class T>
  auto tensor(operand<L, T> const& x, int number) const {
    auto f = elements(number);
    if (mesh.sizes() != sizes)
      f = [whole = value(x.extents, x.layout, number)](index_t g, int) { return whole[static_cast<std::size_t>(g)]; };
    return tensor_of<T, L>(mesh, x.extents, f);
  }
};

/// The operation <y, y*> of a value and a cotangent. Its derivative with respect to y is y*.
struct pairing_op {
  using diagnostics = ops_detail::elementwise_diagnostics;
  template <class, class>
  using element = double;
  static constexpr rule_result rule(layout_value const& y, layout_value const& c) {
    rule_result r;
    r.out.add_partial(layout_detail::op_sum, y.named() | c.named());
    return r;
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const&) { return {}; }
  template <int I>
    requires(I == 0)
  static auto pullback(auto const&, auto const&, auto const&, auto const& c) {
    return c;
  }
};
template <class Space, class Y, class C>
void run(pairing_op const&, Space const& space, kernels::scratch_memory, kernels::shard<double> value,
         kernels::shard<Y const> y, kernels::shard<C const> c) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "pairing", Kokkos::RangePolicy<Space>(space, 0, y.local_size()),
      KOKKOS_LAMBDA(index_t i, double& s) { s += static_cast<double>(y.data[i]) * static_cast<double>(c.data[i]); },
      sum);
  kernels::fill(space, value.data, 1, sum);
}

/// A tensor's shard on this rank, without its type.
struct shard_of_rank {
  shape extents;
  layout_value layout;
  std::vector<double> elements;
};
struct pulled_back {
  double value;
  std::vector<shard_of_rank> cotangents;
};

/// Returns <f(x...), y*> for an arbitrary cotangent y* of f's value, and the cotangents of x... that f's derivative
/// gives. Over the axes `Replicated`, operands that are neither sharded nor partial are replicated. Over all other axes
/// they are invariant.
template <dimension Replicated, class F, class... X>
pulled_back pull_back(test_mesh const& p, F const& f, X const&... x) {
  auto const parameters = [&]<int... Number>(std::integer_sequence<int, Number...>) {
    return std::tuple(p.tensor(x, Number)...);
  }(std::make_integer_sequence<int, sizeof...(X)>{});
  auto const [value, gradients] = value_and_grad<Replicated>([&](auto const& active_parameters) {
    auto const y = std::apply(f, active_parameters);
    using C = typename decltype(y)::cotangent_type;
    return apply(pairing_op{}, y, p.tensor(operand<layout_t<C>, element_t<C>>{y.extents()}, 99));
  })(parameters);
  pulled_back result{item(all_reduce(value)), {}};
  for_each_leaf(
      [&](auto const& g) {
        auto const own = shard(g);
        result.cotangents.push_back({g.extents(), g.layout, {own.begin(), own.end()}});
      },
      gradients);
  return result;
}

/// Runs a program on real ranks and returns the collectives that it recorded. Collective.
template <class M, class F>
auto recorded(device_mesh<M> const& m, F const& program) {
  recorder<M> found;
  m.record(&found);
  program(m);
  m.record(nullptr);
  return found.log;
}

/// The largest distance of a tensor's elements from `expected`, relative to the largest element or to 1 if that is
/// more. Infinite if replicas differ.
/// Collective.
inline double distance(shard_of_rank const& x, mesh_shape const& mesh, std::vector<double> const& expected) {
  auto const shards = all_shards(x.elements, 0);
  double largest = 1, difference = 0;
  if (!shards.empty()) {
    auto const found = denote(x.extents, x.layout, mesh, shards);
    if (found.size() != expected.size()) difference = HUGE_VAL;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = larger(difference, std::abs(found[i] - expected[i]));
    }
  }
  double result = difference / largest;
  MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return result;
}

using differentiated_program = std::function<pulled_back(test_mesh const&)>;
using case_on_one_rank = std::function<void(test_mesh const&, pulled_back const&)>;

/// Checks on every mesh that value and cotangents of a program equal the results on one rank. Calls also(test_mesh,
/// results) with the results on one rank.
/// Collective.
inline void check_on_meshes(element_function element, double tolerance, differentiated_program const& run,
                            case_on_one_rank const& also) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    test_mesh const here{m, m.sizes(), element}, alone = here.on_one_rank();
    pulled_back const expected = run(alone), found = run(here);
    CHECK(std::abs(found.value - expected.value) <= tolerance * std::max(1., std::abs(expected.value)));
    for (std::size_t i = 0; i < expected.cotangents.size(); ++i)
      CHECK(distance(found.cotangents[i], m.sizes(), expected.cotangents[i].elements) <= tolerance);
    also(alone, expected);
  });
}

inline double inner_product(std::vector<double> const& a, std::vector<double> const& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

/// Checks <f(x), y*> == <x, f*(y*)> on every mesh, in integers. If f is linear in all operands together, the right side
/// is the sum over the operands. If f is linear in each of them, the equation holds for each.
/// Collective.
enum class linear { in_all, in_each };
inline void check_adjoint(linear kind, std::vector<layout_value> const& layouts, differentiated_program const& run) {
  check_on_meshes(integers, 0, run, [&](test_mesh const& alone, pulled_back const& r) {
    double together = 0;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      auto const& c = r.cotangents[i];
      double const product = inner_product(alone.value(c.extents, layouts[i], static_cast<int>(i)), c.elements);
      together += product;
      if (kind == linear::in_each) CHECK(product == r.value);
    }
    if (kind == linear::in_all) CHECK(together == r.value);
  });
}
template <dimension Replicated, class F, class... X>
void check_linear(F const& f, X const&... x) {
  check_adjoint(linear::in_all, {X::layout...}, [&](test_mesh const& p) { return pull_back<Replicated>(p, f, x...); });
}
template <dimension Replicated, class F, class... X>
void check_bilinear(F const& f, X const&... x) {
  check_adjoint(linear::in_each, {X::layout...}, [&](test_mesh const& p) { return pull_back<Replicated>(p, f, x...); });
}

/// Checks that the slope of f along a direction equals a difference quotient. Pre: f is smooth near its operands.
/// Collective.
inline void check_slopes(element_function element, differentiated_program const& run) {
  check_on_meshes(element, 1e-12, run, [&](test_mesh alone, pulled_back const& r) {
    double const step = 1e-5;
    for (auto const& c : r.cotangents) {
      ++alone.moved;
      alone.step = -step;
      double const before = run(alone).value;
      alone.step = step;
      double const after = run(alone).value;
      double slope = 0, size = 1;
      for (std::size_t i = 0; i < c.elements.size(); ++i) {
        double const change = c.elements[i] * test_mesh::direction(static_cast<index_t>(i));
        slope += change;
        size += std::abs(change);
      }
      CAPTURE(alone.moved);
      CHECK(std::abs((after - before) / (2 * step) - slope) <= 1e-8 * size);
    }
  });
}
template <dimension Replicated, class F, class... X>
void check_smooth(element_function element, F const& f, X const&... x) {
  check_slopes(element, [&](test_mesh const& p) { return pull_back<Replicated>(p, f, x...); });
}

}  // namespace ashlar::test

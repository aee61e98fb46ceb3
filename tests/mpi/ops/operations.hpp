// What the tests of operations share: dense arrays as the oracle, tensors of exact integers, all meshes, and matrices of
// extents that divide, do not divide, and leave shards empty.
#pragma once
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <string>
#include <string_view>

namespace ashlar::test {

using xy_grid = mesh<axis<"x">, axis<"y">>;

struct dense_array {
  shape extents;
  std::vector<double> element;
  double operator[](index_t i) const { return element[static_cast<std::size_t>(i)]; }
};

template <class X>
dense_array value_of(X const& x) {
  auto const v = denoted<std::int64_t>(x.extents(), x.layout, x.mesh().sizes(), small_number);
  return {x.extents(), std::vector<double>(v.begin(), v.end())};
}

template <class Out, class X>
void check(X const& y, dense_array const& expected) {
  static_assert(std::is_same_v<layout_t<X>, Out>);
  using T = element_t<X>;
  REQUIRE(y.extents() == expected.extents);
  std::vector<T> elements;
  for (double e : expected.element) elements.push_back(static_cast<T>(e));
  CHECK(denotes(y, elements));
}

/// Sums over all values of all labels.
inline dense_array sum_of_products(std::string_view labels_a, std::string_view labels_b, std::string_view labels_out,
                                   dense_array const& a, dense_array const& b) {
  std::string all(labels_out);
  for (char l : std::string(labels_a) + std::string(labels_b))
    if (all.find(l) == std::string::npos) all += l;
  auto extent = [&](char l) {
    auto const i = labels_a.find(l);
    return i != labels_a.npos ? a.extents[static_cast<int>(i)] : b.extents[static_cast<int>(labels_b.find(l))];
  };
  dense_array y;
  for (char l : labels_out) y.extents.extent[y.extents.rank++] = extent(l);
  y.element.assign(static_cast<std::size_t>(y.extents.size()), 0.);
  // Of each label: its extent, and the distance between two of its values in the result and in the operands.
  struct loop {
    index_t extent, in_y, in_a, in_b;
  };
  auto const stride = [](std::string_view labels, char l, shape const& of) {
    index_t sum = 0;
    for (std::size_t d = 0; d < labels.size(); ++d)
      if (labels[d] == l) sum += of.stride(static_cast<int>(d));
    return sum;
  };
  std::vector<loop> loops;
  for (char l : all)
    loops.push_back(
        {extent(l), stride(labels_out, l, y.extents), stride(labels_a, l, a.extents), stride(labels_b, l, b.extents)});
  auto const add = [&](auto const& self, std::size_t k, index_t at_y, index_t at_a, index_t at_b) -> void {
    if (k == loops.size()) {
      y.element[static_cast<std::size_t>(at_y)] += a[at_a] * (labels_b.empty() ? 1. : b[at_b]);
      return;
    }
    loop const& l = loops[k];
    for (index_t i = 0; i < l.extent; ++i) self(self, k + 1, at_y + i * l.in_y, at_a + i * l.in_a, at_b + i * l.in_b);
  };
  add(add, 0, 0, 0, 0);
  return y;
}

/// The same for an equation. With one operand `b` is not read.
inline dense_array sum_of_products(layout_detail::einsum_equation const& e, dense_array const& a,
                                   dense_array const& b = {}) {
  auto const labels = [](auto const& l) { return std::string_view(l.label, static_cast<std::size_t>(l.rank)); };
  return sum_of_products(labels(e.in[0]), e.operands == 1 ? "" : labels(e.in[1]), labels(e.out), a, b);
}

template <class F>
dense_array map(F f, dense_array const& a) {
  dense_array y = a;
  for (double& e : y.element) e = f(e);
  return y;
}

inline dense_array reduced(int op, unsigned dims, dense_array const& a) {
  dense_array y;
  for (int d = 0; d < a.extents.rank; ++d)
    if (!(dims >> d & 1u)) y.extents.extent[y.extents.rank++] = a.extents[d];
  std::vector<bool> known(static_cast<std::size_t>(y.extents.size()));
  y.element.resize(known.size(), op == layout_detail::op_prod ? 1. : 0.);
  for (index_t g = 0; g < a.extents.size(); ++g) {
    index_t at = 0;
    for (int d = 0; d < a.extents.rank; ++d)
      if (!(dims >> d & 1u)) at = at * a.extents[d] + g / a.extents.stride(d) % a.extents[d];
    auto const k = static_cast<std::size_t>(at);
    y.element[k] = known[k] ? combine(op, y.element[k], a[g]) : a[g];
    known[k] = true;
  }
  return y;
}

template <class L, class T = std::int64_t>
auto numbers(device_mesh<xy_grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, small_number);
}

template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) {
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    f(device_mesh<xy_grid>(MPI_COMM_WORLD, sizes));
  });
}
inline std::vector<shape> matrices() {
  index_t const p = world_size();
  return {shape::of(p + 1, 5), shape::of(2 * p, p), shape::of(1, 3), shape::of(0, 4)};
}

}  // namespace ashlar::test

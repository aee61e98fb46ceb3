// Kernels that write and reduce, against map and map_reduce after it, by rows and by elements.
#include "ashlar/kernels/stencils/write_and_reduce.hpp"
#include <doctest/doctest.h>
#include "support/shared_vector.hpp"

using namespace ashlar;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }

struct minus_twice {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x - 2 * y;
  }
};
struct product {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x * y;
  }
};

// Arrays with room around a box, whose values round when they are summed.
template <class T>
struct arrays {
  shape stored, own;
  shared_vector<T> x, y;
  index_t first = 0;
  explicit arrays(shape const& extents, index_t room) : stored(extents), own(extents) {
    for (int d = 0; d < own.rank; ++d) stored[d] += 2 * room;
    for (int d = 0; d < own.rank; ++d) first += room * stored.stride(d);
    for (index_t i = 0; i < stored.size(); ++i) {
      x.push_back(static_cast<T>(i * 37 % 101) / T(7));
      y.push_back(static_cast<T>(i * 11 % 53) / T(3));
    }
  }
  template <class Leaf, class U>
  Leaf leaf(U* data) const {
    Leaf l{};
    l.data = data + first;
    for (int d = 0; d < own.rank; ++d) l.stride[d] = stored.stride(d);
    return l;
  }
};

template <class Op, class T>
void check(shape const& extents, index_t room) {
  arrays<T> by_two(extents, room), by_rows = by_two, by_elements = by_two;
  using leaf = kernels::strided<T>;
  index_t strides[layout_detail::max_rank]{};
  for (int d = 0; d < extents.rank; ++d) strides[d] = by_two.stored.stride(d);
  kernels::map_to(space(), extents, by_two.x.data() + by_two.first, strides, minus_twice{},
                  by_two.template leaf<leaf>(by_two.x.data()), by_two.template leaf<leaf>(by_two.y.data()));
  shared_vector<T> expected(1), found(2);
  kernels::map_reduce<Op>(space(), extents, (1u << extents.rank) - 1u, expected.data(), product{},
                          by_two.template leaf<leaf>(by_two.x.data()), by_two.template leaf<leaf>(by_two.y.data()));
  space().fence();

  kernels_detail::write_then_read<T, minus_twice, product, 2> const f{};
  kernels::box all;
  for (int d = 0; d < extents.rank; ++d) all.extent[d] = extents[d];
  auto const call = [&](arrays<T>& a, auto const& run) {
    run(a.template leaf<kernels::written<T>>(a.x.data()), a.template leaf<leaf>(a.x.data()),
        a.template leaf<leaf>(a.y.data()), a.template leaf<kernels::read_back<T>>(a.x.data()),
        a.template leaf<leaf>(a.y.data()));
    space().fence();
  };
  call(by_rows, [&](auto const&... l) {
    CHECK(kernels::write_and_reduce<Op>(space(), all, extents.rank, found.data(), f, l...));
  });
  CHECK(by_rows.x == by_two.x);
  CHECK(found[0] == expected[0]);
  call(by_elements, [&](auto const&... l) {
    kernels_detail::reduce_by_elements(
        space(), kernels_detail::reduction_of_box<Op>(all, extents.rank, found.data() + 1, f, l...));
  });
  CHECK(by_elements.x == by_two.x);
  CHECK(found[1] == doctest::Approx(static_cast<double>(expected[0])).epsilon(1e-3));
}

}  // namespace

TEST_CASE_TEMPLATE("write_and_reduce: the bits of two kernels", T, float, double) {
  for (index_t const room : {0, 1, 2})
    for (shape const& s : {shape::of(5), shape::of(16), shape::of(700), shape::of(3, 40), shape::of(40, 3),
                           shape::of(40, 600), shape::of(2, 3, 50), shape::of(50, 7, 33), shape::of(300, 300)}) {
      check<op::sum, T>(s, room);
      check<op::max, T>(s, room);
    }
}

TEST_CASE("write_and_reduce: boxes, and leaves that do not fit") {
  arrays<double> a(shape::of(20, 30), 1);
  auto const before = a.x;
  kernels_detail::write_then_read<double, minus_twice, product, 2> const f{};
  using leaf = kernels::strided<double>;
  auto const x = a.leaf<kernels::written<double>>(a.x.data());
  auto const old = a.leaf<leaf>(a.x.data()), y = a.leaf<leaf>(a.y.data());
  auto const back = a.leaf<kernels::read_back<double>>(a.x.data());
  kernels::box part;
  part.lower[0] = 3, part.extent[0] = 4, part.lower[1] = 5, part.extent[1] = 20;
  shared_vector<double> total(1);
  CHECK(kernels::write_and_reduce<op::max>(space(), part, 2, total.data(), f, x, old, y, back, y));
  space().fence();
  double largest = op::max::identity<double>();
  for (index_t i = 0; i < a.stored[0]; ++i)
    for (index_t j = 0; j < a.stored[1]; ++j) {
      auto const at = static_cast<std::size_t>(i * a.stored[1] + j);
      bool const inside = i >= 4 && i < 8 && j >= 6 && j < 26;
      CHECK(a.x[at] == (inside ? before[at] - 2 * a.y[at] : before[at]));
      if (inside) largest = std::max(largest, a.x[at] * a.y[at]);
    }
  CHECK(total[0] == largest);

  // A column, an element per row, and a row that is broadcast: leaves have no neighbours in a row, or other loops. A
  // device reads them all the same.
  if (!kernels_detail::runs_in_caller<Kokkos::DefaultExecutionSpace>) return;
  auto const written = a.x;
  part.extent[1] = 1;
  CHECK(!kernels::write_and_reduce<op::max>(space(), part, 2, total.data(), f, x, old, y, back, y));
  part.extent[1] = 20;
  auto row = y;
  row.stride[1] = 0;
  CHECK(!kernels::write_and_reduce<op::max>(space(), part, 2, total.data(), f, x, old, row, back, y));
  arrays<double> c(shape::of(20, 30), 0);
  part = {};
  part.extent[0] = 20, part.extent[1] = 30;
  row = c.leaf<leaf>(c.y.data());
  row.stride[0] = 0;
  CHECK(!kernels::write_and_reduce<op::max>(space(), part, 2, total.data(), f,
                                            c.leaf<kernels::written<double>>(c.x.data()), row, row,
                                            c.leaf<kernels::read_back<double>>(c.x.data()), row));
  CHECK(a.x == written);
}

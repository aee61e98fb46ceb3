// Tensors on real ranks: how they are made, what copies share, and expressions that wait for their first read.
#include "ashlar/tensor/sharded_tensor.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "support/dense.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <optional>
#include <string>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;
using memory = Kokkos::DefaultExecutionSpace::memory_space;

// 1000 i + 100 j + 10 k + l, of as many indices as there are.
struct digits {
  template <class... I>
  KOKKOS_FUNCTION double operator()(I... i) const {
    double x = 0;
    ((x = 10 * x + static_cast<double>(i)), ...);
    return x;
  }
};
struct plus_one {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& x) const {
    x += 1;
  }
};
struct add_and_clear {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& x, T const& y, T& z) const {
    x += y;
    z = 0;
  }
};

std::vector<double> digits_of(shape const& e) {
  std::vector<double> all;
  for (index_t g = 0; g < e.size(); ++g) {
    double x = 0;
    for (int d = 0; d < e.rank; ++d) x = 10 * x + static_cast<double>(g / e.stride(d) % e[d]);
    all.push_back(x);
  }
  return all;
}

auto line_of_ranks() { return device_mesh<line>(MPI_COMM_WORLD, {world_size()}); }
auto some_numbers(device_mesh<line> const& m, index_t n) {
  return tensor_of<double, layout<"x">>(m, shape::of(n), small_number);
}

}  // namespace

TEST_CASE("generate: each element from its global index, for every layout") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CHECK(denotes(generate<double, layout<axes("x", "y")>>(m, {13}, digits{}), digits_of(shape::of(13))));
    CHECK(denotes(generate<double, layout<none>>(m, {0}, digits{}), digits_of(shape::of(0))));
    CHECK(denotes(generate<double, layout<"y", none>>(m, {1, 5}, digits{}), digits_of(shape::of(1, 5))));
    CHECK(denotes(generate<double, layout<"y", "x">>(m, {9, 8}, digits{}), digits_of(shape::of(9, 8))));
    CHECK(denotes(generate<double, layout<none, "x", none, "y">>(m, {2, 3, 4, 5}, digits{}),
                  digits_of(shape::of(2, 3, 4, 5))));
  });
}

TEST_CASE("generate: numbers are converted to the element type, complex ones stored as Kokkos'") {
  auto const m = line_of_ranks();
  auto const x = generate<std::complex<double>, layout<"x">>(m, {7}, digits{});
  static_assert(std::is_same_v<element_t<decltype(x)>, Kokkos::complex<double>>);
  CHECK(denotes(x, std::vector<Kokkos::complex<double>>{0, 1, 2, 3, 4, 5, 6}));
}

TEST_CASE("sharded_tensor: global extents, and the shard as a view with local ones") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = generate<double, layout<none, "y">>(m, {3, 10}, digits{});
  CHECK(x.extents() == shape::of(3, 10));
  CHECK(x.extent(1) == 10);
  region const mine = x.local_region();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.view());
  CHECK(static_cast<index_t>(host.extent(0)) == 3);
  CHECK(static_cast<index_t>(host.extent(1)) == mine.dim[1].size());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < mine.dim[1].size(); ++j)
      CHECK(host(i, j) == 10 * i + static_cast<double>(mine.dim[1].begin + j));
  CHECK(x.view().data() == x.data());
}

TEST_CASE("sharded_tensor: copies share the shard, which lives as long as one of them") {
  auto const m = line_of_ranks();
  std::optional x = some_numbers(m, 100);
  auto const y = *x;
  CHECK(y.data() == std::as_const(*x).data());
  x.reset();
  auto others = some_numbers(m, 100);  // would take the memory, were it free
  CHECK(std::as_const(others).data() != y.data());
  fill(others, 3);
  CHECK(denotes(y, denoted<double>(y.extents(), y.layout, m.sizes(), small_number)));
}

TEST_CASE("sharded_tensor: a tensor keeps its mesh") {
  auto x = [] {
    device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
    return some_numbers(m, 11);
  }();
  auto const value = denoted<double>(x.extents(), x.layout, x.mesh().sizes(), small_number);
  CHECK(denotes(redistribute<layout<none>>(x), value));
}

TEST_CASE("adopt: a view becomes the shard without a copy, and lives as long as the tensor") {
  auto const m = line_of_ranks();
  index_t const n = layout_detail::local_indices(10, layout_detail::axis_list{1, {0}}, m.sizes(), m.rank()).size();
  Kokkos::View<double**, Kokkos::LayoutRight, memory> view("mine", static_cast<std::size_t>(n), 3);
  Kokkos::deep_copy(view, 2.);
  {
    auto x = adopt<layout<"x", none>>(m, view, {10, 3});
    static_assert(std::is_same_v<decltype(x), sharded_tensor<double, layout<"x", none>, line>>);
    CHECK(x.data() == view.data());
    CHECK(view.use_count() == 2);
    CHECK(denotes(all_reduce(sum(x)), std::vector<double>{60}));
    auto const waits = x * 2.;
    fill(x, 5);
    CHECK(denotes(waits, std::vector<double>(30, 4)));
  }
  CHECK(view.use_count() == 1);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(host.data()[i] == 5);
}

TEST_CASE("adopt: elements at an address become the shard without a copy") {
  auto const m = line_of_ranks();
  index_t const n = layout_detail::local_indices(10, layout_detail::axis_list{1, {0}}, m.sizes(), m.rank()).size();
  Kokkos::View<double**, Kokkos::LayoutRight, memory> const mine("mine", static_cast<std::size_t>(n), 3);
  Kokkos::deep_copy(mine, 2.);
  auto x = adopt<layout<"x", none>>(m, mine.data(), {10, 3});
  static_assert(std::is_same_v<decltype(x), sharded_tensor<double, layout<"x", none>, line>>);
  CHECK(x.data() == mine.data());
  CHECK(denotes(all_reduce(sum(x)), std::vector<double>{60}));
  fill(x, 5);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, mine);
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(host.data()[i] == 5);
  bool const last = m.rank() == world_size() - 1;
  Kokkos::View<double*, memory> const other("other", 30);
  CHECK(said([&] {
          (void)adopt<layout<"x", none>>(m, last ? nullptr : other.data(), {10 * world_size(), 3});
        }).find("ashlar::adopt: the address is of this rank's shard; found null") == 0);
}

TEST_CASE("adopt_reversed: a column-major view becomes the shard of the transposed tensor, without a copy") {
  auto const m = line_of_ranks();
  auto const held = layout_detail::local_indices(10, layout_detail::axis_list{1, {0}}, m.sizes(), m.rank());
  Kokkos::View<double***, Kokkos::LayoutLeft, memory> const view("mine", static_cast<std::size_t>(held.size()), 3, 2);
  auto const host = Kokkos::create_mirror_view(view);
  for (index_t i = 0; i < held.size(); ++i)
    for (index_t j = 0; j < 3; ++j)
      for (index_t k = 0; k < 2; ++k) host(i, j, k) = static_cast<double>(100 * held[i] + 10 * j + k);
  Kokkos::deep_copy(view, host);
  auto const x = adopt_reversed<layout<none, none, "x">>(m, view, {2, 3, 10});
  static_assert(std::is_same_v<decltype(x), sharded_tensor<double, layout<none, none, "x">, line> const>);
  CHECK(x.data() == view.data());
  std::vector<double> expected;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 10; ++i) expected.push_back(100 * i + 10 * j + k);
  CHECK(denotes(x, expected));
  Kokkos::View<double***, Kokkos::LayoutLeft, memory> const other("other", view.extent(0), 3, 2);
  CHECK(
      said([&] {
        (void)adopt_reversed<layout<none, "x", none>>(m, other, {2, 10, 3});
      }).find("ashlar::adopt_reversed: the view has the extents of this rank's shard, in reversed order; expected (3, ") ==
      0);
  // A view of one dimension is both.
  Kokkos::View<double*, Kokkos::LayoutLeft, memory> const line_of_elements("mine",
                                                                           static_cast<std::size_t>(held.size()));
  Kokkos::deep_copy(line_of_elements, 1.);
  CHECK(denotes(adopt<layout<"x">>(m, line_of_elements, {10}), std::vector<double>(10, 1)));
  CHECK(denotes(adopt_reversed<layout<"x">>(m, line_of_elements, {10}), std::vector<double>(10, 1)));
}

TEST_CASE("adopt: a view that does not fit on one rank is an error on all") {
  auto const m = line_of_ranks();
  int const p = world_size();
  using view = Kokkos::View<float**, Kokkos::LayoutRight, memory>;
  bool const last = m.rank() == p - 1;
  view const good("good", 2, 3), bad("bad", 3, 3), wide("wide", 2, 6);
  view const strided = Kokkos::subview(wide, Kokkos::ALL, std::pair<int, int>(0, 3));
  constexpr int line = __LINE__ + 1;
  auto adopted = [&](view const& v) { return said([&] { (void)adopt<layout<"x", none>>(m, v, {2 * p, 3}); }); };
  std::string const on_last = " (on rank " + std::to_string(p - 1) + ")";
  CHECK(adopted(good) == "");
  std::string const here = "; called at sharded_tensor.cpp:" + std::to_string(line) + on_last;
  CHECK(adopted(last ? bad : good) ==
        "ashlar::adopt: the view has the extents of this rank's shard; expected (2, 3), found (3, 3)" + here);
  if (p > 1)
    CHECK(said([&] {
            (void)adopt<layout<"x", none>>(m, good, {2 * p, last ? 4 : 3});
          }).find("ashlar::adopt: the extents differ between ranks: value 1 is 3 on rank 0 and 4 on rank ") == 0);
  CHECK(adopted(last ? strided : good) == "ashlar::adopt: the view is contiguous; copy a strided one first" + here);
}

TEST_CASE("expression: it is evaluated once, at its first read, into one block of memory") {
  auto const m = line_of_ranks();
  auto const x = some_numbers(m, 10007), y = some_numbers(m, 10007);
  auto const value = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  std::vector<decltype(some_numbers(m, 10007))> free;  // what other tests left of this size: a block more is a new one
  for (auto const n = tensor_detail::pool<memory>::allocations(); tensor_detail::pool<memory>::allocations() == n;)
    free.push_back(some_numbers(m, 10007));
  auto const blocks = tensor_detail::pool<memory>::allocations();
  auto const e = relu((x + y) * 3. - x) / 2.;
  auto const copy = e;
  CHECK(tensor_detail::pool<memory>::allocations() == blocks);
  double const* const first = e.view().data();
  CHECK(tensor_detail::pool<memory>::allocations() == blocks + 1);
  CHECK(e.view().data() == first);
  CHECK(copy.evaluate().data() == first);
  CHECK(tensor_detail::pool<memory>::allocations() == blocks + 1);
  auto expected = value;
  for (double& v : expected) v = std::max(0., 5 * v) / 2;
  CHECK(denotes(e, expected));
}

TEST_CASE("expression: what waits keeps the operands that it was written to read") {
  auto const m = line_of_ranks();
  auto x = some_numbers(m, 100), y = some_numbers(m, 100), z = some_numbers(m, 100);
  auto const value = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  auto times = [&](double a, double b) {
    auto v = value;
    for (double& e : v) e = a * e + b;
    return v;
  };
  auto const doubled = x * 2.;
  auto const sum = doubled + y;
  auto const unread = z * 4.;
  fill(x, 7);
  CHECK(denotes(doubled, times(2, 0)));
  CHECK(denotes(sum, times(3, 0)));
  CHECK(denotes(x + y, times(1, 7)));
  tensor_detail::update_elements(tensor_detail::real_ranks{}, plus_one{}, y);
  CHECK(denotes(y, times(1, 1)));
  CHECK(denotes(sum, times(3, 0)));
  tensor_detail::update_elements(tensor_detail::real_ranks{}, add_and_clear{}, y, std::as_const(x), z);
  CHECK(denotes(y, times(1, 8)));
  CHECK(denotes(x, std::vector<double>(100, 7)));
  CHECK(denotes(z, std::vector<double>(100, 0)));
  CHECK(denotes(unread, times(4, 0)));
}

TEST_CASE("expression: one that was read before its operand changed keeps its value in later expressions") {
  auto const m = line_of_ranks();
  auto x = some_numbers(m, 100);
  auto const value = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  auto expected = value;
  for (double& v : expected) v = 2 * v + 1;
  auto const doubled = x * 2.;
  fill(x, 7);
  CHECK(denotes(doubled + 1., expected));
}

TEST_CASE("with_extents: real tensors and expressions go through operations as those of run-time extents do") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const a = tensor_of<double, layout<"x", none>>(m, shape::of(40, 13), small_number);
    auto const b = tensor_of<double, layout<none, "y">>(m, shape::of(13, 21), small_number);
    auto const program = [](auto const& u, auto const& v) {
      auto const y = relu(einsum<"ij,jk->ik">(u, v) - 1.) * 2.;
      return redistribute<layout<"y", "x">>(y * y + y);
    };
    auto const expected = program(a, b);
    auto const found = program(fix_extents<40, 13>(a), fix_extents<13, 21>(b));
    static_assert(static_extents_v<decltype(found)> == shape::of(40, 21));
    CHECK(gather_all(found) == gather_all(expected));
    CHECK_THROWS_WITH_AS(
        (void)(fix_extents<40, 14>(a)),
        "ashlar::fix_extents: the tensor has the extents that its type is to have; expected (40, 14), found (40, 13)",
        error);
  });
}

TEST_CASE("pool: programs that repeat themselves take no more memory") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const a = tensor_of<double, layout<"x", none>>(m, shape::of(40, 13), small_number);
    auto const b = tensor_of<double, layout<none, "y">>(m, shape::of(13, 21), small_number);
    std::size_t blocks = 0;
    for (int step = 0; step < 6; ++step) {
      auto const c = einsum<"ij,jk->ik">(a, b);
      auto const d = redistribute<layout<"y", "x">>(relu(c) + 1.);
      auto const [s, t] = all_reduce<"x">(bundle(sum<0>(c), sum(d)));
      (void)s, (void)t;
      if (step == 1) blocks = tensor_detail::pool<memory>::allocations();
    }
    CHECK(tensor_detail::pool<memory>::allocations() == blocks);
  });
}

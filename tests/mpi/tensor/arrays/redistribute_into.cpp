// Redistribution into the memory of a tensor: values, the address, copies that keep their elements, messages.
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

double other_number(index_t g, int s) { return 100. + small_number(g, s); }

template <class From, class To>
void check() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e :
         {shape::of(7, 5), shape::of(2 * world_size(), world_size()), shape::of(1, 3), shape::of(0, 4)}) {
      auto const x = tensor_of<double, From>(m, e, small_number);
      auto const expected = denoted<double>(e, x.layout, m.sizes(), small_number);
      // Memory of the program.
      auto const size = static_cast<std::size_t>(local_shape(e, layout_value_v<grid, To>, m.sizes(), m.rank()).size());
      Kokkos::View<double*> const mine("mine", size);
      auto own = adopt<To>(m, mine.data(), {e[0], e[1]});
      redistribute_into(own, x);
      CHECK(own.data() == mine.data());
      CHECK(denotes(own, expected));
      redistribute_into(own, x + x);
      CHECK(own.data() == mine.data());
      CHECK(denotes(own,
                    denoted<double>(e, x.layout, m.sizes(), [](index_t g, int s) { return 2. * small_number(g, s); })));
      CHECK(denotes(x, expected));
      // A copy keeps its elements.
      auto y = tensor_of<double, To>(m, e, other_number);
      auto const before = denoted<double>(e, y.layout, m.sizes(), other_number);
      auto const copy = y;
      redistribute_into(y, x);
      CHECK(denotes(y, expected));
      CHECK(denotes(copy, before));
      auto const first = y.data();
      redistribute_into(y, x);
      CHECK(y.data() == first);
    }
  });
}

void check_layouts() {
  check<layout<"x", none>, layout<"x", none>>();
  check<layout<"x", none>, layout<none, "x">>();
  check<layout<"x", "y">, layout<none, none>>();
  check<layout<none, none>, layout<cyclic("y", 2), "x">>();
  check<layout<axes("x", "y"), none>, layout<axes("y", "x"), none>>();
  check<partial<layout<"x", none>, "y">, layout<"x", none>>();
  check<partial<layout<"x", none>, "y">, layout<"x", "y">>();
  check<layout<"x", none>, partial<layout<"x", none>, "y">>();
}

}  // namespace

TEST_CASE("redistribute_into: values, addresses and copies") { check_layouts(); }

TEST_CASE("redistribute_into: the same by messages") {
  messages_of_mpi const scope;
  check_layouts();
}

TEST_CASE("redistribute_into: other tensors that have the memory, and extents") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto x = tensor_of<double, layout<"x", none>>(m, shape::of(6, 4), small_number);
  auto const expected = denoted<double>(x.extents(), x.layout, m.sizes(), small_number);
  redistribute_into(x, x);
  CHECK(denotes(x, expected));
  auto whole = redistribute<layout<none, none>>(x);  // shares the memory of x on one rank
  auto const later = 2. * whole;
  redistribute_into(whole, tensor_of<double, layout<none, "x">>(m, x.extents(), other_number));
  CHECK(denotes(x, expected));
  CHECK(denotes(whole, denoted<double>(x.extents(), whole.layout, m.sizes(), other_number)));
  CHECK(denotes(later, denoted<double>(x.extents(), x.layout, m.sizes(),
                                       [](index_t g, int s) { return 2. * small_number(g, s); })));
  auto shorter = make<double, layout<none, none>>(m, {5, 4});
  CHECK(said([&] { redistribute_into(shorter, x); }).substr(0, 88) ==
        "ashlar::redistribute_into: the tensors have equal extents; expected (5, 4), found (6, 4)");
}

namespace {
// The ledger is redistribute's.
template <class To>
constexpr bool costs_the_same() {
  auto const of = [](auto const& program) { return dry_run(grid{{4, 2}}, program); };
  auto const into = of([](auto const& h) {
    auto y = make<float, To>(h, {16, 8});
    redistribute_into(y, make<float, partial<layout<"x", none>, "y">>(h, {16, 8}));
  });
  auto const plain = of([](auto const& h) {
    (void)redistribute<To>(make<float, partial<layout<"x", none>, "y">>(h, {16, 8}));
  });
  return into.count() == plain.count() && into.bytes_per_rank() == plain.bytes_per_rank() && plain.count() > 0;
}
static_assert(costs_the_same<layout<none, none>>() && costs_the_same<layout<"x", "y">>() &&
              costs_the_same<layout<"y", "x">>());
}  // namespace

// cumsum in every layout against plain loops, and its derivative.
#include "ashlar/tensor/tensor.hpp"
#include "support/adjoint.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

std::vector<double> summed(std::vector<double> x, shape const& e, int dim) {
  index_t const step = e.stride(dim);
  for (index_t g = 0; g < e.size(); ++g)
    if (g / step % e[dim] != 0) x[static_cast<std::size_t>(g)] += x[static_cast<std::size_t>(g - step)];
  return x;
}

template <class L, int... Dims>
void check_dimensions() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    index_t const p = world_size();
    for (shape const& e : {shape::of(7, 5, 3), shape::of(2 * p, p, 2), shape::of(1, 3, 40), shape::of(0, 4, 2)}) {
      auto const x = tensor_of<double, L>(m, e, small_number);
      auto const v = denoted<double>(e, x.layout, m.sizes(), small_number);
      CAPTURE(e[0]);
      bool const same = (denotes(cumsum<Dims>(x), summed(v, e, Dims)) && ...);
      CHECK(same);
    }
  });
}
template <class L>
void check_layout() {
  check_dimensions<L, 0, 1, 2>();
}

}  // namespace

TEST_CASE("cumsum: every layout") {
  check_layout<layout<none, none, none>>();
  check_layout<layout<"data", none, none>>();
  check_layout<layout<none, "model", "data">>();
  check_layout<layout<none, axes("data", "model"), none>>();
  check_layout<layout<axes("model", "data"), none, none>>();
  check_layout<partial<layout<none, "data", none>, "model">>();
  check_dimensions<layout<cyclic("data", 2), none, "model">, 1, 2>();
}

TEST_CASE("cumsum: the same by messages") {
  messages_of_mpi const scope;
  check_layout<layout<none, "model", "data">>();
  check_layout<layout<none, axes("data", "model"), none>>();
}

TEST_CASE("cumsum: the derivative sums from the other end") {
  for (shape const& e : {shape::of(7, 5), shape::of(2, world_size() + 1)}) {
    check_linear<"data">([](auto const& x) { return cumsum<0>(x); }, operand<layout<none, "data">>{e});
    check_linear<"data">([](auto const& x) { return cumsum<1>(x); }, operand<layout<none, "data">>{e});
    check_linear<"model">([](auto const& x) { return cumsum<1>(x); }, operand<layout<none, "data">>{e});
    check_linear<"data">([](auto const& x) { return cumsum<0>(x); }, operand<layout<axes("model", "data"), none>>{e});
    check_linear<"data">([](auto const& x) { return cumsum<0>(x); },
                         operand<partial<layout<"model", none>, "data">>{e});
  }
}

namespace {
constexpr auto program = [](auto const& h) {
  (void)value_and_grad<"data">([](auto const& x) { return sum(square(cumsum<0>(x)) + square(cumsum<1>(x))); })(
      make<float, layout<"data", none>>(h, {16, 8}));
};
// Each rank receives the 8 sums of the 3 others.
constexpr auto noted = dry_run(grid{{4, 1}}, program);
static_assert(noted.count(pass::forward) == 1 && noted.count(pass::backward) == 1);
static_assert(noted.count(collective::all_gather, "data") == 2 && noted.bytes_per_rank() == 2 * 3 * 8 * 4);
}  // namespace

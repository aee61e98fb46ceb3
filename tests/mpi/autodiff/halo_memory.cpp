// The memory of the backward pass of stencils: sums of halos are in place.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <vector>
#include "support/halo_derivatives.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using test::dot, test::integers;

struct blur {
  static constexpr auto reach = box(1, {0, 2});
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return 2 * u(-1, 0) + 3 * u(1, 2) - u(0, 1) + u(0, 0);
  }
};

// What the backward pass has between two of its positions: cells of the cotangent, and bytes taken since the position before.
struct passage {
  void const* cells;
  std::size_t taken;
};
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;

// The identity. Its pullback notes where the cotangent is, and begins a measurement.
template <class X>
auto watched(X const& x, std::vector<passage>& seen, std::size_t& before) {
  return autodiff_detail::linear(x, x.value(), [&seen, &before](auto const& ct) {
    seen.push_back({tensor_detail::cells_of(ct), pool::peak() - before});
    pool::reset_peak();
    before = pool::in_use();
    return ct;
  });
}

}  // namespace

TEST_CASE("halo: the backward pass adds halos in place, and takes memory for the cotangents of stencils alone") {
  using S = layout<halo("y", 1, boundary::mirror), halo("x", 1, 2, boundary::periodic)>;
  constexpr int steps = 4;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    std::array<index_t, 2> const n{500, 700};
    auto const u = integers<S>(m, n, 1), weight = integers<S>(m, n, 2);
    auto const bytes = static_cast<std::size_t>(u.stored_extents().size()) * sizeof(double);
    std::vector<passage> seen;  // of each step: after the stencil, after the exchange, and before it
    std::size_t before = 0;
    auto const loss = [&](auto const& start, auto const& exchange) {
      auto const run = [&](auto const& self, auto const& x, int t) -> std::remove_cvref_t<decltype(x)> {
        if (t == 0) return x;
        auto const filled = watched(exchange(watched(x, seen, before)), seen, before);
        return self(self, watched(stencil(blur{}, filled), seen, before), t - 1);
      };
      return dot(run(run, start, steps), weight);
    };
    auto const check = [&](auto const& exchange) {
      seen.clear();
      (void)value_and_grad<none>([&](auto const& x) { return loss(x, exchange); })(u);
      REQUIRE(seen.size() == 3 * steps);
      for (std::size_t t = 0; t < seen.size(); t += 3) {
        passage const &result = seen[t], &filled = seen[t + 1], &operand = seen[t + 2];
        CHECK(operand.cells == filled.cells);
        CHECK(operand.taken < bytes / 2);
        CHECK(filled.cells != result.cells);
        CHECK(filled.taken >= bytes);
        CHECK(filled.taken < 3 * bytes / 2);
      }
    };
    check([](auto const& x) { return exchange_halo(x); });
    check([](auto const& x) { return exchange_halo_async(x).wait(); });
  }
}

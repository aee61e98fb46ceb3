// What you learn here: a board on a torus that ranks share, in steps of several generations with one exchange each.
//   mpiexec -n 4 life
#include <ashlar/tensor.hpp>

#include <iostream>

using namespace ashlar;

// [layout]
using grid = mesh<axis<"y">, axis<"x">>;
using board = layout<halo("y", 4, boundary::periodic), halo("x", 4, boundary::periodic)>;
// [layout]

// [rule]
// A living cell with 2 or 3 living neighbours lives on. A cell with 3 comes to life.
struct life {
  static constexpr auto reach = box(1, 1);
  ASHLAR_FUNCTION constexpr std::int32_t operator()(auto const& u) const {
    auto const row = [&](int i) { return u(i, -1) + u(i, 0) + u(i, 1); };
    int const around = row(-1) + row(0) + row(1) - u(0, 0);
    return around == 3 || (around == 2 && u(0, 0) == 1) ? 1 : 0;
  }
};
constexpr auto four_generations = [](auto const& u) { return stencil(repeated<4>(life{}), exchange_halo(u)); };
// [rule]

// [contract]
// Four generations on 2 x 2 ranks are one exchange, of a frame that is 4 cells wide.
constexpr auto once = [](auto const& m) { (void)four_generations(make<std::int32_t, board>(m, {64, 64})); };
static_assert(dry_run(grid{{2, 2}}, once).count(collective::exchange_halo) == 1);
static_assert(dry_run(grid{{2, 2}}, once).bytes_per_rank() == (40 * 40 - 32 * 32) * 4);
// [contract]

// A glider, whose first row and column are given. Every 4 generations it moves down and right by one cell.
struct glider {
  index_t n, first;
  ASHLAR_FUNCTION std::int32_t operator()(index_t i, index_t j) const {
    index_t const y = ((i - first) % n + n) % n, x = ((j - first) % n + n) % n;
    return (y == 0 && x == 1) || (y == 1 && x == 2) || (y == 2 && x < 3) ? 1 : 0;
  }
};

int main() {
  return run_program("life", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});
    index_t const n = 17, moves = 20;
    // [loop]
    auto u = generate<std::int32_t, board>(m, {n, n}, glider{n, 0});
    for (index_t t = 0; t < moves; ++t) u = four_generations(u);
    // [loop]
    auto const cells = gather(u), expected = gather(generate<std::int32_t, board>(m, {n, n}, glider{n, moves}));
    if (m.rank() == 0) {
      for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) std::cout << (cells[static_cast<std::size_t>(i * n + j)] == 1 ? '#' : '.');
        std::cout << '\n';
      }
      std::cout << "generation " << 4 * moves << " on " << size << " ranks\n";
    }
    return cells == expected ? 0 : 1;
  });
}

// Meshes: sizes, and the rank of each coordinate.
#include "ashlar/mesh/mesh.hpp"
#include <type_traits>

using namespace ashlar;

// Sizes are static or given.
using grid = mesh<axis<"data">, axis<"model", 4>>;
constexpr grid two_by_four{{2, 4}};
static_assert(grid::axes == 2 && two_by_four.size() == 8 && two_by_four.size<"data">() == 2 &&
              two_by_four.size<"model">() == 4);
static_assert(mesh<axis<"data", 2>, axis<"model", 4>>{}.sizes() == two_by_four.sizes());
static_assert(!std::is_default_constructible_v<grid>);  // a size is missing
static_assert(grid{{2, 4}} == two_by_four && grid{{3, 4}} != two_by_four && grid(two_by_four.sizes()) == two_by_four);

// Ranks are row-major, the last axis fastest: rank 17 of 2 x 3 x 4 is (1, 1, 1).
constexpr mesh_shape cube{3, {2, 3, 4}};
static_assert(cube.coordinate(17, 0) == 1 && cube.coordinate(17, 1) == 1 && cube.coordinate(17, 2) == 1);
static_assert(cube.coordinate(4, 0) == 0 && cube.coordinate(4, 1) == 1 && cube.coordinate(4, 2) == 0);
static_assert(cube.ranks() == 24 && cube.ranks(0b101) == 8 && cube.ranks(0) == 1);

// Along any set of axes, a rank has a position, and each position is one rank's whose other coordinates are the same.
constexpr bool test_positions() {
  for (unsigned mask = 0; mask < 8; ++mask)
    for (int rank = 0; rank < cube.ranks(); ++rank) {
      int const mine = cube.position(rank, mask);
      if (mine < 0 || mine >= cube.ranks(mask) || cube.with_position(rank, mask, mine) != rank) return false;
      for (int i = 0; i < cube.ranks(mask); ++i) {
        int const other = cube.with_position(rank, mask, i);
        if (cube.position(other, mask) != i || cube.position(other, ~mask) != cube.position(rank, ~mask)) return false;
      }
    }
  return true;
}
static_assert(test_positions());
// All axes: the rank itself. One axis: the coordinate.
static_assert(cube.position(17, ~0u) == 17 && cube.position(17, 0b010) == cube.coordinate(17, 1) &&
              cube.position(17, 0) == 0);

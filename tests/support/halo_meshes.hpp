// Meshes, extents and layouts for tests of halos.
#pragma once
#include <ashlar/layout/halo.hpp>
#include <ashlar/mesh/mesh.hpp>
#include <algorithm>
#include <array>
#include <vector>
#include "support/mpi_main.hpp"

namespace ashlar::test {

using halo_grid = mesh<axis<"y">, axis<"x">>;

/// The meshes of all ranks: rows, columns, and blocks if their number is even.
inline std::vector<std::array<int, 2>> halo_meshes() {
  int const p = testing::ranks();
  std::vector<std::array<int, 2>> all{{p, 1}};
  if (p > 1) all.push_back({1, p});
  if (p % 2 == 0 && p > 2) all.push_back({2, p / 2});
  return all;
}

using halo_grid_3 = mesh<axis<"z">, axis<"y">, axis<"x">>;

/// The meshes of all ranks on three axes: one axis alone, two, and all three if their number is a multiple of 8.
inline std::vector<std::array<int, 3>> halo_meshes_3() {
  int const p = testing::ranks();
  std::vector<std::array<int, 3>> all{{1, p, 1}};
  if (p % 2 == 0 && p > 2) all.insert(all.end(), {{2, 1, p / 2}, {p / 2, 2, 1}});
  if (p % 8 == 0) all.push_back({2, 2, p / 4});
  return all;
}

/// Calls f.template operator()<H>(extents) for layouts of lines with every boundary, widths beyond a shard and the domain. Some
/// extents are near the number of ranks, and some are primes.
template <class F>
void for_each_halo_of_lines(F const& f) {
  std::vector<std::array<index_t, 1>> lines{{0}, {1}, {2}, {3}, {5}, {7}, {8}, {23}};
  for (index_t const n : {testing::ranks() - 1, testing::ranks(), testing::ranks() + 1})
    if (std::find(lines.begin(), lines.end(), std::array{n}) == lines.end()) lines.push_back({n});
  f.template operator()<layout<halo("y", 1, 2)>>(lines);
  f.template operator()<layout<halo("y", 3, boundary::copy)>>(lines);
  f.template operator()<layout<halo("y", 5, 4, boundary::periodic)>>(lines);
  f.template operator()<layout<halo("y", 2, 5, boundary::mirror)>>(lines);
  f.template operator()<layout<halo("y", 3, boundary::reflect)>>(lines);
  f.template operator()<layout<halo("y", 4, boundary::odd)>>(lines);
  f.template operator()<layout<halo("y", 2, boundary::given)>>(lines);
  f.template operator()<layout<halo("y", 0, 1, boundary::periodic)>>(lines);
  f.template operator()<layout<halo("y", 2, 3, boundary::copy, boundary::mirror)>>(lines);
  f.template operator()<layout<halo("y", 3, 4, boundary::odd, boundary::reflect)>>(lines);
  f.template operator()<layout<halo("y", 2, 1, boundary::given, boundary::copy)>>(lines);
}

/// The same for planes and blocks, over one axis, two axes, and none.
template <class F>
void for_each_halo_of_planes_and_blocks(F const& f) {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 2>> const planes{{0, 3}, {1, 1}, {3, 2}, {5, 7}, {16, 9}, {p - 1, p + 1}, {p + 1, p}};
  f.template operator()<layout<halo("y", 1), halo("x", 2, boundary::periodic)>>(planes);
  f.template operator()<layout<halo("x", 2, 1, boundary::odd), halo("y", 3, boundary::mirror)>>(planes);
  f.template operator()<layout<halo(axes("y", "x"), 2, boundary::copy), halo(none, 1, boundary::reflect)>>(planes);
  f.template operator()<layout<halo("y", 1, boundary::given), halo("x", 1, boundary::periodic)>>(planes);
  f.template operator()<
      layout<halo("y", 1, 2, boundary::zero, boundary::given), halo("x", 2, 1, boundary::mirror, boundary::odd)>>(
      planes);
  f.template operator()<
      layout<halo("y", 5, 0, boundary::reflect, boundary::copy), halo("x", 0, 4, boundary::odd, boundary::zero)>>(
      planes);
  f.template
  operator()<layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::copy), halo(none, 2, boundary::odd)>>(
      std::vector<std::array<index_t, 3>>{{4, 6, 3}, {1, 5, 1}});
}

/// The same for blocks over three axes, some of which shard a dimension together.
template <class F>
void for_each_halo_on_three_axes(F const& f) {
  index_t const p = testing::ranks();
  std::vector<std::array<index_t, 3>> const blocks{{5, 7, 6}, {p - 1, p, p + 1}, {2, 1, 3}, {0, 4, 4}};
  f.template operator()<layout<halo("z", 1), halo("y", 2, 1, boundary::periodic), halo("x", 1, boundary::copy)>>(
      blocks);
  f.template
  operator()<layout<halo("x", 3, boundary::odd), halo("z", 1, boundary::given), halo("y", 1, boundary::mirror)>>(
      blocks);
  f.template operator()<layout<halo(axes("z", "x"), 2, boundary::reflect), halo("y", 1, boundary::periodic), none>>(
      blocks);
}

}  // namespace ashlar::test

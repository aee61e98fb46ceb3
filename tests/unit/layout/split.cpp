// Splits against elements handed out one by one, and at random and extreme sizes.
#include "ashlar/layout/split.hpp"
#include "support/all_layouts.hpp"
#include <doctest/doctest.h>
#include <limits>
#include <random>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

TEST_CASE("parts are in order, cover the whole, differ by at most one, and own what they hold") {
  std::mt19937_64 random(1);
  auto draw = [&](index_t first, index_t last) { return std::uniform_int_distribution<index_t>(first, last)(random); };
  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (int i = 0; i < 20000; ++i) {
    // Small, near multiples of the parts, and as large as indices go.
    index_t const parts = i % 2 ? draw(1, 9) : draw(1, index_t{1} << draw(0, 30));
    index_t const size = i % 3 == 0 ? draw(0, 40) : i % 3 == 1 ? parts * draw(0, 1000) + draw(-1, 1) : draw(0, most);
    if (size < 0) continue;
    index_t const begin = draw(0, most - size);
    interval const whole{begin, begin + size};
    CHECK(layout_detail::part_of(whole, parts, 0).begin == whole.begin);
    CHECK(layout_detail::part_of(whole, parts, parts - 1).end == whole.end);
    index_t const r = draw(0, parts - 1);
    interval const part = layout_detail::part_of(whole, parts, r);
    CHECK((part.size() == size / parts || part.size() == size / parts + 1));
    if (r + 1 < parts) {
      interval const next = layout_detail::part_of(whole, parts, r + 1);
      CHECK(part.end == next.begin);
      CHECK(part.size() >= next.size());
    }
    if (size == 0) continue;
    for (index_t k : {whole.begin, whole.end - 1, draw(whole.begin, whole.end - 1)}) {
      interval const owner = layout_detail::part_of(whole, parts, layout_detail::owner_of(whole, parts, k));
      CHECK((owner.begin <= k && k < owner.end));
    }
    if (part.size()) {
      CHECK(layout_detail::owner_of(whole, parts, part.begin) == r);
      CHECK(layout_detail::owner_of(whole, parts, part.end - 1) == r);
    }
  }
}

TEST_CASE("a shard covers the elements that its rank is handed, and rank 0 gets most") {
  for (auto const& sizes : std::vector<std::vector<int>>{{1}, {4}, {2, 3}, {2, 2, 3}})
    for (int rank = 1; rank <= 2; ++rank)
      for (int n : {0, 1, 5, 12, 13}) {
        mesh_shape mesh;
        for (int p : sizes) mesh.size[mesh.axes++] = p;
        std::vector<int> const extents = rank == 1 ? std::vector<int>{n} : std::vector<int>{7, n};
        shape global;
        for (int e : extents) global[global.rank++] = e;
        for (layout_value const& v : with_cyclic(all_layouts(rank, mesh.axes, {}), {1, 2, 3})) {
          auto const held = holders(extents, v, mesh);
          bool even = true;
          std::size_t most = 0;
          auto const size_of = [&](std::size_t r) {
            return static_cast<std::size_t>(std::count(held[r].begin(), held[r].end(), true));
          };
          for (std::size_t r = 0; r < held.size(); ++r) {
            region const shard = local_region(global, v, mesh, static_cast<int>(r));
            CHECK(shard.extents() == local_shape(global, v, mesh, static_cast<int>(r)));
            std::vector<bool> covered(held[r].size(), false);
            for (index_t i = 0; i < shard.dim[0].size(); ++i)
              if (rank == 1)
                covered[static_cast<std::size_t>(shard.dim[0][i])] = true;
              else
                for (index_t j = 0; j < shard.dim[1].size(); ++j)
                  covered[static_cast<std::size_t>(shard.dim[0][i] * n + shard.dim[1][j])] = true;
            INFO(name(v) << ", rank " << r);
            CHECK(covered == held[r]);
            even = even && size_of(r) == size_of(0);
            most = std::max(most, size_of(r));
          }
          CHECK(layout_detail::largest_shard(global, v, mesh) == static_cast<index_t>(most));
          if (layout_detail::is_even(global, v, mesh)) CHECK(even);
          if (global.size() > 0 && !layout_detail::encode_blocks(v))
            CHECK(layout_detail::is_even(global, v, mesh) == even);
        }
      }
}

TEST_CASE("two layouts are one placement where every rank holds the same") {
  std::vector<int> const extents{5, 7};
  for (auto const& sizes : std::vector<std::vector<int>>{{2, 3}, {1, 3}, {1, 1}}) {
    mesh_shape mesh;
    for (int p : sizes) mesh.size[mesh.axes++] = p;
    auto const layouts = all_layouts(2, 2, {layout_detail::op_sum, layout_detail::op_max}, 2);
    for (auto const& a : layouts)
      for (auto const& b : layouts) {
        // No axis list of these splits 5 or 7 elements as another one does.
        bool alike_partial = true;
        for (int x = 0; x < 2; ++x)
          if (mesh.size[x] > 1) {
            auto op = [&](layout_value const& v) { return v.level_of(x) < 0 ? -1 : v.reductions[v.level_of(x)].op; };
            alike_partial = alike_partial && op(a) == op(b);
          }
        bool const nest_alike = mesh.size[0] == 1 || a.level_of(0) < 0 || a.level_of(1) < 0 ||
                                (a.level_of(0) < a.level_of(1)) == (b.level_of(0) < b.level_of(1));
        bool const same = alike_partial && nest_alike && holders(extents, a, mesh) == holders(extents, b, mesh);
        INFO(name(a) << " and " << name(b));
        CHECK(layout_detail::same_placement(shape::of(5, 7), a, b, mesh) == same);
      }
  }
}

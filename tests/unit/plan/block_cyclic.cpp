// Plans between layouts in which blocks are block-cyclic and tensors are partial, against exhaustive search.
#include "support/plan_search.hpp"
#include <doctest/doctest.h>
#include <cstdlib>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

struct tally {
  long pairs = 0, broken = 0, missed = 0;
  double worst = 1;  // bytes over the least
  std::string where;
};

// All pairs in which a dimension, or several, are block-cyclic in blocks of some sizes, on the way through all layouts that are.
// The extent is a multiple of blocks and of each axis twice, so that whatever two layouts have in common divides.
tally compare(int rank, std::vector<int> const& sizes, std::vector<int> const& blocks) {
  mesh_shape const mesh = mesh_of(sizes);
  search const s(with_cyclic(all_layouts(rank, mesh.axes), blocks), mesh,
                 index_t{mesh.ranks()} * mesh.ranks() * *std::max_element(blocks.begin(), blocks.end()),
                 least_bytes_first);
  shape const extents = shape_of(std::vector<int>(static_cast<std::size_t>(rank), static_cast<int>(s.extent)));
  tally t;
  for (std::size_t i = 0; i < s.all.size(); ++i)
    for (std::size_t j = 0; j < s.all.size(); ++j) {
      layout_value const &from = s.all[i], &to = s.all[j];
      if (!(layout_detail::encode_blocks(from) | layout_detail::encode_blocks(to)) || !(from.levels | to.levels))
        continue;
      planning::redistribution_plan const p = plan(from, to, all_axes(mesh));
      index_t const ours = s.cost_of(p) >> 28, least = s.between(i, j)(i, j) >> 28;
      ++t.pairs;
      t.broken +=
          p.layout(0) != from || p.layout(p.size) != to || ours < least || p.bytes_per_rank(extents, mesh, 1) != ours;
      if (ours == least) continue;
      ++t.missed;
      double const ratio = static_cast<double>(ours) / static_cast<double>(least);
      if (ratio > t.worst) t.worst = ratio, t.where = text(p);
    }
  return t;
}

}  // namespace

TEST_CASE("where blocks are block-cyclic and tensors are partial, few plans cost more bytes than some chain of steps") {
  auto check = [](int rank, std::vector<int> const& sizes, std::vector<int> const& blocks, double percent,
                  double worst) {
    tally const t = compare(rank, sizes, blocks);
    MESSAGE("rank " << rank << ", " << sizes.size() << " axes, " << blocks.size() << " sizes of blocks: " << t.pairs
                    << " pairs, " << t.missed << " cost more, at most " << t.worst << " times");
    INFO(t.where);
    CHECK(t.pairs > 0);
    CHECK(t.broken == 0);
    CHECK(static_cast<double>(t.missed) <= percent / 100 * static_cast<double>(t.pairs));
    CHECK(t.worst <= worst);
  };
  for (int rank : {1, 2}) {
    check(rank, {3}, {1, 2}, 0, 1);
    check(rank, {2, 2}, {1}, 0, 1);
    check(rank, {3, 3}, {1}, 0, 1);
    check(rank, {2, 4}, {3}, 0, 1);
  }
  // Sizes without a common divisor: block-cyclic over one axis, and over the other, have something in common.
  check(1, {2, 3}, {1}, 0, 1);
  check(2, {2, 3}, {1}, 2.2, 1.2);
  // Blocks of different sizes have, too.
  check(2, {2, 2}, {1, 2}, 4, 1.5);
  check(2, {2, 2}, {1, 3}, 4, 2);
  check(1, {2, 2, 2}, {1}, 3, 2);
  if (std::getenv("ASHLAR_EXHAUSTIVE")) {
    check(3, {2, 2}, {1}, 0, 1);
    check(3, {3, 3}, {2}, 0, 1);
    check(1, {3, 3, 3}, {1}, 3, 2);
    check(2, {2, 2, 2}, {1}, 3, 2);
  }
}

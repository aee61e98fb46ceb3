// Drawings of tensors with halos: the owned blocks, and on request the cells that each rank stores.
#include "ashlar/ops/ops.hpp"
#include "ashlar/plan/draw.hpp"
#include <doctest/doctest.h>
#include <sstream>

using namespace ashlar;
using namespace ashlar::planning;

namespace {

using grid = mesh<axis<"y">, axis<"x">>;

template <class L, class... Option>
std::string drawn(grid const& m, shape const& extents, Option... option) {
  std::ostringstream out;
  draw<L>(out, m, extents, option...);
  return out.str();
}

}  // namespace

TEST_CASE("draw: without a request a halo is left out") {
  using H = layout<halo("y", 1), halo("x", 2, boundary::periodic)>;
  CHECK(drawn<fresh<H>>(grid{{2, 2}}, shape::of(7, 10)) == drawn<layout<"y", "x">>(grid{{2, 2}}, shape::of(7, 10)));
  std::ostringstream a, b;
  abstract_mesh<grid> const m(grid{{2, 2}});
  draw(a, make<double, H>(m, {7, 10}));
  draw(b, make<double, layout<"y", "x">>(m, {7, 10}));
  CHECK(a.str() == b.str());
}

TEST_CASE("draw: the cells that ranks store, with their edges, in every state") {
  using H = layout<halo("y", 1), halo("x", 1, 2, boundary::mirror, boundary::given)>;
  std::string const blocks = drawn<layout<"y", "x">>(grid{{2, 2}}, shape::of(4, 5));
  CHECK(drawn<H>(grid{{2, 2}}, shape::of(4, 5), with_halos) ==
        blocks +
            "stored cells:\n"
            "ranks   dim 0                 dim 1\n"
            "0       zero -1:0 [0:2] 2:3   mirror -1:0 [0:3] 3:5\n"
            "1       zero -1:0 [0:2] 2:3   2:3 [3:5] 5:7 given\n"
            "2       1:2 [2:4] 4:5 zero    mirror -1:0 [0:3] 3:5\n"
            "3       1:2 [2:4] 4:5 zero    2:3 [3:5] 5:7 given\n"
            "the halo is: unfilled\n");
  auto const ends_with = [](std::string const& text, std::string const& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  CHECK(ends_with(drawn<fresh<H>>(grid{{2, 2}}, shape::of(4, 5), with_halos), "\nthe halo is: filled\n"));
  CHECK(ends_with(drawn<fresh<H, corners::skipped>>(grid{{2, 2}}, shape::of(4, 5), with_halos),
                  "\nthe halo is: filled without corners\n"));
  CHECK(ends_with(drawn<halo_sums<H>>(grid{{2, 2}}, shape::of(4, 5), with_halos), "\nthe halo is: sums\n"));
}

TEST_CASE("draw: halos of replicas, empty shards, whole dimensions, and halos beyond a domain") {
  // [draw]
  using lines = layout<halo("y", 2, boundary::periodic), halo(none, 1)>;
  std::ostringstream out;
  draw<lines>(out, grid{{4, 2}}, {3, 5}, with_halos);
  // [draw]
  // [drawn]
  std::string const stored =
      "stored cells:\n"
      "ranks   dim 0                                      dim 1\n"
      "0,1     periodic -2:0 [0:1] 1:3                    zero -1:0 [0:5] 5:6 zero\n"
      "2,3     periodic -1:0 0:1 [1:2] 2:3 3:4 periodic   zero -1:0 [0:5] 5:6 zero\n"
      "4,5     0:2 [2:3] 3:5 periodic                     zero -1:0 [0:5] 5:6 zero\n"
      "nothing: ranks 6,7\n"
      "the halo is: unfilled\n";
  // [drawn]
  CHECK(out.str() == drawn<layout<"y", none>>(grid{{4, 2}}, shape::of(3, 5)) + stored);
  CHECK(drawn<fresh<layout<halo("y", 1)>>>(grid{{2, 1}}, shape::of(0), with_halos) ==
        "no elements: ranks 0,1\nstored cells:\nnothing: ranks 0,1\nthe halo is: filled\n");
  CHECK(drawn<fresh<layout<halo("y", 0)>>>(grid{{2, 1}}, shape::of(2), with_halos)
            .find("\n0       [0:1]\n1       [1:2]\n") != std::string::npos);
}

// Random numbers for halo cells, which are copies of other cells.
// EXPECT: ashlar::random: numbers are drawn for owned cells; draw into the layout stale<H>, and write exchange_halo\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> line({{2}});
using field = layout<halo("p", 1)>;

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  auto const x = exchange_halo(uniform<float, stale<field>>(line, {8}, prng_key{1}));
#else
  auto const x = uniform<float, field>(line, {8}, prng_key{1});
#endif
  return x;
};
constexpr auto numbers = program();

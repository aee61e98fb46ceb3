// Random numbers for halo cells that wait for their sum.
// EXPECT: ashlar::random: random numbers are no terms of a sum; draw into the layout stale<H>
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"p">>> line({{2}});
using field = layout<halo("p", 1)>;

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  auto const x = uniform<float, field>(line, {8}, prng_key{1});
#else
  auto const x = uniform<float, halo_sums<field>>(line, {8}, prng_key{1});
#endif
  return x;
};
constexpr auto numbers = program();

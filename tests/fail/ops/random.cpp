#include "ashlar/ops/ops.hpp"

using namespace ashlar;

// Random integers in a dry run. Real ranks refuse them by the same sentence.
namespace random_integers {
using line = mesh<axis<"x">>;
constexpr line m{{2}};
namespace right {
constexpr auto dice = cast<int>(6.f * uniform<float, layout<"x">>(m, {8}, prng_key{1}));
constexpr auto errors = cast<int>(normal<float, layout<"x">>(m, {8}, prng_key{1}));
}  // namespace right
namespace wrong {
// error on each line: ashlar::random: numbers are drawn as float or double; draw float, and write cast<T>(x)
constexpr auto dice = uniform<int, layout<"x">>(m, {8}, prng_key{1}, 0, 6);
constexpr auto errors = normal<int, layout<"x">>(m, {8}, prng_key{1});
}  // namespace wrong
}  // namespace random_integers

// Random numbers for halo cells that wait for their sum.
namespace random_numbers_into_a_halo_of_sums {
constexpr abstract_mesh<mesh<axis<"p">>> line({{2}});
using field = layout<halo("p", 1)>;
constexpr auto right = [] {
  auto const x = uniform<float, fresh<field>>(line, {8}, prng_key{1});
  return x;
}();
// error: ashlar::random: random numbers are no terms of a sum; draw into the layout H
constexpr auto wrong = [] {
  auto const x = uniform<float, halo_sums<field>>(line, {8}, prng_key{1});
  return x;
}();
}  // namespace random_numbers_into_a_halo_of_sums

// Random numbers drawn into a layout in which the result is partial.
namespace random_numbers_into_a_partial {
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto right = uniform<float, layout<"data">>(m, {8}, prng_key{1});
// error: ashlar::random: the layout is partial, and each rank would add numbers of its own; draw into the layout without it
constexpr auto wrong = uniform<float, partial<layout<none>, "data">>(m, {8}, prng_key{1});
}  // namespace random_numbers_into_a_partial

// A seed in place of a key.
namespace seed_without_a_key {
using line = mesh<axis<"data">>;
constexpr line m{{2}};
namespace right {
constexpr auto u = uniform<float, layout<"data">>(m, {8}, {42});
constexpr auto g = normal<float, layout<"data">>(m, {8}, prng_key{42});
}  // namespace right
namespace wrong {
// error: ashlar::uniform: random numbers come from a key; write prng_key{1}
constexpr auto u = uniform<float, layout<"data">>(m, {8}, 42);
// error: ashlar::normal: random numbers come from a key; write prng_key{1}
constexpr auto g = normal<float, layout<"data">>(m, {8}, 42u, 0.f, 2.f);
}  // namespace wrong
}  // namespace seed_without_a_key

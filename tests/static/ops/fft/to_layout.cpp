// Transforms of several dimensions: the collectives of the routes that the compiler chooses.
#include "ashlar/ops/fft/to_layout.hpp"
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
using complex = std::complex<double>;

constexpr grid machine{{4, 2}};
constexpr index_t extent = 64, bytes = extent * extent * extent * 16 / 8;  // of a rank's shard

// A program that transforms all dimensions, or those that are named, of an n^3 tensor of layout From and ends in To.
template <class From, class To, int... Dims>
constexpr auto transform = [](auto const& mesh) {
  auto const y = fft<Dims...>(make<complex, From>(mesh, {extent, extent, extent}), to_layout<To>);
  static_assert(std::is_same_v<layout_t<decltype(y)>, To>);
};
template <class From, class To, int... Dims>
constexpr auto moved = dry_run(machine, transform<From, To, Dims...>);

// There, and back.
constexpr auto there_and_back = [](auto const& mesh) {
  auto const x = make<complex, layout<"p", "q", none>>(mesh, {extent, extent, extent});
  // [there_and_back]
  auto const y = fft(x, to_layout<layout<none, "p", "q">>);  // x of layout<"p", "q", none>: 2 all_to_alls
  auto const z = inverse_fft<0, 1, 2>(y, to_layout<layout<"p", "q", none>>);  // equals x, up to rounding
  // [there_and_back]
  static_assert(std::is_same_v<layout_t<decltype(z)>, layout_t<decltype(x)>>);
};
static_assert(dry_run(machine, there_and_back).count() == 4);
static_assert(dry_run(machine, there_and_back).count(collective::all_to_all) == 4);

using z = layout<"p", "q", none>;
using x = layout<none, "p", "q">;

// Pencils: over the axis of two ranks a rank receives 1/2 of its shard, over the axis of four 3/4.
static_assert(moved<z, x>.count() == 2 && moved<z, x>.count(collective::all_to_all) == 2);
static_assert(moved<z, x>.bytes_per_rank() == bytes / 2 + 3 * bytes / 4);
// Back to the first layout in one step over all ranks, which is less than the way back by pencils.
static_assert(moved<z, z>.count() == 3);
static_assert(moved<z, z>.bytes_per_rank() == bytes / 2 + 3 * bytes / 4 + 7 * bytes / 8);
// Slabs: one collective, and each rank keeps 1/8.
using slab = layout<axes("p", "q"), none, none>;
static_assert(moved<slab, layout<none, axes("p", "q"), none>>.count() == 1);
static_assert(moved<slab, layout<none, axes("p", "q"), none>>.bytes_per_rank() == 7 * bytes / 8);
static_assert(moved<slab, slab>.count() == 2);
// Named dimensions that are whole need no collective, and the others no more than is necessary.
static_assert(moved<z, z, 2>.count() == 0);
static_assert(moved<slab, slab, 2, 1>.count() == 0);
static_assert(moved<z, layout<"p", none, "q">, 1, 2>.count() == 1);
// The goal may be any layout.
static_assert(moved<slab, z>.count() == 2 && moved<z, slab>.count() == 2);
static_assert(moved<layout<none, none, none>, z>.count() == 0);
// Ranks share the work, and gather the result at the end.
static_assert(moved<z, layout<none, none, none>>.count() == 3);
static_assert(moved<z, layout<none, none, none>>.count(collective::all_gather) == 1);
// A partial sum is reduced into the goal.
static_assert(moved<partial<layout<none, none, "p">, "q">, slab>.count() == 2);
static_assert(moved<partial<layout<none, none, "p">, "q">, slab>.count(collective::reduce_scatter) == 1);
// One dimension that is shared has to be gathered.
constexpr auto line = [](auto const& mesh) {
  (void)fft(make<complex, layout<"p">>(mesh, {extent}), to_layout<layout<"p">>);
};
static_assert(dry_run(machine, line).count() == 1 && dry_run(machine, line).count(collective::all_gather) == 1);
// Four dimensions, of which three are transformed.
constexpr auto batch = [](auto const& mesh) {
  (void)inverse_fft<0, 1, 2>(make<complex, layout<none, "p", "q", none>>(mesh, {8, 8, 8, 8}),
                             to_layout<layout<none, "p", "q", none>>);
};
static_assert(dry_run(machine, batch).count() == 3);

// Tensors with halos whose cells are terms of a sum, in dry runs: types, and the bytes of all stored cells.
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;

namespace {

using grid = mesh<axis<"y">, axis<"x">, axis<"k">>;
using field = layout<halo("y", 1), halo("x", 2, 0, boundary::odd)>;
using terms = partial<field, "k">;
constexpr abstract_mesh<grid> m(grid{{2, 2, 2}});

static_assert(std::is_same_v<owned_layout_t<terms>, partial<layout<"y", "x">, "k">>);
static_assert(std::is_same_v<terms, partial<field, "k">>);
static_assert(std::is_same_v<partial<partial<fresh<layout<halo("y", 1)>>, "k">, "x">,
                             partial<fresh<layout<halo("y", 1)>>, axes("k", "x")>>);

struct slope {
  static constexpr auto reach = star(1, {1, 0});
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v) const { return v(1, 0) - v(0, -1); }
};

// Every state stays, and what is linear takes terms.
constexpr auto u = make<double, terms>(m, {64, 48});
constexpr auto filled = exchange_halo(u);
constexpr auto sums = make<double, halo_sums<terms>>(m, {64, 48});
constexpr auto scalar = make<double, layout<>>(m);
template <class L, class X>
constexpr bool has_layout(X const&) {
  return std::is_same_v<layout_t<X>, L>;
}
static_assert(has_layout<fresh<terms>>(filled));
static_assert(has_layout<fresh<terms, corners::skipped>>(exchange_halo<corners::skipped>(u)));
static_assert(has_layout<field>(all_reduce<"k">(u)));
static_assert(has_layout<fresh<field>>(all_reduce(filled)));
static_assert(has_layout<halo_sums<field>>(all_reduce(sums)));
static_assert(has_layout<fresh<terms>>(as_partial<"k">(all_reduce(filled))));
static_assert(has_layout<terms>(add_halo(sums)));
static_assert(has_layout<terms>(u + 2. * filled - u / scalar));
static_assert(has_layout<halo_sums<terms>>(sums + scalar * sums));
static_assert(has_layout<terms>(u * all_reduce(u)));
static_assert(has_layout<terms>(owned(u) * all_reduce(filled)));
static_assert(has_layout<terms>(make<double, partial<layout<>, "k">>(m) * all_reduce(u) / all_reduce(filled)));
static_assert(has_layout<fresh<terms>>(as_replicated<"x">(filled)));
static_assert(has_layout<partial<layout<"y", "x">, "k">>(owned(u)));
static_assert(has_layout<layout_t<decltype(sum(owned(u)))>>(sum(u)));
static_assert(has_layout<terms>(stencil(slope{}, filled)));
static_assert(has_layout<terms>(stencil(repeated<1>(slope{}), exchange_halo_async(u))));
static_assert(has_layout<fresh<field>>(redistribute<fresh<field>>(u)));

// 34 x 26 cells are stored, and half of them is received twice.
constexpr auto reduce = [](auto const& machine) { (void)all_reduce(make<float, fresh<terms>>(machine, {64, 48})); };
static_assert(dry_run(grid{{2, 2, 2}}, reduce).count(collective::all_reduce, "k") == 1);
static_assert(dry_run(grid{{2, 2, 2}}, reduce).count() == 1);
static_assert(dry_run(grid{{2, 2, 2}}, reduce).bytes_per_rank() == 2 * (34 * 26 - 34 * 26 / 2) * 4);
static_assert(dry_run(grid{{3, 1, 3}}, reduce).bytes_per_rank() == 2 * (24 * 50 - 24 * 50 / 3) * 4);
static_assert(dry_run(grid{{2, 2, 1}}, reduce).count() == 0);
constexpr auto make_terms = [](auto const& machine) {
  (void)as_partial<"k">(make<float, fresh<field>>(machine, {64, 48}));
};
static_assert(dry_run(grid{{2, 2, 2}}, make_terms).count() == 0);

// An exchange of terms has the axes and the bytes of an exchange.
template <class H>
constexpr auto exchanged = [](auto const& machine) {
  (void)exchange_halo(make<float, H>(machine, {64, 48}));
};
static_assert(dry_run(grid{{2, 2, 2}}, exchanged<terms>).bytes_per_rank() ==
              dry_run(grid{{2, 2, 2}}, exchanged<field>).bytes_per_rank());
static_assert(dry_run(grid{{2, 2, 2}}, exchanged<terms>).count(collective::exchange_halo, axes("y", "x")) == 1);

// The derivative of a sum over ranks communicates nothing. That of an exchange is add_halo.
constexpr auto step = [](auto const& machine) {
  auto const w = make<double, field>(machine, {64, 48});
  auto const [value, g] = value_and_grad<none>([](auto const& x) {
    auto const y = all_reduce(stencil(slope{}, exchange_halo(3. * as_partial<"k">(x))));
    return all_reduce(sum(y * y));
  })(w);
  static_assert(std::is_same_v<layout_t<decltype(g)>, field>);
};
constexpr auto log = dry_run(grid{{2, 2, 2}}, step);
static_assert(log.count(pass::forward, collective::all_reduce, "k") == 1);
static_assert(log.count(pass::backward) == 1);
static_assert(log.count(pass::backward, collective::add_halo) == 1);

// The cotangent of a field that is replicated over "k" is partial over it. as_replicated reduces it, with its halo.
template <dimension Axes, class State, class F>
constexpr auto gradient_of(State const& v, F const& f) {
  auto const weight = make<double, partial<layout<"y", "x">, "k">>(v.mesh(), {64, 48});
  return value_and_grad<Axes>([&](auto const& w) { return all_reduce(sum(f(w) * weight)); })(v).gradients;
}
constexpr auto apply_slope = [](auto const& w) { return stencil(slope{}, exchange_halo<corners::skipped>(w)); };
constexpr auto read_filled = [](auto const& w) { return stencil(slope{}, w); };
static_assert(has_layout<terms>(gradient_of<"k">(make<double, field>(m, {64, 48}), apply_slope)));
static_assert(has_layout<halo_sums<terms>>(gradient_of<"k">(make<double, fresh<field>>(m, {64, 48}), read_filled)));
constexpr auto replicated_step = [](auto const& machine) {
  (void)gradient_of<none>(make<double, fresh<field>>(machine, {64, 48}),
                          [](auto const& w) { return stencil(slope{}, as_replicated<"k">(w)); });
};
constexpr auto replicated_log = dry_run(grid{{2, 2, 2}}, replicated_step);
static_assert(replicated_log.count(pass::backward) == 1);
static_assert(replicated_log.count(pass::backward, collective::all_reduce) == 1);
static_assert(replicated_log.bytes_per_rank(pass::backward) == 2 * (34 * 26 - 34 * 26 / 2) * 8);

}  // namespace

// Bundles on real ranks: the values of separate all-reduces, whatever is bundled together and in whichever order.
// Collectives and bytes: tests/static/ops.
#include "ashlar/ops/bundle.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using element = std::int64_t;
using sums = partial<layout<none, "y">, "x">;
using sums_of_scalars = partial<layout<>, axes("x", "y")>;
using maxima = partial<layout<"x">, "y", op::max>;
using products = partial<layout<none, none>, "x", op::prod>;
using minima = partial<layout<none>, axes("y", "x"), op::min>;
using whole = layout<"x", "y">;

template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};

template <class X>
bool is_reduced(X const& found, auto const& from) {
  return denotes(found, denoted<element>(from.extents(), from.layout, from.mesh().sizes(), small_number));
}

template <class L>
auto member(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<element, L>(m, e, small_number);
}
// Calls f(mesh, n) for every mesh, and sizes that leave all ranks, some or none without elements.
template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    for (index_t n : {0, 1, 7, 301}) {
      CAPTURE(n);
      f(m, n);
    }
  });
}

}  // namespace

TEST_CASE("bundle: trees of several axes, reductions and shapes have the values of their tensors, in any order") {
  on_every_mesh([](device_mesh<grid> const& m, index_t n) {
    auto const a = member<sums>(m, shape::of(3, n));
    auto const b = member<sums_of_scalars>(m, shape{});
    auto const c = member<maxima>(m, shape::of(n + 2));
    auto const d = member<products>(m, shape::of(n, 5));
    auto const e = member<minima>(m, shape::of(11));
    auto const f = member<whole>(m, shape::of(n, 2));
    auto const all_are_reduced = [&](auto const& ra, auto const& rb, auto const& rc, auto const& rd, auto const& re,
                                     auto const& rf) {
      CHECK(is_reduced(ra, a));
      CHECK(is_reduced(rb, b));
      CHECK(is_reduced(rc, c));
      CHECK(is_reduced(rd, d));
      CHECK(is_reduced(re, e));
      CHECK(rf.data() == f.data());  // nothing to reduce: nothing is copied
    };
    int const x = m.sizes().size[0], y = m.sizes().size[1];
    index_t const before = m.collectives_run();
    auto const [ra, tree, re, rf, none_at_all] =
        all_reduce(bundle(a, build<affine>(b, std::tuple(c, d)), e, f, std::tuple<>()));
    // Sums over x, sums over both, maxima over y, products over x, minima over both.
    CHECK(m.collectives_run() - before == 2 * (x > 1) + 2 * (x * y > 1) + (y > 1));
    static_assert(std::is_same_v<decltype(none_at_all), std::tuple<> const>);
    all_are_reduced(ra, tree.kernel, std::get<0>(tree.bias), std::get<1>(tree.bias), re, rf);
    auto const [sf, se, sd, sc, sb, sa] = all_reduce(bundle(f, e, d, c, b, a));
    all_are_reduced(sa, sb, sc, sd, se, sf);
  });
}

TEST_CASE("bundle: one all_reduce of several tensors of one kind, of which some are the same or are expressions") {
  on_every_mesh([](device_mesh<grid> const& m, index_t n) {
    auto const a = member<sums>(m, shape::of(3, n));
    auto const b = member<partial<layout<none>, "x">>(m, shape::of(n));
    auto const c = member<partial<layout<>, axes("x", "y")>>(m, shape{});
    index_t const before = m.collectives_run();
    auto const [ra, same, doubled, rb, rc] = all_reduce<"x">(bundle(a, a, a * element{2}, b, c));
    static_assert(std::is_same_v<layout_t<decltype(ra)>, layout<none, "y">>);
    static_assert(std::is_same_v<layout_t<decltype(rb)>, layout<none>>);
    static_assert(std::is_same_v<layout_t<decltype(rc)>, partial<layout<>, "y">>);
    bool const alone = m.sizes().size[0] == 1;
    CHECK(m.collectives_run() - before == (alone ? 0 : 1));
    CHECK(m.collectives_run(collective::all_reduce) == m.collectives_run());
    if (n != 0) CHECK((ra.data() == a.data()) == alone);  // nothing to reduce: nothing is copied
    CHECK(is_reduced(ra, a));
    CHECK(is_reduced(same, a));
    CHECK(is_reduced(rb, b));
    CHECK(is_reduced(rc, c));  // still partial over y
    auto expected = denoted<element>(a.extents(), a.layout, m.sizes(), small_number);
    for (element& v : expected) v *= 2;
    CHECK(denotes(doubled, expected));
    // The results of a bundle share one block of memory. They change apart, and their operands stay.
    auto changes = ra;
    fill(changes, element{5});
    CHECK(is_reduced(same, a));
    CHECK(is_reduced(rb, b));
    CHECK(denotes(a, denoted<element>(a.extents(), a.layout, m.sizes(), small_number)));
  });
}

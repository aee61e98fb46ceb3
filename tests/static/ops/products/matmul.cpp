// Products of tensors in any layouts, in the dry run: the collectives of each.
#include "ashlar/ops/ops.hpp"
#include <algorithm>

using namespace ashlar;

namespace {

using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;

// [summa]
constexpr auto product = [](auto const& m) {
  auto const a = make<double, layout<"p", "q">>(m, {2048, 2048});
  auto const b = make<double, layout<"p", "q">>(m, {2048, 2048});
  return matmul(a, b, to_layout<layout<"p", "q">>);  // a is gathered along "q", b along "p"
};
constexpr auto found = dry_run(grid{{2, 2}}, product);
static_assert(found.count() == 2 && found.count(collective::all_gather, "p") == 1);
static_assert(found.bytes_per_rank() == 2 * 2048 * 1024 / 2 * 8);
// [summa]
// The ledger has the operands in their order, with every compiler, as on real ranks.
static_assert(found[0].axes == 0b10 && found[1].axes == 0b01);
static_assert(dry_run(grid{{4, 2}}, product).count() == 2);
static_assert(dry_run(grid{{4, 2}}, product).bytes_per_rank() == (1 + 3) * 512 * 1024 * 8);
static_assert(dry_run(grid{{1, 1}}, product).count() == 0);
static_assert(std::is_same_v<layout_t<decltype(product(abstract_mesh<grid>(grid{{2, 2}})))>, blocks>);

// The same plan if the compiler knows extents and sizes.
using known_grid = mesh<axis<"p", 2>, axis<"q", 2>>;
constexpr auto known = [](auto const& m) {
  auto const a = make<double, blocks>(m, static_extents<2048, 2048>{});
  auto const c = matmul(a, a, to_layout<blocks>);
  static_assert(static_extents_v<decltype(c)> == shape::of(2048, 2048));
};
static_assert(dry_run(known_grid{}, known).count() == 2);
static_assert(dry_run(known_grid{}, known).bytes_per_rank() == found.bytes_per_rank());

// Few rows and columns, many terms: the terms are split, and the sums of the ranks are added.
constexpr auto gram = [](auto const& m) {
  auto const x = make<double, layout<axes("p", "q"), none>>(m, {1 << 20, 64});
  (void)einsum<"ki,kj->ij">(x, x, to_layout<layout<none, none>>);
};
static_assert(dry_run(grid{{2, 2}}, gram).count() == dry_run(grid{{2, 2}}, gram).count(collective::all_reduce));
static_assert(dry_run(grid{{2, 2}}, gram).bytes_per_rank() == 2 * 64 * 64 * 3 / 4 * 8);

// Operands that fit einsum, and a result in its layout: no collective.
constexpr auto local = [](auto const& m) {
  auto const a = make<double, layout<cyclic("p", 64), none>>(m, {2000, 300});
  auto const b = make<double, layout<none, cyclic("q", 64)>>(m, {300, 2000});
  (void)matmul(a, b, to_layout<layout<cyclic("p", 64), cyclic("q", 64)>>);
};
static_assert(dry_run(grid{{2, 2}}, local).count() == 0);

// Other extents, other collectives. The dry runs of a program include the ledger of any extents.
template <bool ByTypes>
constexpr auto product_of(index_t rows, index_t terms, index_t columns) {
  return [=](auto const& m) {
    auto const a = make<double, blocks>(m, {rows, terms});
    auto const b = make<double, blocks>(m, {terms, columns});
    if constexpr (ByTypes)
      (void)matmul(a, b, to_layout<blocks>.by_types());
    else
      (void)matmul(a, b, to_layout<blocks>);
  };
}
constexpr bool have_equal_collectives(ledger<grid> const& a, ledger<grid> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto const& x, auto const& y) { return x.what == y.what && x.axes == y.axes; });
}
constexpr auto of_thin = dry_run(grid{{2, 2}}, product_of<false>(4096, 64, 4096)),
               of_flat = dry_run(grid{{2, 2}}, product_of<false>(64, 4096, 4096));
static_assert(of_thin.depends_on_extents() && of_flat.depends_on_extents());
static_assert(!have_equal_collectives(of_thin, of_flat));
constexpr int ledgers_like(ledger<grid> const& one, auto const& program) {
  int n = 0;
  for (auto const& other : dry_runs(grid{{2, 2}}, program)) n += have_equal_collectives(one, other) ? 1 : 0;
  return n;
}
static_assert(ledgers_like(of_thin, product_of<false>(5, 5, 5)) == 1);
static_assert(ledgers_like(of_flat, product_of<false>(5, 5, 5)) == 1);
static_assert(std::ranges::all_of(dry_runs(grid{{2, 2}}, product_of<false>(5, 5, 5)),
                                  [](auto const& l) { return l.count() <= 3; }));
static_assert(!dry_run(known_grid{}, known).depends_on_extents());

// By types: one plan, whatever the extents, and it is the plan for equal ones.
constexpr auto by_types = dry_run(grid{{2, 2}}, product_of<true>(4096, 64, 4096));
static_assert(!by_types.depends_on_extents());
static_assert(have_equal_collectives(by_types, dry_run(grid{{2, 2}}, product_of<true>(64, 4096, 4096))));
static_assert(have_equal_collectives(by_types, found));
static_assert(ledgers_like(by_types, product_of<true>(1, 2, 3)) == 1);

// Meshes of many axes, and programs of many products, stay within the limits of compilers.
using wide_grid = mesh<axis<"p">, axis<"q">, axis<"r">, axis<"s">, axis<"t">>;
constexpr auto cyclic_operands = [](auto const& m) {
  auto const a = make<double, layout<cyclic("p", 2), cyclic(axes("q", "r"), 3)>>(m, {2048, 2048});
  auto const b = make<double, layout<cyclic(axes("r", "p"), 4), cyclic("q", 5)>>(m, {2048, 2048});
  (void)matmul(a, b, to_layout<blocks>);
};
static_assert(dry_run(wide_grid{{2, 2, 2, 2, 2}}, cyclic_operands).count() > 0);
constexpr auto many = [](auto const& m) {
  auto a = make<double, blocks>(m, {2048, 2048});
  for (int i = 0; i < 48; ++i) a = matmul(a, a, to_layout<blocks>);
};
static_assert(dry_run(grid{{2, 2}}, many).count() == 96);

// The equations of matmul: batches as in NumPy, vectors as rows and columns.
static_assert(ops_detail::matmul_equation_of<2, 2> == equation("mk,kn->mn"));
static_assert(ops_detail::matmul_equation_of<3, 3> == equation("amk,akn->amn"));
static_assert(ops_detail::matmul_equation_of<4, 2> == equation("abmk,kn->abmn"));
static_assert(ops_detail::matmul_equation_of<2, 3> == equation("mk,akn->amn"));
static_assert(ops_detail::matmul_equation_of<2, 1> == equation("mk,k->m"));
static_assert(ops_detail::matmul_equation_of<1, 2> == equation("k,kn->n"));
static_assert(ops_detail::matmul_equation_of<1, 1> == equation("k,k->"));

}  // namespace

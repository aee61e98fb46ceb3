// Products of tensors in any layouts against loops over all values of all labels. Operands are sharded in two
// dimensions, in unequal and empty parts, block-cyclic and partial; with batches, transposed, and of complex numbers.
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/autodiff/products.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/ops/products/matmul.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include <cstdlib>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using whole = layout<none, none>;
using rows = layout<"x", none>;
using columns = layout<none, "y">;
using blocks = layout<"x", "y">;
using crossed = layout<"y", "x">;
using fine_rows = layout<axes("y", "x"), none>;
using fine_columns = layout<none, axes("x", "y")>;
using cyclic_blocks = layout<cyclic("x", 2), cyclic("y", 3)>;
using cyclic_squares = layout<cyclic("x", 3), cyclic("y", 3)>;
using cyclic_rows = layout<cyclic(axes("x", "y"), 1), none>;
using terms = partial<whole, axes("x", "y")>;
using terms_of_rows = partial<layout<"y", none>, "x">;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
using maxima = partial<columns, "x", op::max>;

template <equation E, class To, class La, class Lb, class T = double>
void check_product(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  check<To>(einsum<E>(a, b, to_layout<To>), sum_of_products(q, value_of(a), value_of(b)));
}

// Extents that divide and that do not, with empty shards and empty arrays: rows, terms, columns.
std::vector<shape> sizes_to_try() {
  index_t const p = world_size();
  return {shape::of(p, 2 * p, p), shape::of(13, 7, 11), shape::of(1, 17, 2), shape::of(2, 1, 3), shape::of(3, 0, 2)};
}

template <class To, class La, class Lb, class T = double>
void check_matrices(device_mesh<xy_grid> const& m) {
  for (shape const& e : sizes_to_try())
    check_product<"mk,kn->mn", To, La, Lb, T>(m, shape::of(e[0], e[1]), shape::of(e[1], e[2]));
}

// Each layout as a, with the layouts `By` and `To` places later in the list as b and as the result.
template <int By, int To, class... L>
void check_layouts(device_mesh<xy_grid> const& m) {
  using list = std::tuple<L...>;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    constexpr int n = sizeof...(L);
    (check_matrices<std::tuple_element_t<(I + To) % n, list>, std::tuple_element_t<I, list>,
                    std::tuple_element_t<(I + By) % n, list>>(m),
     ...);
  }(std::make_integer_sequence<int, sizeof...(L)>{});
}

template <class L>
void check_memory_of_square(device_mesh<xy_grid> const& m, shape const& extents) {
  auto const a = numbers<L, double>(m, extents);
  (void)a.data();
  bool const reads = host_reads_tensors && m.communicator().state().node != nullptr;
  pool::reset_peak();
  std::size_t const used = pool::in_use();
  auto const c = matmul(a, a, to_layout<L>);
  (void)c.data();
  if (reads) CHECK(pool::peak() - used < static_cast<std::size_t>(c.local_size()) * sizeof(double) + 65536);
}

}  // namespace

TEST_CASE("matmul: layouts of one kind") {
  on_every_mesh([](auto const& m) {
    check_layouts<0, 0, whole, rows, columns, blocks, crossed, fine_rows, fine_columns, cyclic_blocks, cyclic_rows>(m);
  });
}

TEST_CASE("matmul: layouts that differ") {
  on_every_mesh([](auto const& m) {
    check_layouts<2, 5, whole, blocks, rows, cyclic_blocks, crossed, columns, terms_of_rows, fine_rows, cyclic_rows>(m);
    check_layouts<1, 3, terms, blocks, terms_of_rows, cyclic_blocks, whole, fine_columns>(m);
  });
}

TEST_CASE("matmul: partial operands") {
  on_every_mesh([](auto const& m) {
    check_matrices<blocks, terms, terms>(m);
    check_matrices<terms, blocks, crossed>(m);
    check_matrices<terms_of_rows, terms_of_rows, rows, float>(m);
    check_matrices<rows, maxima, blocks, std::int64_t>(m);
    check_matrices<whole, terms, maxima>(m);
  });
}

TEST_CASE("einsum into a layout: transposed operands, batches, vectors and sums over one operand's label") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : sizes_to_try()) {
      shape const mk = shape::of(e[0], e[1]), km = shape::of(e[1], e[0]), nk = shape::of(e[2], e[1]);
      check_product<"mk,nk->mn", blocks, blocks, blocks>(m, mk, nk);
      check_product<"km,nk->nm", cyclic_blocks, crossed, blocks, float>(m, km, nk);
      shape const bmk = shape::of(3, e[0], e[1]), bkn = shape::of(3, e[1], e[2]);
      check_product<"bmk,bkn->bmn", layout<none, "x", "y">, layout<"x", none, "y">, layout<none, "y", "x">>(m, bmk,
                                                                                                            bkn);
      check_product<"bmk,bkn->nbm", layout<"y", "x", none>, layout<cyclic("x", 2), "y", none>,
                    partial<layout<none, "y", none>, "x">>(m, bmk, bkn);
      check_product<"bmk,kn->bmn", layout<"x", none, "y">, layout<"x", "y", none>, blocks>(m, bmk,
                                                                                           shape::of(e[1], e[2]));
      check_product<"mk,k->m", layout<"y">, blocks, layout<"x">>(m, mk, shape::of(e[1]));
      check_product<"k,k->", layout<>, layout<"x">, layout<axes("y", "x")>>(m, shape::of(e[1]), shape::of(e[1]));
      check_product<"m,n->mn", crossed, layout<"x">, layout<"x">>(m, shape::of(e[0]), shape::of(e[2]));
      check_product<"imk,kn->mn", blocks, layout<"x", "y", none>, blocks>(m, bmk, shape::of(e[1], e[2]));
    }
  });
}

TEST_CASE("matmul: batches and vectors by the ranks of the operands") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<blocks, double>(m, shape::of(5, 7));
    auto const b = numbers<layout<"x", none, "y">, double>(m, shape::of(3, 7, 4));
    auto const v = numbers<layout<"x">, double>(m, shape::of(7));
    check<layout<"y", "x", none>>(matmul(a, b, to_layout<layout<"y", "x", none>>),
                                  sum_of_products("mk", "akn", "amn", value_of(a), value_of(b)));
    check<layout<"y">>(matmul(a, v, to_layout<layout<"y">>), sum_of_products("mk", "k", "m", value_of(a), value_of(v)));
    auto const w = numbers<layout<"y">, double>(m, shape::of(5));
    check<layout<"x">>(matmul(w, a, to_layout<layout<"x">>), sum_of_products("m", "mk", "k", value_of(w), value_of(a)));
    check<layout<>>(matmul(v, v, to_layout<layout<>>), sum_of_products("k", "k", "", value_of(v), value_of(v)));
  });
}

TEST_CASE_TEMPLATE("matmul: complex numbers", C, Kokkos::complex<double>, Kokkos::complex<float>) {
  on_every_mesh([](auto const& m) {
    for (shape const& e : sizes_to_try()) {
      using R = typename C::value_type;
      auto const number = [](index_t g, int s) {
        return C(static_cast<R>(small_number(g, s)), static_cast<R>(small_number(g, s + 1)));
      };
      auto const a = tensor_of<C, blocks>(m, shape::of(e[0], e[1]), [&](index_t g, int) { return number(g, 0); });
      auto const b =
          tensor_of<C, cyclic_blocks>(m, shape::of(e[1], e[2]), [&](index_t g, int) { return number(g, 5); });
      std::vector<C> expected;
      for (index_t i = 0; i < e[0]; ++i)
        for (index_t j = 0; j < e[2]; ++j) {
          C sum = 0;
          for (index_t k = 0; k < e[1]; ++k) sum += number(i * e[1] + k, 0) * number(k * e[2] + j, 5);
          expected.push_back(sum);
        }
      CHECK(denotes(matmul(a, b, to_layout<crossed>), expected));
    }
  });
}

// 128 terms per rank and more: blocks of the other ranks are read in place. Fewer terms are gathered.
TEST_CASE("matmul: many terms, which are read in place, and the memory that this saves") {
  on_every_mesh([](auto const& m) {
    for (index_t k : {1, 1100, 1237}) {
      shape const mk = shape::of(13, k), km = shape::of(k, 13), kn = shape::of(k, 11), nk = shape::of(11, k);
      check_product<"mk,kn->mn", blocks, blocks, blocks>(m, mk, kn);
      check_product<"mk,kn->nm", crossed, blocks, blocks, float>(m, mk, kn);
      check_product<"km,kn->mn", blocks, crossed, blocks>(m, km, kn);
      check_product<"mk,nk->nm", crossed, blocks, crossed>(m, mk, nk);
      check_product<"km,nk->mn", whole, crossed, crossed>(m, km, nk);
      check_product<"mk,kn->mn", fine_rows, fine_rows, fine_rows>(m, mk, kn);
      check_product<"mk,kn->mn", fine_columns, fine_columns, fine_columns>(m, mk, kn);
      check_product<"mk,kn->mn", rows, rows, rows>(m, mk, kn);
      check_product<"mk,kn->mn", layout<cyclic("x", 2), "y">, layout<cyclic("x", 2), "y">, blocks>(m, mk, kn);
      check_product<"mk,kn->mn", blocks, cyclic_blocks, blocks>(m, mk, kn);
    }
    // Square matrices: the result alone takes memory, if all ranks are on one node and read each other's memory.
    check_memory_of_square<blocks>(m, shape::of(1040, 1040));
    // Block-cyclic matrices, too, if their blocks have many terms, or both operands have a block on the same rank.
    int const p = m.sizes().size[0], q = m.sizes().size[1];
    if (12 % p == 0 && 12 % q == 0)
      check_memory_of_square<layout<cyclic("x", 128), cyclic("y", 128)>>(m, shape::of(12 * 128, 12 * 128));
    if (p == q) check_memory_of_square<layout<cyclic("x", 8), cyclic("y", 8)>>(m, shape::of(1536, 1536));
    // And batches.
    check_memory_of_square<layout<none, "x", "y">>(m, shape::of(2, 1040, 1040));
  });
}

// Operands that are gathered along the summed label alone, to the layouts ToA and ToB. `gathered` counts the products of
// whole gathered operands.
template <equation E, class ToA, class ToB, class A, class B>
auto product_of_gathered(A const& a, B const& b, int& gathered) {
  using gathered_type = decltype(einsum<E>(redistribute<ToA>(a), redistribute<ToB>(b)));
  using T = element_t<A>;
  auto const& m = a.mesh();
  auto const value = []<class L>(L*) { return tensor_detail::tensor_on<T, L, xy_grid>::layout; };
  auto const route = [&](auto const& x, layout_value const& to) {
    return tensor_detail::route_of_tensor(std::remove_cvref_t<decltype(x)>::layout, to, x.extents(), m.sizes(),
                                          static_cast<index_t>(sizeof(T)), ops_detail::axes_with_ranks<xy_grid>, {});
  };
  auto const of_a = route(a, value(static_cast<ToA*>(nullptr))), of_b = route(b, value(static_cast<ToB*>(nullptr)));
  using space = typename A::execution_space;
  using operand = tensor_detail::routed_operand<T, space, xy_grid>;
  shape const extents = ops_detail::einsum_op<E>::extents({}, a.extents(), b.extents());
  tensor_detail::shard_of_product<T, space> to;
  if (tensor_detail::product_in_place<E>(operand{m, tensor_detail::stored(a), a.extents(), of_a},
                                         operand{m, tensor_detail::stored(b), b.extents(), of_b}, extents,
                                         gathered_type::layout, to, call_site::current()))
    return gathered_type(m, extents, to.c.owner, to.c.offset);
  ++gathered;
  return einsum<E>(redistribute<ToA>(a), redistribute<ToB>(b));
}

template <equation E, class La, class ToA, class Lb, class ToB, class T = double>
void check_panels(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  int gathered = 0;
  auto const c = product_of_gathered<E, ToA, ToB>(a, b, gathered);
  check<layout_t<decltype(c)>>(c, sum_of_products(q, value_of(a), value_of(b)));
  // Blocks of 128 terms and more are not gathered, unless no rank lacks any. A device gathers them all.
  index_t const p = m.sizes().size[0], r = m.sizes().size[1];
  if (host_reads_tensors && p > 1 && r > 1) CHECK(gathered == 0);
}

// Operands arrive in 1, 2 or 8 panels, or are read in place. The ranks' numbers of rows, terms and columns differ. More than
// 4 ranks take all numbers of panels for one pair of layouts, and 2 panels for the others, unless $ASHLAR_EXHAUSTIVE is set.
TEST_CASE("matmul: terms in panels") {
  bool const all = world_size() <= 4 || std::getenv("ASHLAR_EXHAUSTIVE") != nullptr;
  on_every_mesh([&](auto const& m) {
    int const most = std::max(m.sizes().size[0], m.sizes().size[1]);
    int const two_panels = 517 * most + 1;
    for (index_t k : {130 * m.size(), two_panels, 2050 * most - 1}) {
      shape const mk = shape::of(7, k), km = shape::of(k, 7), kn = shape::of(k, 5), nk = shape::of(5, k);
      check_panels<"mk,kn->mn", blocks, rows, blocks, columns>(m, mk, kn);
      if (!all && k != two_panels) continue;
      check_panels<"mk,kn->nm", blocks, rows, blocks, columns, float>(m, mk, kn);
      check_panels<"km,kn->mn", crossed, layout<none, "x">, blocks, columns>(m, km, kn);
      check_panels<"mk,nk->mn", blocks, rows, crossed, layout<"y", none>, float>(m, mk, nk);
      check_panels<"km,nk->nm", crossed, layout<none, "x">, crossed, layout<"y", none>>(m, km, nk);
      check_panels<"mk,kn->mn", blocks, rows, columns, columns>(m, mk, kn);
      check_panels<"mk,kn->mn", rows, rows, blocks, columns>(m, mk, kn);
      check_panels<"mk,kn->mn", layout<none, axes("x", "y")>, whole, whole, whole>(m, mk, kn);
      check_panels<"mk,kn->mn", layout<cyclic("x", 2), "y">, layout<cyclic("x", 2), none>, blocks, columns>(m, mk, kn);
      // Terms in blocks, in both operands alike, in one of them, and in one where the other has all terms.
      using large = layout<cyclic("x", 130), cyclic("y", 130)>;
      check_panels<"mk,kn->mn", large, layout<cyclic("x", 130), none>, large, layout<none, cyclic("y", 130)>>(m, mk,
                                                                                                              kn);
      check_panels<"km,kn->nm", layout<cyclic("y", 300), "x">, layout<none, "x">, blocks, columns>(m, km, kn);
      check_panels<"km,kn->nm", layout<cyclic("y", 150), "x">, layout<none, "x">, columns, columns>(m, km, kn);
      if (m.sizes().size[0] == m.sizes().size[1])
        check_panels<"mk,kn->mn", cyclic_squares, layout<cyclic("x", 3), none>, cyclic_squares,
                     layout<none, cyclic("y", 3)>>(m, mk, kn);
    }
    // Batches of matrices, and rows of two labels. A rank has unequal, and no, parts of them.
    using batch = layout<none, "x", "y">;
    using lines = layout<"x", none, "y">;
    for (index_t k : {130 * m.size(), two_panels}) {
      check_panels<"bmk,bkn->bmn", batch, layout<none, "x", none>, batch, layout<none, none, "y">>(
          m, shape::of(2, 3, k), shape::of(2, k, 5));
      check_panels<"mbk,kbn->nbm", lines, layout<"x", none, none>, lines, layout<none, none, "y">, float>(
          m, shape::of(3, 2, k), shape::of(k, 2, 5));
      check_panels<"bkm,nbk->bnm", layout<none, "y", "x">, layout<none, none, "x">, layout<"y", none, "x">,
                   layout<"y", none, none>>(m, shape::of(2, k, 3), shape::of(5, 2, k));
      check_panels<"bmk,kn->bmn", lines, layout<"x", none, none>, blocks, columns>(m, shape::of(3, 2, k),
                                                                                   shape::of(k, 5));
      check_panels<"km,kbcd->mbcd", crossed, layout<none, "x">, layout<"x", "y", none, none>,
                   layout<none, "y", none, none>>(m, shape::of(k, 3), shape::of(k, 5, 2, 1));
    }
    // Both operands are gathered over one axis: one after the other.
    auto const a = numbers<layout<none, "x">, double>(m, shape::of(3, 300 * most));
    auto const b = numbers<layout<"x", none>, double>(m, shape::of(300 * most, 2));
    int gathered = 0;
    auto const c = product_of_gathered<"mk,kn->mn", whole, whole>(a, b, gathered);
    check<whole>(c, sum_of_products("mk", "kn", "mn", value_of(a), value_of(b)));
    // The same ranks under the names of other axes, where an axis has size 1.
    auto const over_both = numbers<layout<none, axes("x", "y")>, double>(m, shape::of(3, 300 * most));
    auto const d = product_of_gathered<"mk,kn->mn", whole, whole>(over_both, b, gathered);
    check<whole>(d, sum_of_products("mk", "kn", "mn", value_of(over_both), value_of(b)));
    shape const none_of_a = shape::of(0, 640), few_of_b = shape::of(640, 1);  // empty shards
    if (most <= 4) check_panels<"mk,kn->mn", blocks, rows, blocks, columns>(m, none_of_a, few_of_b);
  });
}

TEST_CASE("matmul: complex terms in panels") {
  on_every_mesh([](auto const& m) {
    using C = Kokkos::complex<double>;
    index_t const k = 520 * std::max(m.sizes().size[0], m.sizes().size[1]), count = 3;
    auto const number = [](index_t g, int s) { return C(small_number(g, s), small_number(g, s + 1)); };
    auto const a = tensor_of<C, blocks>(m, shape::of(count, k), [&](index_t g, int) { return number(g, 0); });
    auto const b = tensor_of<C, blocks>(m, shape::of(k, count), [&](index_t g, int) { return number(g, 5); });
    std::vector<C> expected;
    for (index_t i = 0; i < count; ++i)
      for (index_t j = 0; j < count; ++j) {
        C sum = 0;
        for (index_t t = 0; t < k; ++t) sum += number(i * k + t, 0) * number(t * count + j, 5);
        expected.push_back(sum);
      }
    int gathered = 0;
    CHECK(denotes(product_of_gathered<"mk,kn->mn", rows, columns>(a, b, gathered), expected));
  });
}

// 2048 terms per rank are 8 panels. A rank holds the result and two panels of each operand, whatever the transport.
TEST_CASE("matmul: the memory for panels is a quarter of the gathered operands, and the ledger counts the gathers") {
  ASHLAR_NEEDS(host_reads_tensors);
  on_every_mesh([](auto const& m) {
    index_t const k = 2048 * std::max(m.sizes().size[0], m.sizes().size[1]), rows_of_a = 8, columns_of_b = 9;
    auto const a = numbers<blocks, double>(m, shape::of(rows_of_a, k));
    auto const b = numbers<blocks, double>(m, shape::of(k, columns_of_b));
    if (m.sizes().size[0] == 1 && m.sizes().size[1] == 1) return;  // nothing travels
    (void)a.data(), (void)b.data();
    pool::reset_peak();
    std::size_t const used = pool::in_use();
    int gathered = 0;
    recorder<xy_grid> notes;
    m.record(&notes);
    auto const c = product_of_gathered<"mk,kn->mn", rows, columns>(a, b, gathered);
    m.record(nullptr);
    CHECK(gathered == 0);
    // The same calls and bytes as the dry run of two all_gathers.
    auto const planned = dry_run(m.shape(), [&](auto const& dry) {
      (void)all_gather<"y">(make<double, blocks>(dry, {rows_of_a, k}));
      (void)all_gather<"x">(make<double, blocks>(dry, {k, columns_of_b}));
    });
    CHECK(notes.log.count() == planned.count());
    CHECK(notes.log.bytes_per_rank() == planned.bytes_per_rank());
    index_t const both = k * (c.local_extents()[0] + c.local_extents()[1]);
    CHECK(pool::peak() - used <= static_cast<std::size_t>(c.local_size() + both / 4) * sizeof(double) + 4096);
    check<blocks>(c, sum_of_products("mk", "kn", "mn", value_of(a), value_of(b)));
  });
}

void check_equal_collectives(auto const& recorded, auto const& planned) {
  for (collective c : {collective::all_gather, collective::all_reduce, collective::reduce_scatter,
                       collective::all_to_all, collective::permute, collective::exchange})
    CHECK(recorded.count(c) == planned.count(c));
}
auto recorded(device_mesh<xy_grid> const& m, auto const& program) {
  recorder<xy_grid> notes;
  m.record(&notes);
  program();
  m.record(nullptr);
  return notes.log;
}

// Real ranks choose among layouts that are values, a dry run among types.
template <class To, class La, class Lb>
void check_ledger(device_mesh<xy_grid> const& m, shape const& e) {
  auto const product = [](auto const& a, auto const& b) { return matmul(a, b, to_layout<To>); };
  auto const a = numbers<La, double>(m, shape::of(e[0], e[1]));
  auto const b = numbers<Lb, double>(m, shape::of(e[1], e[2]));
  auto const found = recorded(m, [&] { (void)product(a, b); });
  auto const planned = dry_run(m.shape(), [&](auto const& dry) {
    (void)product(make<double, La>(dry, {e[0], e[1]}), make<double, Lb>(dry, {e[1], e[2]}));
  });
  CHECK(found.bytes_per_rank() == planned.bytes_per_rank());
  check_equal_collectives(found, planned);
}

TEST_CASE("matmul: real ranks perform the collectives of the dry run, for more extents than are remembered") {
  on_every_mesh([](auto const& m) {
    for (int round = 0; round < 2; ++round)
      for (index_t n : {1, 2, 3, 5, 8, 12, 13, 20, 21, 31, 48, 64, 65, 99, 128, 200, 300}) {
        check_ledger<blocks, blocks, blocks>(m, shape::of(n, 2 * n, 7));
        check_ledger<whole, terms_of_rows, blocks>(m, shape::of(12, n, n));
        check_ledger<fine_rows, columns, cyclic_blocks>(m, shape::of(n, 12, n));
        check_ledger<crossed, rows, fine_columns>(m, shape::of(7, n, 400 - n));
        check_ledger<terms, blocks, whole>(m, shape::of(n, n, n));
      }
  });
}

// Static extents and types share what a program remembers of products of the same layouts and extents.
TEST_CASE("matmul by types: the collectives of a dry run with other extents, forward and backward") {
  on_every_mesh([](auto const& m) {
    auto const loss = [](auto const& a, auto const& b) {
      return all_reduce(sum(matmul(a, b, to_layout<blocks>.by_types())));
    };
    auto const planned = dry_run(m.shape(), [&](auto const& dry) {
      (void)value_and_grad<"x">(loss)(make<double, blocks>(dry, {30, 31}), make<double, crossed>(dry, {31, 32}));
    });
    CHECK(!planned.depends_on_extents());
    for (shape const& e : {shape::of(400, 5, 400), shape::of(3, 500, 300), shape::of(64, 64, 64), shape::of(2, 0, 3)}) {
      auto const a = numbers<blocks, double>(m, shape::of(e[0], e[1]));
      auto const b = numbers<crossed, double>(m, shape::of(e[1], e[2]));
      (void)matmul(a, b, to_layout<blocks>);
      if (e[0] == 64) (void)matmul(fix_extents<64, 64>(a), fix_extents<64, 64>(b), to_layout<blocks>);
      check<blocks>(matmul(a, b, to_layout<blocks>.by_types()),
                    sum_of_products("mk", "kn", "mn", value_of(a), value_of(b)));
      check_equal_collectives(recorded(m, [&] { (void)value_and_grad<"x">(loss)(a, b); }), planned);
    }
  });
}

TEST_CASE("matmul: static extents give a result of static extents") {
  on_every_mesh([](auto const& m) {
    auto const a = fix_extents<6, 9>(numbers<blocks, double>(m, shape::of(6, 9)));
    auto const b = fix_extents<9, 5>(numbers<crossed, double>(m, shape::of(9, 5)));
    auto const c = matmul(a, b, to_layout<blocks>);
    static_assert(static_extents_v<decltype(c)> == shape::of(6, 5));
    check<blocks>(c, sum_of_products("mk", "kn", "mn", value_of(a), value_of(b)));
  });
}

// Routes of one product in a program, with the static extents of each call.
TEST_CASE("matmul: static extents have the routes that are the best for them, whatever was multiplied before") {
  using known = mesh<axis<"x", 2>, axis<"y", 4>>;
  using context = ops_detail::mesh_context<known, blocks>;
  auto const problem = [](shape const& a, shape const& b) {
    layout_value const v = ops_detail::value_v<context, blocks>;
    ops_detail::product_problem p{{layout_detail::parse("mk,kn->mn"), v, v, v},
                                  plan_detail::element_cost_of<double>,
                                  ops_detail::likely_sizes<known>,
                                  ops_detail::axes_with_ranks<known>,
                                  a.rank > 0,
                                  a,
                                  b};
    p.task.axes = p.helpers;
    p.task.links = ops_detail::complete_links<known>();
    return p;
  };
  tensor_detail::product_routes shared;
  std::vector<layout_value> found;
  for (shape const& e : {shape::of(64, 64, 64), shape::of(4096, 8, 4096), shape::of(8, 65536, 8)}) {
    shape const a = shape::of(e[0], e[1]), b = shape::of(e[1], e[2]);
    for (bool is_static : {true, false, true}) {
      auto const p = is_static ? problem(a, b) : problem({}, {});
      tensor_detail::product_route const r = shared.of(p, a, b, p.likely);
      tensor_detail::product_routes alone;
      tensor_detail::product_route const expected = alone.of(p, a, b, p.likely);
      CHECK(r.a.to == expected.a.to);
      CHECK(r.b.to == expected.b.to);
      CHECK(r.result.from == expected.result.from);
      found.push_back(expected.a.to);
    }
  }
  CHECK(!(found.front() == found.back()));  // these products have different routes
}

TEST_CASE("matmul: extents that do not fit throw on every rank, before anything is sent") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<blocks, double>(m, shape::of(4, 5));
    CHECK_THROWS_WITH((void)matmul(a, a, to_layout<blocks>),
                      doctest::Contains("a label has different extents in the two operands"));
    CHECK_THROWS_WITH((void)matmul(a, a, to_layout<blocks>), doctest::Contains("called at matmul.cpp:"));
  });
}

TEST_CASE("matmul: ranks that call another collective throw, and so do those that multiply") {
  if (world_size() == 1) return;  // one rank meets no other
  int const sizes[]{1, world_size()};
  {
    device_mesh<xy_grid> const m(MPI_COMM_WORLD, sizes);
    index_t const k = 200 * world_size();
    auto const a = numbers<columns, double>(m, shape::of(3, k));
    auto const b = numbers<columns, double>(m, shape::of(k, 5));
    auto const call = [&] {
      if (m.rank() == 0)
        (void)all_gather<"y">(b);
      else
        (void)matmul(a, b, to_layout<columns>);
    };
    CHECK_THROWS_WITH_AS(call(), doctest::Contains("the ranks do not call the same"), error);
  }
  auto const a = numbers<columns, double>(device_mesh<xy_grid>(MPI_COMM_WORLD, sizes), shape::of(4, 4));
  check<columns>(matmul(a, a, to_layout<columns>), sum_of_products("mk", "kn", "mn", value_of(a), value_of(a)));
}

// Rank 0 gathers the operand at once. Other ranks may have the panels of one operand under way when the other one fails.
TEST_CASE("matmul: every rank throws if one rank gathers an operand at once and the others take panels") {
  ASHLAR_NEEDS(host_reads_tensors);
  on_every_mesh([](auto const& m) {
    if (m.sizes().size[1] == 1) return;  // rank 0 would gather nothing
    index_t const k = 600 * m.size();
    auto const a = numbers<blocks, double>(m, shape::of(8, k));
    auto const b = numbers<blocks, double>(m, shape::of(k, 8));
    int gathered = 0;
    auto const call = [&] {
      if (m.rank() == 0)
        (void)all_gather<"y">(a);
      else
        (void)product_of_gathered<"mk,kn->mn", rows, columns>(a, b, gathered);
    };
    CHECK_THROWS_AS(call(), error);
  });
}

// Products of tensors in any layouts against loops over all values of all labels. Operands are sharded in two
// dimensions, in unequal and empty parts, block-cyclic and partial; with batches, transposed, and of complex numbers.
#include "ashlar/kernels/einsum.hpp"
#include "ashlar/ops/matmul.hpp"
#include "operations.hpp"
#include "support/host_memory.hpp"

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
using cyclic_rows = layout<cyclic(axes("x", "y"), 1), none>;
using terms = partial<whole, axes("x", "y")>;
using terms_of_rows = partial<layout<"y", none>, "x">;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
using maxima = partial<columns, "x", op::max>;

template <equation E, class To, class La, class Lb, class T = double>
void check_product(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb) {
  constexpr layout_detail::einsum_equation q = layout_detail::parse(E);
  auto labels = [](auto const& l) { return std::string(l.label, static_cast<std::size_t>(l.rank)); };
  auto const a = numbers<La, T>(m, ea);
  auto const b = numbers<Lb, T>(m, eb);
  check<To>(einsum_to<E, To>(a, b),
            sum_of_products(labels(q.in[0]), labels(q.in[1]), labels(q.out), value_of(a), value_of(b)));
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

TEST_CASE("einsum_to: transposed operands, batches, vectors and sums over one operand's label") {
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
    check<layout<"y", "x", none>>(matmul<layout<"y", "x", none>>(a, b),
                                  sum_of_products("mk", "akn", "amn", value_of(a), value_of(b)));
    check<layout<"y">>(matmul<layout<"y">>(a, v), sum_of_products("mk", "k", "m", value_of(a), value_of(v)));
    auto const w = numbers<layout<"y">, double>(m, shape::of(5));
    check<layout<"x">>(matmul<layout<"x">>(w, a), sum_of_products("m", "mk", "k", value_of(w), value_of(a)));
    check<layout<>>(matmul<layout<>>(v, v), sum_of_products("k", "k", "", value_of(v), value_of(v)));
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
      CHECK(denotes(matmul<crossed>(a, b), expected));
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
    index_t const n = 1040;
    auto const a = numbers<blocks, double>(m, shape::of(n, n));
    (void)a.data();
    bool const reads = host_reads_tensors && m.communicator().state().node != nullptr;
    pool::reset_peak();
    std::size_t const used = pool::in_use();
    auto const c = matmul<blocks>(a, a);
    (void)c.data();
    if (reads) CHECK(pool::peak() - used < static_cast<std::size_t>(c.local_size()) * sizeof(double) + 65536);
  });
}

TEST_CASE("matmul: static extents give a result of static extents") {
  on_every_mesh([](auto const& m) {
    auto const a = fix_extents<6, 9>(numbers<blocks, double>(m, shape::of(6, 9)));
    auto const b = fix_extents<9, 5>(numbers<crossed, double>(m, shape::of(9, 5)));
    auto const c = matmul<blocks>(a, b);
    static_assert(static_extents_v<decltype(c)> == shape::of(6, 5));
    check<blocks>(c, sum_of_products("mk", "kn", "mn", value_of(a), value_of(b)));
  });
}

TEST_CASE("matmul: extents that do not fit throw on every rank, before anything is sent") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<blocks, double>(m, shape::of(4, 5));
    CHECK_THROWS_WITH((void)matmul<blocks>(a, a),
                      doctest::Contains("a label has different extents in the two operands"));
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
        (void)matmul<columns>(a, b);
    };
    CHECK_THROWS_WITH_AS(call(), doctest::Contains("the ranks do not call the same"), error);
  }
  auto const a = numbers<columns, double>(device_mesh<xy_grid>(MPI_COMM_WORLD, sizes), shape::of(4, 4));
  check<columns>(matmul<columns>(a, a), sum_of_products("mk", "kn", "mn", value_of(a), value_of(a)));
}

// Products added to tensors in place, against loops over all values of all labels.
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/ops/products/matmul_into.hpp"
#include "ashlar/ops/products/transpose.hpp"
#include "ashlar/tensor/item.hpp"
#include "mpi/ops/operations.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using whole = layout<none, none>;
using rows = layout<"x", none>;
using columns = layout<none, "y">;
using blocks = layout<"x", "y">;
using crossed = layout<"y", "x">;
using cyclic_blocks = layout<cyclic("x", 2), cyclic("y", 3)>;
using terms = partial<whole, axes("x", "y")>;
using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;

dense_array sum_of(dense_array c, double alpha, dense_array const& product) {
  for (std::size_t i = 0; i < c.element.size(); ++i) c.element[i] += alpha * product.element[i];
  return c;
}

template <class Lc, class La, class Lb>
void check_matrices(device_mesh<xy_grid> const& m) {
  index_t const p = world_size();
  for (shape const& e : {shape::of(p, 2 * p, p), shape::of(13, 7, 11), shape::of(1, 17, 2), shape::of(3, 0, 2)}) {
    auto const a = numbers<La, double>(m, shape::of(e[0], e[1]));
    auto const b = numbers<Lb, double>(m, shape::of(e[1], e[2]));
    auto c = numbers<Lc, double>(m, shape::of(e[0], e[2]));
    dense_array const before = value_of(c);
    auto const product = sum_of_products("mk", "kn", "mn", value_of(a), value_of(b));
    auto const kept = c;
    matmul_into(c, -2., a, b);
    check<Lc>(c, sum_of(before, -2., product));
    check<Lc>(kept, before);
    matmul_into(c, 3., a, b);
    check<Lc>(c, sum_of(before, 1., product));
  }
}

}  // namespace

TEST_CASE("matmul_into: layouts that fit, and layouts that are redistributed") {
  on_every_mesh([](auto const& m) {
    check_matrices<blocks, rows, columns>(m);
    check_matrices<blocks, blocks, blocks>(m);
    check_matrices<crossed, cyclic_blocks, blocks>(m);
    check_matrices<cyclic_blocks, rows, crossed>(m);
    check_matrices<whole, columns, rows>(m);
    check_matrices<terms, blocks, crossed>(m);
    check_matrices<rows, terms, blocks>(m);
  });
}

TEST_CASE("matmul_into: BLAS adds to the memory of the tensor") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<rows, double>(m, shape::of(13, 7));
    auto const b = numbers<columns, double>(m, shape::of(7, 11));
    auto c = numbers<blocks, double>(m, shape::of(13, 11));
    double const* const memory = c.data();
    pool::reset_peak();
    std::size_t const used = pool::in_use();
    matmul_into(c, 2., a, b);
    CHECK(pool::peak() == used);
    CHECK(c.data() == memory);
  });
}

// Small whole numbers, so that all sums are exact.
TEST_CASE("matmul_into: many terms, which are read in place or come in panels, and the memory that this saves") {
  on_every_mesh([](auto const& m) {
    index_t const n = 1040;
    auto const a = numbers<blocks, double>(m, shape::of(n, n));
    auto c = numbers<blocks, double>(m, shape::of(n, n));
    auto expected = c;
    expected -= 0.5 * matmul(a, a, to_layout<blocks>);
    double const* const memory = c.data();
    bool const reads = host_reads_tensors && m.communicator().state().node != nullptr;
    pool::reset_peak();
    std::size_t const used = pool::in_use();
    matmul_into(c, -0.5, a, a);
    if (reads) CHECK(pool::peak() - used < 65536);
    CHECK(c.data() == memory);
    CHECK(item(all_reduce(max(abs(c - expected)))) == 0);
    auto const wide = numbers<blocks, double>(m, shape::of(5, 700 * m.size()));
    auto const tall = numbers<blocks, double>(m, shape::of(700 * m.size(), 5));
    auto square = numbers<whole, double>(m, shape::of(5, 5));
    dense_array const before = value_of(square);
    matmul_into(square, 2., wide, tall);
    check<whole>(square, sum_of(before, 2., sum_of_products("mk", "kn", "mn", value_of(wide), value_of(tall))));
  });
}

TEST_CASE("matmul_into: a tensor that is an operand, too, and expressions as operands") {
  on_every_mesh([](auto const& m) {
    auto c = numbers<blocks, double>(m, shape::of(5, 5));
    dense_array const before = value_of(c);
    auto const square = sum_of_products("mk", "kn", "mn", before, before);
    auto const twice = c + c;
    matmul_into(c, 1., c, c);
    check<blocks>(c, sum_of(before, 1., square));
    check<blocks>(twice, sum_of(before, 1., before));
    auto y = numbers<whole, double>(m, shape::of(5, 5));
    auto const x = y;
    matmul_into(y, 0.5, y + x, x);
    check<whole>(y, sum_of(before, 1., square));
  });
}

TEST_CASE("matmul_into: batches, vectors and scalars") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<layout<"x", "y", none>, double>(m, shape::of(3, 5, 4));
    auto const b = numbers<blocks, double>(m, shape::of(4, 6));
    auto const v = numbers<layout<"x">, double>(m, shape::of(4));
    auto c = numbers<layout<"x", none, "y">, double>(m, shape::of(3, 5, 6));
    auto u = numbers<layout<"y">, double>(m, shape::of(6));
    auto s = numbers<layout<>, double>(m, shape{});
    dense_array const c0 = value_of(c), u0 = value_of(u), s0 = value_of(s);
    matmul_into(c, 2., a, b);
    matmul_into(u, 2., v, b);
    matmul_into(s, 2., v, v);
    check<layout<"x", none, "y">>(c, sum_of(c0, 2., sum_of_products("amk", "kn", "amn", value_of(a), value_of(b))));
    check<layout<"y">>(u, sum_of(u0, 2., sum_of_products("k", "kn", "n", value_of(v), value_of(b))));
    check<layout<>>(s, sum_of(s0, 2., sum_of_products("k", "k", "", value_of(v), value_of(v))));
  });
}

TEST_CASE("matmul_into: extents that do not fit throw on every rank, and the tensor keeps its elements") {
  on_every_mesh([](auto const& m) {
    auto const a = numbers<blocks, double>(m, shape::of(4, 5));
    auto const b = numbers<blocks, double>(m, shape::of(5, 6));
    auto c = numbers<blocks, double>(m, shape::of(4, 7));
    CHECK_THROWS_WITH(matmul_into(c, 1., a, b), doctest::Contains("ashlar::matmul_into: the product has the extents"));
    CHECK_THROWS_WITH(matmul_into(c, 1., a, a), doctest::Contains("a label has different extents in the two operands"));
    check<blocks>(c, value_of(c));
  });
}

// Products of 64 x 64 elements, so that the kernel takes the routine for a matrix and its transpose.
TEST_CASE("einsum: a matrix times its transpose, in the same memory, is symmetric and right") {
  on_every_mesh([](auto const& m) {
    auto const x = numbers<layout<axes("x", "y"), none>, double>(m, shape::of(150, 40));
    auto const product = sum_of_products("ki", "kj", "ij", value_of(x), value_of(x));
    check<whole>(einsum<"ki,kj->ij">(x, x, to_layout<whole>), product);
    check<blocks>(einsum<"ki,kj->ij">(x, x, to_layout<blocks>), product);
    auto c = numbers<whole, double>(m, shape::of(40, 40));
    dense_array const before = value_of(c);
    matmul_into(c, 2., transpose<1, 0>(x), x);
    check<whole>(c, sum_of(before, 2., product));
  });
}

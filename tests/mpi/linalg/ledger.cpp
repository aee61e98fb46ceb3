// The ledgers of least squares, eigenvalues and singular values: one solver, and the redistributions that their pages name.
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "ashlar/linalg/svd.hpp"
#include "linalg_test.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

using tiles = layout<cyclic("p", 2), cyclic("q", 2)>;
using blocks = layout<"p", "q">;

// The collectives of a program on 2 x 2 ranks, and on the ranks of the test.
template <class Program>
constexpr auto on_four(Program const& program) {
  return dry_run(grid{{2, 2}}, program);
}
template <class Program>
void check_on_ranks(Program const& program) {
  on_every_grid([&](auto const& m) {
    recorder<grid> notes;
    m.record(&notes);
    program(m);
    m.record(nullptr);
    auto const expected = dry_run(grid{{m.sizes().size[0], m.sizes().size[1]}}, program);
    CHECK(notes.log.count() == expected.count());
    CHECK(notes.log.count(collective::solver) == (m.size() > 1 ? 1 : 0));
    CHECK(notes.log.bytes_per_rank() == expected.bytes_per_rank());
  });
}

// A dry run needs no elements.
constexpr auto matrix = []<class M>(M const& m, index_t rows, index_t columns) {
  if constexpr (std::is_same_v<M, device_mesh<grid>>)
    return generate<double, tiles>(m, {rows, columns}, hermitian<double>{20});
  else
    return make<double, tiles>(m, {rows, columns});
};

}  // namespace

TEST_CASE("eigh is one solver and one transpose of the vectors in the ledger") {
  constexpr auto program = [](auto const& m) { (void)linalg::eigh(matrix(m, 8, 8)); };
  constexpr auto transposed = [](auto const& m) {
    (void)transpose<1, 0>(make<double, tiles>(m, {8, 8}), to_layout<tiles>);
  };
  static_assert(on_four(program).count(collective::solver, axes("p", "q")) == 1);
  static_assert(on_four(program).count() == 2);
  static_assert(on_four(program).bytes_per_rank() == on_four(transposed).bytes_per_rank());
  static_assert(on_four(transposed).bytes_per_rank() > 0);
  check_on_ranks(program);
}

TEST_CASE("lstsq is one solver, and one transpose each of the right-hand sides and the result in the ledger") {
  constexpr auto program = [](auto const& m) { (void)linalg::lstsq(matrix(m, 12, 8), matrix(m, 12, 4)); };
  constexpr auto transposes = [](auto const& m) {
    (void)transpose<1, 0>(make<double, tiles>(m, {12, 4}), to_layout<tiles>);
    (void)transpose<1, 0>(make<double, tiles>(m, {4, 8}), to_layout<tiles>);
  };
  static_assert(on_four(program).count(collective::solver, axes("p", "q")) == 1);
  static_assert(on_four(program).count() == 3);
  static_assert(on_four(program).bytes_per_rank() == on_four(transposes).bytes_per_rank());
  static_assert(on_four(transposes).bytes_per_rank() > 0);
  check_on_ranks(program);
}

TEST_CASE("svd is one solver in the ledger, and a redistribution of a matrix in another layout") {
  constexpr auto program = [](auto const& m) { (void)linalg::svd(matrix(m, 8, 6)); };
  static_assert(on_four(program).count(collective::solver, axes("p", "q")) == 1);
  static_assert(on_four(program).count() == 1);
  static_assert(on_four(program).bytes_per_rank() == 0);
  check_on_ranks(program);
  constexpr auto of_blocks = [](auto const& m) { (void)linalg::svd(redistribute<blocks>(matrix(m, 9, 7))); };
  constexpr auto moved = [](auto const& m) {
    (void)redistribute<linalg::block_cyclic_t<blocks>>(redistribute<blocks>(make<double, tiles>(m, {9, 7})));
  };
  static_assert(on_four(of_blocks).count() == 1 + on_four(moved).count());
  static_assert(on_four(of_blocks).bytes_per_rank() == on_four(moved).bytes_per_rank());
  check_on_ranks(of_blocks);
}

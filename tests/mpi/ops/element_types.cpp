// Sums of integers and of masks on real ranks: the values and the types of NumPy.
#include "ashlar/blas.hpp"
#include "ashlar/kernels/kernels.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/item.hpp"
#include "support/mpi_main.hpp"
#include "mpi/ops/operations.hpp"
#include <limits>

using namespace ashlar;
using namespace ashlar::test;

namespace {

constexpr index_t rows = 7, columns = 5;

// Elements near the bounds of a type; of bool, two in three are true.
template <class T>
struct bounds {
  T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const { return (i + j) % 3 == 0 ? least : most; }
};

// Whether the elements of y, all reduced and gathered, are of type T and these.
template <class T, class Y>
bool holds(Y const& y, std::vector<T> const& elements) {
  static_assert(std::is_same_v<element_t<Y>, T>);
  return gather_all(all_reduce(y)) == elements;
}

// x: a tensor of `bounds`, or an expression of one. Sums are taken in 64 bits by plain loops, as np.sum(x, dtype=np.int64).
template <class T, class Sum, class X>
void check_sums(X const& x) {
  std::vector<Sum> along_rows(columns), along_columns(rows), running_rows, running_columns, row(columns);
  Sum total(0), squares(0);
  for (index_t i = 0; i < rows; ++i) {
    Sum column(0);
    for (index_t j = 0; j < columns; ++j) {
      auto const r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
      Sum const v = static_cast<Sum>(bounds<T>{}(i, j));
      total += v;
      if (sizeof(T) < 4) squares += v * v;
      along_rows[c] += v;
      along_columns[r] += v;
      running_columns.push_back(column += v);
      running_rows.push_back(along_rows[c]);
    }
  }
  CHECK(holds<Sum>(sum(x), {total}));
  CHECK(holds<Sum>(sum<0>(x), along_rows));
  CHECK(holds<Sum>(sum<1>(x, keep_dims), along_columns));
  CHECK(holds<Sum>(einsum<"ij->">(x), {total}));
  CHECK(holds<Sum>(einsum<"ij->j">(x), along_rows));
  CHECK(holds<Sum>(einsum<"ij->i">(x), along_columns));
  CHECK(holds<Sum>(cumsum<0>(x), running_rows));
  CHECK(holds<Sum>(cumsum<1>(x), running_columns));
  if (sizeof(T) < 4) CHECK(holds<Sum>(sum_of_squares(x), {squares}));
  CHECK(holds<T>(max<1>(x), std::vector<T>(rows, std::numeric_limits<T>::max())));
  static_assert(std::is_same_v<element_t<decltype(einsum<"ij->ji">(x))>, T>);
}

template <class T, class Sum, class L>
void check_type(device_mesh<xy_grid> const& m) {
  auto const x = generate<T, L>(m, {rows, columns}, bounds<T>{});
  check_sums<T, Sum>(x);
  check_sums<T, Sum>(maximum(x, x));  // reductions evaluate it in their kernel
}
template <class L>
void check_types(device_mesh<xy_grid> const& m) {
  check_type<bool, std::int64_t, L>(m);
  check_type<std::int8_t, std::int64_t, L>(m);
  check_type<std::uint8_t, std::uint64_t, L>(m);
  check_type<int, std::int64_t, L>(m);
}

}  // namespace

TEST_CASE("element types: sums of integers and masks have 64 bits, in every layout") {
  on_every_mesh([](auto const& m) {
    check_types<layout<none, none>>(m);
    check_types<layout<"x", none>>(m);
    check_types<layout<"y", "x">>(m);
  });
}

TEST_CASE("element types: sums that leave the type of their elements") {
  device_mesh<xy_grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  using L = layout<"x">;
  auto const number = [](auto const& y) { return item(all_reduce(y)); };
  CHECK(number(sum(full<std::int8_t, L>(m, {300}, 1))) == 300);
  CHECK(number(sum(full<std::uint8_t, L>(m, {6}, 200))) == 1200);
  CHECK(number(sum(full<int, L>(m, {4}, 2000000000))) == 8000000000);
  CHECK(number(sum(full<unsigned, L>(m, {3}, 4294967295u))) == 12884901885u);
  CHECK(number(sum(full<double, L>(m, {9}, 1.) > 0.)) == 9);
  CHECK(number(prod(full<std::int8_t, L>(m, {10}, 3))) == 59049);
  CHECK(number(prod(full<bool, L>(m, {3}, true))) == 1);
  CHECK(number(sum_of_squares(full<std::int8_t, L>(m, {2}, -100))) == 20000);
  CHECK(number(sum_of_squares(full<bool, L>(m, {5}, true))) == 5);
  CHECK(holds<std::uint64_t>(cumsum<0>(full<std::uint8_t, L>(m, {4}, 200)), {200, 400, 600, 800}));
  // A partial sum stays one, in the wider type.
  auto const terms = as_partial<"x">(full<std::int8_t, layout<none>>(m, {3}, 100));
  CHECK(number(sum(terms)) == 300);
  // Sums that a kernel takes of the elements that it writes.
  auto y = full<int, L>(m, {4}, 0);
  auto const total = assign_and_reduce(y, y + 2000000000, [](auto const& x) { return sum(x); });
  static_assert(std::is_same_v<element_t<decltype(total)>, std::int64_t>);
  CHECK(number(total) == 8000000000);
  // Of a tensor with a halo, the owned cells.
  auto const u = redistribute<layout<halo("x", 1)>>(full<std::int8_t, L>(m, {8 * world_size()}, 100));
  CHECK(number(sum(u)) == 800 * world_size());
}

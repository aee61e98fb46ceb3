// labels: messages
// slice, pad, shift, concatenate and paste in every layout against plain loops, and their derivatives.
#include "ashlar/tensor/tensor.hpp"
#include "support/adjoint.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Element (i, j) of a matrix, and `outside` beyond it.
struct matrix {
  shape extents;
  std::vector<double> element;
  double at(index_t i, index_t j, double outside) const {
    bool const inside = i >= 0 && j >= 0 && i < extents[0] && j < extents[1];
    return inside ? element[static_cast<std::size_t>(i * extents[1] + j)] : outside;
  }
};
// The matrix whose element (i, j) is element (i - di, j - dj) of another.
matrix moved(matrix const& x, shape const& extents, index_t di, index_t dj, double outside) {
  matrix y{extents, {}};
  for (index_t i = 0; i < extents[0]; ++i)
    for (index_t j = 0; j < extents[1]; ++j) y.element.push_back(x.at(i - di, j - dj, outside));
  return y;
}

template <class L>
matrix value_of(device_mesh<grid> const& m, shape const& e, L = {}) {
  return {e, denoted<double>(e, layout_value_v<grid, L>, m.sizes(), small_number)};
}
std::vector<shape> extents() {
  index_t const p = world_size();
  return {shape::of(7, 5), shape::of(2 * p, p + 1), shape::of(1, 3), shape::of(0, 4)};
}
template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) { f(device_mesh<grid>(MPI_COMM_WORLD, sizes)); });
}

template <class L, class To>
void check_values() {
  on_every_mesh([](device_mesh<grid> const& m) {
    for (shape const& e : extents()) {
      auto const x = tensor_of<double, L>(m, e, small_number);
      matrix const v = value_of<L>(m, e);
      CAPTURE(e[0]);
      for (index_t i : {e[0] / 3, e[0]})
        for (index_t const j : {index_t{1}}) {
          shape const box = shape::of(e[0] - i - (e[0] > i), e[1] - j - 1);
          CHECK(denotes(slice(x, {i, j}, {box[0], box[1]}), moved(v, box, -i, -j, 0).element));
          CHECK(denotes(slice<To>(x, {i, j}, {box[0], box[1]}), moved(v, box, -i, -j, 0).element));
          shape const more = shape::of(e[0] + i + 2, e[1] + 2 * j);
          CHECK(denotes(pad(x, {i, j}, {2, j}), moved(v, more, i, j, 0).element));
          CHECK(denotes(pad<To>(x, {i, j}, {2, j}), moved(v, more, i, j, 0).element));
        }
      for (index_t by : {-3, 0, 1, 13}) {
        CHECK(denotes(shift<0>(x, by), moved(v, e, by, 0, 0).element));
        CHECK(denotes(shift<1>(x, by), moved(v, e, 0, by, 0).element));
      }
    }
  });
}
// With numbers in place of zeros, and tensors in one.
template <class L, class Other>
void check_filled() {
  on_every_mesh([](device_mesh<grid> const& m) {
    for (shape const& e : extents()) {
      auto const x = tensor_of<double, L>(m, e, small_number);
      auto const half = shape::of((e[0] + 1) / 2, e[1]);
      auto const other = tensor_of<double, Other>(m, half, small_number);
      matrix const v = value_of<L>(m, e), w = value_of<Other>(m, half);
      CAPTURE(e[0]);
      if constexpr (!plan_detail::layout_is_partial<L>::value) {
        CHECK(denotes(pad(x, {1, 0}, {0, 3}, 7.), moved(v, shape::of(e[0] + 1, e[1] + 3), 1, 0, 7).element));
        CHECK(denotes(shift<0>(x, 2, 7.), moved(v, e, 2, 0, 7).element));
      }
      auto const rows = concatenate<0>(x, other, x);
      matrix all = moved(v, shape::of(2 * e[0] + half[0], e[1]), 0, 0, 0);
      for (index_t i = e[0]; i < all.extents[0]; ++i)
        for (index_t j = 0; j < e[1]; ++j)
          all.element[static_cast<std::size_t>(i * e[1] + j)] =
              i < e[0] + half[0] ? w.at(i - e[0], j, 0) : v.at(i - e[0] - half[0], j, 0);
      CHECK(denotes(rows, all.element));
      auto const columns = concatenate<1>(x, x);
      matrix twice = moved(v, shape::of(e[0], 2 * e[1]), 0, 0, 0);
      for (index_t i = 0; i < e[0]; ++i)
        for (index_t j = e[1]; j < 2 * e[1]; ++j)
          twice.element[static_cast<std::size_t>(i * 2 * e[1] + j)] = v.at(i, j - e[1], 0);
      CHECK(denotes(columns, twice.element));

      index_t const at = e[0] - half[0];
      matrix pasted = v;
      for (index_t i = 0; i < half[0]; ++i)
        for (index_t j = 0; j < e[1]; ++j)
          pasted.element[static_cast<std::size_t>((at + i) * e[1] + j)] = w.at(i, j, 0);
      CHECK(denotes(paste(x, {at, 0}, other), pasted.element));
      CHECK(denotes(x, v.element));
    }
  });
}

void check_some_layouts() {
  check_values<layout<"data", "model">, layout<"model", "data">>();
  check_values<layout<cyclic("data", 2), "model">, layout<"data", cyclic("model", 3)>>();
  check_filled<layout<"data", none>, layout<none, "model">>();
  check_filled<partial<layout<"data", none>, "model">, partial<layout<none, "data">, "model">>();
}
void check_layouts() {
  check_some_layouts();
  check_values<layout<"data", none>, layout<none, "data">>();
  check_values<layout<none, "model">, layout<none, none>>();
  check_values<layout<none, none>, layout<axes("model", "data"), none>>();
  check_values<layout<cyclic(axes("data", "model"), 1), none>, layout<cyclic("data", 2), cyclic("model", 1)>>();
  check_values<partial<layout<"data", none>, "model">, partial<layout<none, "data">, "model">>();
  check_filled<layout<"data", "model">, layout<none, none>>();
  check_filled<layout<cyclic("data", 2), none>, layout<"model", "data">>();
}

}  // namespace

TEST_CASE("slice: boxes of every layout against loops") { check_layouts(); }

TEST_CASE("slice: the same by messages, and with operands read in place") {
  {
    messages_of_mpi const scope;
    check_some_layouts();
  }
  operands_in_place const scope;
  check_some_layouts();
}

TEST_CASE("slice: derivatives are boxes that move back") {
  for (shape const& e : {shape::of(7, 5), shape::of(2 * world_size() + 2, world_size() + 3)}) {
    index_t const n = e[0] / 2;
    auto const cut = [n](auto const& x) { return slice(x, {n, 1}, {2, 3}); };
    auto const longer = [](auto const& x) { return pad(x, {1, 0}, {2, 1}); };
    auto const later = [](auto const& x) { return shift<0>(x, 2); };
    check_linear<"data">(cut, operand<layout<none, "data">>{e});
    check_linear<"data">(cut, operand<partial<layout<"model", none>, "data">>{e});
    check_linear<"model">(cut, operand<layout<"data", none>>{e});
    check_linear<"data">(longer, operand<layout<"data", "model">>{e});
    check_linear<"data">(longer, operand<layout<cyclic("data", 2), none>>{e});
    check_linear<"model">(later, operand<layout<"data", none>>{e});
    check_linear<"model">(later, operand<layout<axes("data", "model"), none>>{e});
    // The result is sharded otherwise than the operand.
    check_linear<"model">(
        [](auto const& x) {
          return pad<layout<none, "data">>(x, {1, 1}, {1, 1});
        },
        operand<layout<"data", none>>{e});
    check_linear<axes("data", "model")>(
        [](auto const& x) {
          return slice<layout<"data", none>>(x, {1, 1}, {3, 2});
        },
        operand<layout<none, none>>{e});
    check_linear<axes("data", "model")>(
        [](auto const& x) {
          return slice<layout<none, none>>(x, {1, 1}, {3, 2});
        },
        operand<layout<"data", "model">>{e});
  }
}

TEST_CASE("slice: derivatives of tensors made of several") {
  for (shape const& e : {shape::of(7, 5), shape::of(2 * world_size() + 2, world_size() + 3)}) {
    shape const half = shape::of(e[0] / 2, e[1]);
    auto const both = [](auto const& x, auto const& y) { return concatenate<0>(x, y); };
    check_linear<"data">(both, operand<layout<none, "data">>{e}, operand<layout<none, "data">>{half});
    check_linear<"model">(both, operand<layout<"data", none>>{e}, operand<layout<"data", none>>{half});
    check_linear<"data">(both, operand<layout<"data", "model">>{e}, operand<layout<"model", "data">>{half});
    auto const over = [](auto const& x, auto const& y) { return paste(x, {1, 0}, y); };
    check_linear<"data">(over, operand<layout<none, "data">>{e}, operand<layout<none, "data">>{half});
    check_linear<"data">(over, operand<layout<"data", "model">>{e}, operand<layout<"model", "data">>{half});
    check_linear<"model">(over, operand<layout<cyclic("data", 2), none>>{e}, operand<layout<"data", none>>{half});
  }
}

TEST_CASE("slice: errors name both extents") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = make<float, layout<"data", none>>(m, {6, 4});
  CHECK(said([&] {
          (void)slice(x, {3, 0}, {4, 4});
        }).substr(0, 101) ==
        "ashlar::slice: the box, which begins at the first list, is within the tensor; found (3, 0) and (6, 4)");
  CHECK(said([&] {
          (void)pad(x, {0, -1}, {0, 0});
        }).substr(0, 50) == "ashlar::pad: the numbers of elements are 0 or more");
  CHECK(said([&] {
          (void)concatenate<0>(x, make<float, layout<"data", none>>(m, {6, 5}));
        }).substr(0, 60) == "ashlar::concatenate: the operands have equal extents in the ");
  CHECK(said([&] { (void)paste(x, {1, 0}, x); }).substr(0, 40) == "ashlar::paste: the box of these extents ");
}

namespace {
// Bytes of the rank that receives most: the elements that its new shard lacks.
template <class F>
constexpr auto ledger_of(F f) {
  return dry_run(grid{{4, 2}}, [=](auto const& h) { f(make<float, layout<"data", "model">>(h, {16, 8})); });
}
constexpr auto rows_shifted = ledger_of([](auto const& x) { (void)shift<0>(x, 1); });
static_assert(rows_shifted.count() == 1 && rows_shifted.count(collective::exchange, "data") == 1);
static_assert(rows_shifted.bytes_per_rank() == 1 * 4 * 4);
constexpr auto shifted_by_none = ledger_of([](auto const& x) { (void)shift<0>(x, 0); });
static_assert(shifted_by_none.count() == 0);
// The last rank has rows 12 to 15 and needs rows 11 to 13; rank 1 has rows 4 to 7 and needs 5 to 7.
constexpr auto rows_cut = ledger_of([](auto const& x) { (void)slice(x, {2, 0}, {12, 8}); });
static_assert(rows_cut.bytes_per_rank(collective::exchange, "data") == 1 * 4 * 4);
// Ranks along both axes exchange: rows and columns are cut anew.
constexpr auto both_cut = ledger_of([](auto const& x) { (void)slice(x, {2, 1}, {12, 6}); });
static_assert(both_cut.count(collective::exchange, axes("data", "model")) == 1);
// Appended columns of a dimension that no axis shards move nothing.
constexpr auto appended = dry_run(grid{{4, 2}}, [](auto const& h) {
  auto const x = make<float, layout<"data", none>>(h, {16, 8});
  (void)concatenate<1>(x, x);
  (void)pad(x, {0, 1}, {0, 2});
  (void)slice(x, {0, 1}, {16, 2});
  (void)slice<layout<"data", "model">>(x, {0, 1}, {16, 2});
});
static_assert(appended.count() == 0);
// The derivative moves the same elements back.
constexpr auto back = dry_run(grid{{4, 2}}, [](auto const& h) {
  (void)value_and_grad<"data">([](auto const& x) { return sum(square(shift<0>(x, 1))); })(
      make<float, layout<"data", none>>(h, {16, 8}));
});
static_assert(back.bytes_per_rank(pass::forward) == 8 * 4 && back.bytes_per_rank(pass::backward) == 8 * 4);
}  // namespace

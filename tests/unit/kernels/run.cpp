// labels: sanitizers
// Operations on one rank's shards, without tensors: their kernels are found by the operation and see where the shard is.
#include "ashlar/kernels/kernels.hpp"
#include "ashlar/kernels/math.hpp"
#include "support/device_array.hpp"
#include <doctest/doctest.h>
#include <cmath>

using namespace ashlar;
using namespace test;

namespace {

int scratch_arrays = 0;
constexpr kernels::scratch_memory counted_scratch([](std::size_t bytes) -> std::shared_ptr<void> {
  ++scratch_arrays;
  return {Kokkos::kokkos_malloc<space>(bytes), [](void* p) { Kokkos::kokkos_free<space>(p); }};
});

// A shard of elements on the host: a result, filled with a number that no kernel leaves there, or an operand.
template <class T>
struct array {
  device_array<T> elements;
  region owned;
  shape global;

  array(region const& r, shape const& g) : array(std::vector<T>(static_cast<std::size_t>(r.size()), T(-77)), r, g) {}
  array(std::vector<T> const& v, region const& r, shape const& g) : elements(to_device(v)), owned(r), global(g) {}
  kernels::shard<T> result() const { return {elements.data(), owned, global}; }
  kernels::shard<T const> operand() const { return {elements.data(), owned, global}; }
  std::vector<T> values() const { return to_host(elements); }
};

template <class... I>
region region_of(I... i) {
  region r;
  ((r.dim[r.rank++] = i), ...);
  return r;
}
std::vector<double> numbers(index_t n) {
  std::vector<double> v;
  for (index_t i = 0; i < n; ++i) v.push_back(std::sin(1. + 3. * static_cast<double>(i)));
  return v;
}
std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

void check(std::vector<double> const& found, std::vector<double> const& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("softmax of whole rows, and of rows up to their global position") {
  index_t const n = 6;
  region const rows =
      region_of(interval{0, 2}, interval{3, 5}, interval{0, n});  // positions 3 and 4 of 5, of two matrices
  array<double> const x(numbers(4 * n), rows, shape::of(2, 5, n)), y(rows, x.global), causal(rows, x.global);
  run(ops_detail::softmax_op{}, space(), new_scratch<>, y.result(), x.operand());
  run(ops_detail::causal_softmax_op{}, space(), new_scratch<>, causal.result(), x.operand());
  auto const in = numbers(4 * n);
  std::vector<double> whole, masked;
  for (index_t r = 0; r < 4; ++r) {
    index_t const seen = 3 + r % 2 + 1;
    double all = 0, some = 0;
    for (index_t j = 0; j < n; ++j) all += std::exp(in[at(r * n + j)]);
    for (index_t j = 0; j < seen; ++j) some += std::exp(in[at(r * n + j)]);
    for (index_t j = 0; j < n; ++j) whole.push_back(std::exp(in[at(r * n + j)]) / all);
    for (index_t j = 0; j < n; ++j) masked.push_back(j < seen ? std::exp(in[at(r * n + j)]) / some : 0);
  }
  check(y.values(), whole);
  check(causal.values(), masked);
}

TEST_CASE("a loss is the shard's term of the mean over all rows") {
  index_t const rows = 3, n = 4;
  std::vector<int> const labels{2, 0, 3};
  array<double> const logits(numbers(rows * n), region_of(interval{5, 8}, interval{0, n}), shape::of(12, n));
  array<int> const of_rows(labels, region_of(interval{5, 8}), shape::of(12));
  array<double> const loss(region{}, shape{}), hits(region{}, shape{});
  run(ops_detail::cross_entropy_op{}, space(), new_scratch<>, loss.result(), logits.operand(), of_rows.operand());
  scratch_arrays = 0;
  run(ops_detail::hits_op{}, space(), counted_scratch, hits.result(), logits.operand(), of_rows.operand());
  CHECK(scratch_arrays == 1);
  auto const x = numbers(rows * n);
  double expected = 0, right = 0;
  for (index_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (index_t j = 0; j < n; ++j) sum += std::exp(x[at(r * n + j)]);
    expected += std::log(sum) - x[at(r * n + labels[at(r)])];
    right += std::max_element(x.begin() + r * n, x.begin() + (r + 1) * n) - x.begin() == r * n + labels[at(r)];
  }
  check(loss.values(), {expected / 12});
  check(hits.values(), {right});
}

TEST_CASE("parts of a loss know the first class of their shard, and add up to the loss") {
  index_t const rows = 2, classes = 7, cut = 3;
  auto const x = numbers(rows * classes);
  std::vector<std::int64_t> const labels{1, 5};
  array<std::int64_t> const of_rows(labels, region_of(interval{0, rows}), shape::of(rows));
  std::vector<ops_detail::softmax_part<double>> sums(at(rows), ops_detail::softmax_part<double>(0));
  for (interval const held : {interval{0, cut}, interval{cut, classes}}) {
    std::vector<double> columns;
    for (index_t r = 0; r < rows; ++r)
      columns.insert(columns.end(), x.begin() + r * classes + held.begin, x.begin() + r * classes + held.end);
    array<double> const logits(columns, region_of(interval{0, rows}, held), shape::of(rows, classes));
    array<ops_detail::softmax_part<double>> const parts(std::vector(at(rows), ops_detail::softmax_part<double>(0)),
                                                        region_of(interval{0, rows}), shape::of(rows));
    run(ops_detail::softmax_parts_op{}, space(), new_scratch<>, parts.result(), logits.operand(), of_rows.operand());
    auto const found = parts.values();
    for (index_t r = 0; r < rows; ++r) sums[at(r)] = sums[at(r)] + found[at(r)];
  }
  double expected = 0;
  for (index_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (index_t j = 0; j < classes; ++j) sum += std::exp(x[at(r * classes + j)]);
    expected += std::log(sum) - x[at(r * classes + labels[at(r)])];
  }
  double found = 0;
  for (auto const& p : sums) found += std::log(p.sum) - (p.target - p.largest);
  CHECK(found == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("rows of a table that the shard owns, and zeros for the others") {
  array<double> const table(numbers(3 * 2), region_of(interval{2, 5}, interval{0, 2}), shape::of(8, 2));
  std::vector<int> const wanted{4, 0, 2, 7};
  array<int> const index(wanted, region_of(interval{0, 4}), shape::of(4));
  array<double> const y(region_of(interval{0, 4}, interval{0, 2}), shape::of(4, 2)), back(table.owned, table.global);
  run(ops_detail::take_op{}, space(), new_scratch<>, y.result(), table.operand(), index.operand());
  auto const rows = numbers(3 * 2);
  check(y.values(), {rows[4], rows[5], 0, 0, rows[0], rows[1], 0, 0});
  run(ops_detail::scatter_add_op{}, space(), new_scratch<>, back.result(), y.operand(), index.operand(),
      table.operand());
  check(back.values(), {rows[0], rows[1], 0, 0, rows[4], rows[5]});
}

TEST_CASE("a sum to the extents of a broadcast operand goes by global extents") {
  // One rank's row of two: its extent 1 is no dimension that was stretched.
  region const owned = region_of(interval{1, 2}, interval{0, 3});
  array<double> const x(numbers(3), owned, shape::of(2, 3));
  array<double> const y(region_of(interval{1, 2}, interval{0, 1}), shape::of(2, 1));
  run(ops_detail::sum_to_op<2>{shape::of(2, 1)}, space(), new_scratch<>, y.result(), x.operand());
  auto const in = numbers(3);
  check(y.values(), {in[0] + in[1] + in[2]});
}

TEST_CASE("moments are means and variances of a rank's rows; scratch comes from the caller") {
  index_t const rows = 3, c = 2;
  auto const x = numbers(rows * c);
  array<double> const shard(x, region_of(interval{0, rows}, interval{0, c}), shape::of(9, c));
  array<double> const moments(region_of(interval{0, 2}, interval{0, c}), shape::of(2, c)), y(shard.owned, shard.global);
  array<ops_detail::channel_part> const parts(region_of(interval{0, c}), shape::of(c));
  run(ops_detail::channel_parts_op{}, space(), new_scratch<>, parts.result(), shard.operand());
  run(ops_detail::moments_op{}, space(), new_scratch<>, moments.result(), shard.operand(), parts.operand());
  std::vector<double> expected(4);
  for (index_t i = 0; i < rows * c; ++i) expected[at(i % c)] += x[at(i)] / 3;
  for (index_t i = 0; i < rows * c; ++i) expected[at(c + i % c)] += std::pow(x[at(i)] - expected[at(i % c)], 2) / 3;
  check(moments.values(), expected);
  for (ops_detail::channel_part const& p : parts.values()) CHECK(p.count == 3);

  array<double> const coefficients(std::vector<double>{2, 3, 0.1, 0.2, 4, 5}, region_of(interval{0, 3}, interval{0, c}),
                                   shape::of(3, c));
  scratch_arrays = 0;
  run(ops_detail::channel_affine_op{}, space(), counted_scratch, y.result(), shard.operand(), coefficients.operand());
  CHECK(scratch_arrays == 3);
  std::vector<double> affine;
  for (index_t i = 0; i < rows * c; ++i) affine.push_back(i % c ? 3 * (x[at(i)] - 5) + 0.2 : 2 * (x[at(i)] - 4) + 0.1);
  check(y.values(), affine);
}

namespace user {

// Adds the row's global index.
struct add_position : user_operation<"ij->ij", "j", linearity::nonlinear> {
  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* position, Y y, X x) const {
    for (index_t j = 0; j < x.extent(0); ++j) y(j) = x(j) + static_cast<double>(position[0]);
  }
};
// Has a kernel for whole shards, which takes the place of forward.
struct copied : add_position {};
template <class S, class T>
void run(copied const&, S const& space, kernels::scratch_memory, kernels::shard<T> const& y,
         kernels::shard<T const> const& x) {
  kernels::copy(space, x.data, y.data, y.local_size());
}

}  // namespace user

TEST_CASE("a user's operation runs by rows, or by a kernel of its own") {
  region const owned = region_of(interval{4, 6}, interval{0, 3});
  array<double> const x(numbers(6), owned, shape::of(9, 3)), rows(owned, x.global), whole(owned, x.global);
  run(user::add_position{}, space(), new_scratch<>, rows.result(), x.operand());
  run(user::copied{}, space(), new_scratch<>, whole.result(), x.operand());
  auto expected = numbers(6);
  check(whole.values(), expected);
  for (std::size_t i = 0; i < 6; ++i) expected[i] += i < 3 ? 4 : 5;
  check(rows.values(), expected);
}

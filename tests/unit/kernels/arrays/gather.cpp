// labels: sanitizers
// Rows by index: what a rank holds of a table and zeros elsewhere, and the transpose of that.
#include "ashlar/kernels/arrays/gather.hpp"
#include "support/device_array.hpp"
#include "support/shards.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace ashlar;
using namespace test;

namespace {

template <class T>
std::vector<T> integers(index_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = T(static_cast<float>(random() % 17) - 8);
  return v;
}

struct extents {
  index_t size, inner, count;
  shape table() const { return shape::of(size, inner); }
  shape rows() const { return shape::of(count, inner); }
};

template <class T, class I>
std::vector<T> take(extents e, std::vector<T> const& table, std::vector<I> const& index, index_t lower) {
  auto const t = to_device(table);
  auto const i = to_device(index);
  auto const out = to_device(integers<T>(e.count * e.inner, 99));
  kernels::shard<T const> const held{t.data(), region_of(e.table(), lower), e.table()};
  kernels::shard<I const> const wanted{i.data(), region_of(shape::of(e.count)), shape::of(e.count)};
  run(ops_detail::take_op{true}, space(), new_scratch<>, result(out.data(), e.rows()), held, wanted);
  return to_host(out);
}

template <class T, class I>
std::vector<T> scatter_add(extents e, std::vector<T> const& rows, std::vector<I> const& index, index_t lower) {
  auto const r = to_device(rows), t = to_device(integers<T>(e.size * e.inner, 99));
  auto const i = to_device(index);
  kernels::shard<T> const table = result(t.data(), e.table(), lower);
  kernels::shard<T const> const update{r.data(), region_of(e.rows()), e.rows()};
  kernels::shard<I const> const to{i.data(), region_of(shape::of(e.count)), shape::of(e.count)};
  run(ops_detail::scatter_add_op{true}, space(), new_scratch<>, table, update, to, table);
  return to_host(t);
}

// Indices from -3 to size + 5: some before and some behind what is held.
template <class I>
std::vector<I> indices(extents e) {
  std::mt19937 random(5);
  std::vector<I> v(static_cast<std::size_t>(e.count));
  for (I& i : v) i = static_cast<I>(static_cast<index_t>(random() % static_cast<unsigned>(e.size + 8)) - 3);
  return v;
}

std::vector<extents> all_extents() {
  std::vector<extents> all;
  for (index_t size : {0, 1, 7})
    for (index_t inner : {0, 1, 5, 67})
      for (index_t count : {0, 1, 11, 200}) all.push_back({size, inner, count});
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("take and scatter_add are their definitions", T, float, double, std::int32_t, std::int64_t,
                   Kokkos::complex<double>) {
  for (extents e : all_extents())
    for (index_t lower : {-2, 0, 4}) {
      INFO(e.size, " x ", e.inner, " by ", e.count, " from ", lower);
      auto const index = indices<std::int32_t>(e);
      auto const table = integers<T>(e.size * e.inner, 1), rows = integers<T>(e.count * e.inner, 2);
      std::vector<T> taken(rows.size(), T(0)), summed(table.size(), T(0));
      for (index_t i = 0; i < e.count; ++i) {
        index_t const at = index[static_cast<std::size_t>(i)] - lower;
        for (index_t c = 0; c < e.inner && 0 <= at && at < e.size; ++c) {
          auto const row = static_cast<std::size_t>(i * e.inner + c), held = static_cast<std::size_t>(at * e.inner + c);
          taken[row] = table[held];
          summed[held] += rows[row];
        }
      }
      CHECK(take(e, table, index, lower) == taken);
      CHECK(scatter_add(e, rows, index, lower) == summed);
    }
}

TEST_CASE("scatter_add is the transpose of take") {
  extents const e{7, 5, 60};
  auto const index = indices<std::int64_t>(e);
  auto const table = integers<std::int64_t>(7 * 5, 1), rows = integers<std::int64_t>(60 * 5, 2);
  auto const dot = [](auto const& a, auto const& b) {
    std::int64_t s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
    return s;
  };
  auto const back = scatter_add(e, rows, index, 0);
  CHECK(dot(take(e, table, index, 0), rows) == dot(table, back));
  CHECK(dot(table, back) != 0);
}

TEST_CASE("the parts of a sharded table sum to the whole take") {
  extents const whole{11, 3, 50};
  auto const index = indices<int>(whole);
  auto const table = integers<float>(11 * 3, 1);
  auto sum = std::vector<float>(50 * 3, 0.f);
  for (auto [lower, size] : {std::pair<index_t, index_t>{0, 4}, {4, 0}, {4, 7}}) {
    std::vector<float> const part(table.begin() + lower * 3, table.begin() + (lower + size) * 3);
    auto const t = take({size, 3, 50}, part, index, lower);
    for (std::size_t i = 0; i < t.size(); ++i) sum[i] += t[i];
  }
  CHECK(sum == take(whole, table, index, 0));
}

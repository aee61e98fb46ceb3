// The code of docs/how_to/arrays.md: array expressions of NumPy on sharded tensors, compared with plain loops.
#include <ashlar/ashlar.hpp>
#include <doctest/doctest.h>
#include <cmath>
#include <vector>
#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

// [steepest]
using line = mesh<axis<"x">>;

// t has a row per hour and a column per station. The rows are sharded.
constexpr auto steepest_rise = [](auto const& t) {
  index_t const hours = t.extent(0), stations = t.extent(1);
  auto const rise = slice(t, {1, 0}, {hours - 1, stations})     // np.diff(t, axis=0)
                    - slice(t, {0, 0}, {hours - 1, stations});  //
  return all_reduce(argmax<0>(rise));                           // rise.argmax(axis=0) and rise.max(axis=0)
};
// [steepest]

// [moving_mean]
// The mean of `width` hours each: NumPy's c = np.cumsum(t, axis=0); (c[width:] - c[:-width]) / width
constexpr auto moving_mean = [](auto const& t, index_t width) {
  auto const c = cumsum<0>(t);
  index_t const means = t.extent(0) - width, stations = t.extent(1);
  return (slice(c, {width, 0}, {means, stations}) - slice(c, {0, 0}, {means, stations})) *
         (1. / static_cast<double>(width));
};
// [moving_mean]

// [median]
// np.median(t, axis=0), for an odd number of hours: the hours of a station come to one rank first.
constexpr auto median = [](auto const& t) { return select(sort<0>(all_to_all<"x", 1>(t)), t.extent(0) / 2); };
// [median]

// [cost]
constexpr auto rise_of_a_series = [](auto const& m) {
  auto const t = make<double, layout<"x", none>>(m, {8760, 40});
  (void)steepest_rise(t);
};
constexpr auto ledger_of_rise = dry_run(line{{4}}, rise_of_a_series);
static_assert(ledger_of_rise.count(collective::exchange) == 1);  // for t[1:]; each part of t[:-1] is in its place
static_assert(ledger_of_rise.bytes_per_rank(collective::exchange) == 1 * 40 * 8);  // a row of the next rank
static_assert(ledger_of_rise.count(collective::all_reduce) == 1);
static_assert(ledger_of_rise.bytes_per_rank(collective::all_reduce) == 2 * 40 * 16 * 3 / 4);  // 16: value and index
// [cost]

struct temperature {
  KOKKOS_FUNCTION double operator()(index_t hour, index_t station) const {
    return static_cast<double>((hour * hour * 7 + hour * station * 3 + station * 5) % 23);
  }
};

}  // namespace

TEST_CASE("from_numpy: the page's programs agree with loops") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  constexpr index_t hours = 19, stations = 5, width = 4;
  auto const t = generate<double, layout<"x", none>>(m, {hours, stations}, temperature{});
  temperature const at{};

  auto const best = steepest_rise(t);
  std::vector<index_t> hour;
  std::vector<double> rise, middle, means;
  for (index_t s = 0; s < stations; ++s) {
    std::vector<double> all;
    index_t first = 0;
    for (index_t h = 0; h < hours; ++h) {
      all.push_back(at(h, s));
      if (h + 1 < hours && at(h + 1, s) - at(h, s) > at(first + 1, s) - at(first, s)) first = h;
    }
    hour.push_back(first);
    rise.push_back(at(first + 1, s) - at(first, s));
    std::sort(all.begin(), all.end());
    middle.push_back(all[hours / 2]);
  }
  CHECK(gather_all(element_index(best)) == hour);
  CHECK(gather_all(element_value(best)) == rise);
  CHECK(gather_all(median(t)) == middle);
  for (index_t h = 0; h + width < hours; ++h)
    for (index_t s = 0; s < stations; ++s) {
      double sum = 0;
      for (index_t k = 1; k <= width; ++k) sum += at(h + k, s);
      means.push_back(sum * (1. / width));
    }
  CHECK(gather_all(moving_mean(t, width)) == means);
}

TEST_CASE("from_numpy: the table's expressions") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"x", none>>(m, {6, 4}, temperature{});
  auto const y = generate<double, layout<none, "x">>(m, {6, 4}, temperature{});
  auto const all = gather_all(x);
  auto const element = [&](index_t i, index_t j) {
    return i < 0 || i >= 6 || j < 0 || j >= 4 ? 0. : all[static_cast<std::size_t>(i * 4 + j)];
  };
  auto const table = [](index_t rows, index_t columns, auto f) {
    std::vector<double> v;
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) v.push_back(f(i, j));
    return v;
  };
  auto const part = slice(x, {2, 0}, {3, 4});                        // x[2:5]
  auto const framed = pad(x, {1, 1}, {1, 1});                        // np.pad(x, 1)
  auto const both = concatenate<0>(x, y);                            // np.concatenate((x, y)); y has another layout
  auto const later = shift<0>(x, 1);                                 // z = np.zeros_like(x); z[1:] = x[:-1]
  auto const around = roll<0>(x, 1);                                 // np.roll(x, 1, axis=0)
  auto const written = paste(zeros_like(x), {2, 0}, part);           // z = np.zeros_like(x); z[2:5] = x[2:5]
  auto const columns = slice<layout<none, "x">>(x, {0, 1}, {6, 2});  // x[:, 1:3], for stations on ranks
  CHECK(gather_all(part) == table(3, 4, [&](index_t i, index_t j) { return element(i + 2, j); }));
  CHECK(gather_all(framed) == table(8, 6, [&](index_t i, index_t j) { return element(i - 1, j - 1); }));
  CHECK(gather_all(both) == table(12, 4, [&](index_t i, index_t j) { return element(i % 6, j); }));
  CHECK(gather_all(later) == table(6, 4, [&](index_t i, index_t j) { return element(i - 1, j); }));
  CHECK(gather_all(around) == table(6, 4, [&](index_t i, index_t j) { return element((i + 5) % 6, j); }));
  CHECK(gather_all(written) == table(6, 4, [&](index_t i, index_t j) { return i < 2 || i > 4 ? 0. : element(i, j); }));
  CHECK(gather_all(columns) == table(6, 2, [&](index_t i, index_t j) { return element(i, j + 1); }));

  auto const [values, indices] = top_k<1>(x, 1);
  CHECK(gather_all(values) == gather_all(max<1>(x)));
  CHECK(gather_all(indices) == gather_all(element_index(argmax<1>(x))));
  CHECK(gather_all(take_along<1>(x, argsort<1>(x))) == gather_all(sort<1>(x)));
}

// argmax and argmin in every layout against plain loops: ties, NaN, several dimensions, empty shards.
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

// Few different numbers, so that ties are common.
double with_ties(index_t g, int) { return small_number(g, 1); }
double with_nan(index_t g, int) { return g % 7 == 5 ? std::nan("") : small_number(g, 2); }
double all_equal(index_t, int) { return -std::numeric_limits<double>::infinity(); }

struct found {
  std::vector<double> value;
  std::vector<index_t> index;
};

// The first of the largest (smallest) elements over the dimensions in a mask; the first NaN if there is one.
found by_loop(bool largest, shape const& e, unsigned dims, double (*element)(index_t, int)) {
  found f;
  index_t outputs = 1;
  for (int d = 0; d < e.rank; ++d)
    if (!(dims >> d & 1u)) outputs *= e[d];
  f.value.resize(static_cast<std::size_t>(outputs));
  f.index.assign(f.value.size(), -1);
  for (index_t g = 0; g < e.size(); ++g) {
    index_t out = 0, index = 0;
    for (int d = 0; d < e.rank; ++d) {
      index_t& at = dims >> d & 1u ? index : out;
      at = at * e[d] + g / e.stride(d) % e[d];
    }
    auto const o = static_cast<std::size_t>(out);
    double const x = element(g, 0), best = f.value[o];
    if (f.index[o] < 0 || (!std::isnan(best) && (std::isnan(x) || (largest ? x > best : x < best))))
      f.value[o] = x, f.index[o] = index;
  }
  return f;
}

bool same(std::vector<double> const& a, std::vector<double> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

template <int... Dims, class X>
void check(X const& x, unsigned dims, double (*element)(index_t, int)) {
  auto const most = all_reduce(argmax<Dims...>(x));
  auto const least = all_reduce(argmin<Dims...>(x));
  found const expected_most = by_loop(true, x.extents(), dims, element);
  CHECK(gather_all(element_index(most)) == expected_most.index);
  if (expected_most.index.empty() || expected_most.index[0] < 0) return;
  CHECK(same(gather_all(element_value(most)), expected_most.value));
  found const expected_least = by_loop(false, x.extents(), dims, element);
  CHECK(gather_all(element_index(least)) == expected_least.index);
  CHECK(same(gather_all(element_value(least)), expected_least.value));
}

template <class L>
void check_layout() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e :
         {shape::of(7, 5, 3), shape::of(2 * world_size(), world_size(), 1), shape::of(1, 2, 40), shape::of(0, 3, 2)})
      for (auto* const element : {with_ties, with_nan, all_equal}) {
        CAPTURE(e[0]);
        auto const x = tensor_of<double, L>(m, e, element);
        check<0>(x, 0b001, element);
        check<1>(x, 0b010, element);
        check<2>(x, 0b100, element);
        check<0, 2>(x, 0b101, element);
        check<1, 2>(x, 0b110, element);
        check(x, 0b111, element);
      }
  });
}

void check_layouts() {
  check_layout<layout<none, none, none>>();
  check_layout<layout<"x", none, none>>();
  check_layout<layout<none, "y", "x">>();
  check_layout<layout<axes("y", "x"), none, none>>();
  check_layout<layout<cyclic("x", 2), none, cyclic("y", 3)>>();
}

}  // namespace

TEST_CASE("argmax: value and index in every layout") { check_layouts(); }

TEST_CASE("argmax: the same by messages, and by MPI's collectives") {
  {
    messages_of_mpi const scope;
    check_layouts();
  }
  collectives_of_mpi const scope;
  check_layouts();
}

TEST_CASE("argmax: other element types, expressions, parts of the result") {
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_WORLD);
  auto const x = tensor_of<std::int32_t, layout<none, "x">>(m, shape::of(4, 9), small_number);
  found const most = by_loop(true, x.extents(), 0b10, [](index_t g, int) { return small_number(g, 0) * 2.; });
  auto const parts = reduce_scatter<"x", 0>(argmax<1>(x + x));  // each rank takes its rows
  static_assert(std::is_same_v<layout_t<decltype(parts)>, layout<"x">>);
  CHECK(gather_all(element_index(parts)) == most.index);
  CHECK(gather_all(cast<double>(element_value(parts))) == most.value);
  CHECK(item(element_index(all_reduce(argmax(x > 0)))) ==
        by_loop(true, x.extents(), 0b11, [](index_t g, int) { return small_number(g, 0) > 0 ? 1. : 0.; }).index[0]);
}

namespace {
constexpr auto program = [](auto const& h) {
  auto const x = make<float, layout<"x", "y">>(h, {8, 6});
  auto const rows = argmax<1>(x);
  static_assert(std::is_same_v<layout_t<decltype(rows)>, partial<layout<"x">, "y">>);
  auto const best = all_reduce(rows);
  static_assert(std::is_same_v<element_t<decltype(element_index(best))>, index_t>);
  static_assert(std::is_same_v<element_t<decltype(element_value(best))>, float>);
  static_assert(std::is_same_v<layout_t<decltype(element_index(best))>, layout<"x">>);
};
constexpr auto noted = dry_run(grid{{2, 2}}, program);
static_assert(noted.count() == 1 && noted.bytes_per_rank(collective::all_reduce, "y") == 4 * 16);
}  // namespace

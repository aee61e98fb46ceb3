// labels: messages
// sort, argsort, top_k and take_along in every layout that their rules allow, against std::stable_sort, and derivatives.
#include "ashlar/tensor/tensor.hpp"
#include "support/adjoint.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Few different numbers, so that ties are common, and NaN.
double element(index_t g, int) { return g % 11 == 4 ? std::nan("") : small_number(g, 3); }

struct sorted {
  std::vector<double> value;
  std::vector<index_t> index;
};

// The first k elements of each line along a dimension.
sorted by_loop(shape const& e, int dim, bool descending, index_t k) {
  shape out = e;
  out[dim] = k;
  sorted s{std::vector<double>(static_cast<std::size_t>(out.size())),
           std::vector<index_t>(static_cast<std::size_t>(out.size()))};
  index_t const inner = e.stride(dim);
  for (index_t line = 0; line * e[dim] < e.size(); ++line) {
    index_t const o = line / inner, j = line % inner;
    auto const at = [&](index_t i) { return element((o * e[dim] + i) * inner + j, 0); };
    std::vector<index_t> order(static_cast<std::size_t>(e[dim]));
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
      double const x = at(a), y = at(b);
      if (descending) return std::isnan(x) ? !std::isnan(y) : x > y;
      return std::isnan(y) ? !std::isnan(x) : x < y;
    });
    for (index_t i = 0; i < k; ++i) {
      auto const to = static_cast<std::size_t>((o * k + i) * inner + j);
      s.index[to] = order[static_cast<std::size_t>(i)];
      s.value[to] = at(s.index[to]);
    }
  }
  return s;
}

bool same(std::vector<double> const& a, std::vector<double> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

template <class L, int Dim>
void check() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e :
         {shape::of(7, 5, 3), shape::of(2, world_size(), 40), shape::of(30, 1, 2), shape::of(0, 4, 2)}) {
      CAPTURE(e[0]);
      auto const x = tensor_of<double, L>(m, e, element);
      sorted const all = by_loop(e, Dim, false, e[Dim]);
      CHECK(gather_all(argsort<Dim>(x)) == all.index);
      CHECK(same(gather_all(sort<Dim>(x)), all.value));
      for (index_t k : {index_t{0}, (e[Dim] + 1) / 2, e[Dim]}) {
        sorted const largest = by_loop(e, Dim, true, k);
        auto const [values, indices] = top_k<Dim>(x, k);
        CHECK(gather_all(indices) == largest.index);
        CHECK(same(gather_all(values), largest.value));
      }
    }
  });
}

// top_k of a dimension that axes shard.
template <class L, int Dim>
void check_parts() {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e : {shape::of(7, 5, 3), shape::of(33, 2, 40), shape::of(1, 30, 2), shape::of(8, 0, 2)}) {
      CAPTURE(e[0]);
      auto const x = tensor_of<double, L>(m, e, element);
      for (index_t k : {index_t{0}, index_t{1}, e[Dim] / 4, (e[Dim] + 1) / 2, e[Dim]}) {
        if (k > e[Dim]) continue;
        sorted const largest = by_loop(e, Dim, true, k);
        auto const [values, indices] = top_k<Dim>(x, k);
        CHECK(gather_all(indices) == largest.index);
        CHECK(same(gather_all(values), largest.value));
      }
    }
  });
}

}  // namespace

TEST_CASE("top_k: the dimension is sharded") {
  check_parts<layout<"data", none, none>, 0>();
  check_parts<layout<axes("model", "data"), none, none>, 0>();
  check_parts<layout<"model", "data", none>, 1>();
  check_parts<layout<"model", cyclic("data", 2), none>, 0>();
}

TEST_CASE("top_k: the dimension is sharded, by messages of MPI") {
  messages_of_mpi const scope;
  check_parts<layout<"data", "model", none>, 0>();
}

TEST_CASE("top_k: derivatives along a sharded dimension") {
  auto const distinct = [](index_t g, int, int) { return static_cast<double>(g * 7 % 61) + 0.25; };
  for (shape const& e : {shape::of(17, 3), shape::of(2 * world_size() + 1, 2), shape::of(3, 2)})
    for (index_t k : {index_t{1}, index_t{3}})
      check_smooth<"data">(
          distinct, [k](auto const& x) { return square(top_k<0>(x, k).values); }, operand<layout<"data", none>>{e});
}

TEST_CASE("sort: values and indices in every layout") {
  check<layout<none, none, none>, 0>();
  check<layout<none, none, none>, 2>();
  check<layout<none, "data", "model">, 0>();
  check<layout<"model", none, cyclic("data", 2)>, 1>();
  check<layout<axes("data", "model"), none, none>, 2>();
}

TEST_CASE("sort: derivatives of sort, top_k and take_along") {
  // Different elements: a sort has no derivative at ties.
  auto const distinct = [](index_t g, int, int) { return static_cast<double>(g * 7 % 31) + 0.25; };
  for (shape const& e : {shape::of(7, 4), shape::of(2, world_size() + 1)}) {
    check_smooth<"data">(
        distinct, [](auto const& x) { return sort<0>(x); }, operand<layout<none, "data">>{e});
    check_smooth<"data">(
        distinct, [](auto const& x) { return top_k<1>(x, 2).values; }, operand<layout<"data", none>>{e});
    check_smooth<"model">(
        distinct, [](auto const& x) { return square(sort<1>(x)); }, operand<layout<"data", none>>{e});
    // Equal indices, whose cotangents sum up; a partial sum.
    auto const twice = [](auto const& x) {
      auto const index = full<int, layout<"model", none>>(x.mesh(), {x.extent(0), 3}, 1);
      return take_along<1>(x, index);
    };
    check_linear<"data">(twice, operand<layout<"model", none>>{e});
    check_linear<"data">(twice, operand<partial<layout<"model", none>, "data">>{e});
  }
}

TEST_CASE("sort: other element types and errors") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = tensor_of<std::int32_t, layout<none, "data">>(m, shape::of(6, 5), small_number);
  auto const ascending = sort<0>(x);
  CHECK(gather_all(sort<0>(-ascending)) == gather_all(-take_along<0>(ascending, argsort<0>(-ascending))));
  CHECK(gather_all(top_k<0>(x, 1).indices) == gather_all(element_index(argmax<0>(x))));
  CHECK(said([&] { (void)top_k<0>(x, 7); }).substr(0, 77) ==
        "ashlar::top_k: k is at most the extent of the dimension; found (7) and (6, 5)");
  CHECK(said([&] { (void)top_k<0>(x, -1); }) == "ashlar::top_k: k is 0 or more");
  CHECK(said([&] {
          (void)take_along<0>(x, make<int, layout<none, "data">>(m, {2, 6}));
        }).substr(0, 50) == "ashlar::take_along: the index has the extents of t");
}

namespace {
constexpr auto program = [](auto const& h) {
  auto const x = make<float, layout<"data", none>>(h, {16, 8});
  auto const [values, indices] = top_k<1>(x, 3);
  static_assert(std::is_same_v<layout_t<decltype(values)>, layout<"data", none>>);
  static_assert(std::is_same_v<element_t<decltype(indices)>, index_t>);
  (void)value_and_grad<"data">([](auto const& u) { return sum(square(sort<1>(u))); })(x);
};
static_assert(dry_run(grid{{4, 1}}, program).count() == 0);
// Of 16 elements on 4 ranks the 3 largest of each rank are gathered, values and indices; for the 5 largest all elements.
template <index_t K>
constexpr auto of_parts = [](auto const& h) {
  auto const [values, indices] = top_k<0>(make<float, layout<"data", none>>(h, {16, 8}), K);
  static_assert(std::is_same_v<layout_t<decltype(values)>, layout<none, none>>);
  static_assert(std::is_same_v<layout_t<decltype(indices)>, layout<none, none>>);
};
static_assert(dry_run(grid{{4, 1}}, of_parts<3>).count(collective::all_gather) == 2);
static_assert(dry_run(grid{{4, 1}}, of_parts<3>).bytes_per_rank() == 3 * 3 * 8 * (4 + 8));
static_assert(dry_run(grid{{4, 1}}, of_parts<5>).count() == 1);
static_assert(dry_run(grid{{4, 1}}, of_parts<5>).bytes_per_rank() == 12 * 8 * 4);
static_assert(dry_run(grid{{1, 4}}, of_parts<3>).count() == 0);
}  // namespace

// labels: messages
// sort and argsort of a dimension that axes shard, against std::stable_sort: values, indices, ledger, derivatives, and calls
// that differ between ranks.
#include "ashlar/tensor/tensor.hpp"
#include "support/adjoint.hpp"
#include "support/mpi_main.hpp"
#include "support/own_world.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>
#include <cmath>
#include <random>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using order_of_elements = double (*)(index_t g, index_t n);
double random_element(index_t g, index_t) {
  std::minstd_rand next(static_cast<unsigned>(g) + 1);
  next.discard(3);
  return static_cast<double>(next() % 100003) - 50000;
}
double few_values(index_t g, index_t) { return g % 11 == 4 ? std::nan("") : small_number(g, 3); }
double one_value(index_t, index_t) { return 3; }
double ascending(index_t g, index_t) { return static_cast<double>(g); }
double descending(index_t g, index_t n) { return static_cast<double>(n - g); }
double rising_and_falling(index_t g, index_t n) { return static_cast<double>(2 * g < n ? g : n - g); }
double first_ones_large(index_t g, index_t n) { return 10 * g < n ? 1e6 - static_cast<double>(g) : 0; }
double mostly_nan(index_t g, index_t) { return g % 7 == 0 ? -static_cast<double>(g) : std::nan(""); }

template <class T>
bool comes_before(T a, T b) {
  return b != b ? a == a : a < b;
}
template <class T>
struct sorted {
  std::vector<T> value;
  std::vector<index_t> index;
};
// All lines of a row-major array along a dimension, by the standard library.
template <class T>
sorted<T> by_library(std::vector<T> const& x, shape const& e, int dim) {
  sorted<T> s{x, std::vector<index_t>(x.size())};
  index_t const inner = e.stride(dim), n = e[dim];
  for (index_t line = 0; line * n < e.size(); ++line) {
    auto const at = [&](index_t i) { return static_cast<std::size_t>((line / inner * n + i) * inner + line % inner); };
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](index_t a, index_t b) { return comes_before(x[at(a)], x[at(b)]); });
    for (index_t i = 0; i < n; ++i) {
      s.index[at(i)] = order[static_cast<std::size_t>(i)];
      s.value[at(i)] = x[at(s.index[at(i)])];
    }
  }
  return s;
}
template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) { return x == y || (x != x && y != y); });
}

template <class L, int Dim, class T = double>
void check(shape const& e, order_of_elements element) {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const x = tensor_of<T, L>(m, e, [&](index_t g, int) { return static_cast<T>(element(g, e.size())); });
    sorted<T> const all = by_library(gather_all(x), e, Dim);
    CAPTURE(e[Dim]);
    auto const values = sort<Dim>(x);
    auto const indices = argsort<Dim>(x);
    static_assert(std::is_same_v<layout_t<decltype(values)>, L> && std::is_same_v<layout_t<decltype(indices)>, L>);
    CHECK(same(gather_all(values), all.value));
    CHECK(gather_all(indices) == all.index);
  });
}

// Enough elements for samples on any split of the ranks, and not.
index_t long_dimension() { return 4 * world_size() * world_size() + 3; }

constexpr order_of_elements orders[]{random_element, few_values, one_value,          ascending,
                                     descending,     mostly_nan, rising_and_falling, first_ones_large};

}  // namespace

TEST_CASE("sort of a sharded dimension: any order of the elements") {
  for (auto const& element : orders) {
    check<layout<"data">, 0>(shape::of(4 * long_dimension()), element);
    check<layout<axes("model", "data")>, 0>(shape::of(2 * long_dimension()), element);
  }
}

TEST_CASE("sort of a sharded dimension: lines along every dimension, sharded too") {
  index_t const n = long_dimension();
  for (auto const& element : {random_element, few_values}) {
    check<layout<"data", none, none>, 0>(shape::of(n, 2, 3), element);
    check<layout<none, axes("data", "model"), none>, 1>(shape::of(2, n, 3), element);
    check<layout<none, "model", "data">, 2>(shape::of(2, 5, n + 1), element);
    check<layout<"model", "data", none>, 1>(shape::of(3, n, 2), element);
    check<layout<cyclic("model", 2), none, "data">, 2>(shape::of(7, 1, n), element);
  }
}

TEST_CASE("sort of a sharded dimension: parts that are short or empty, and no lines") {
  for (shape const& e : extents_to_try(2)) {
    check<layout<"data", none>, 0>(e, few_values);
    check<layout<"model", "data">, 1>(e, few_values);
    check<layout<none, axes("model", "data")>, 1>(e, few_values);
  }
  index_t const p = world_size();
  for (index_t n : {4 * p * p - 1, 4 * p * p, 4 * p * p + 1}) check<layout<"data">, 0>(shape::of(n), random_element);
  check<layout<"data", none>, 0>(shape::of(long_dimension(), 0), random_element);
  check<layout<"data", "model">, 0>(shape::of(long_dimension(), 1), random_element);
}

TEST_CASE("sort of a sharded dimension: element types") {
  shape const e = shape::of(long_dimension(), 2);
  check<layout<"data", none>, 0, float>(e, random_element);
  check<layout<"data", none>, 0, std::int32_t>(e, random_element);
  check<layout<"data", none>, 0, std::int64_t>(e, random_element);
  check<layout<"data", none>, 0, unsigned char>(
      e, [](index_t g, index_t n) { return std::abs(random_element(g, n)) / 250; });
  // Masks.
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = generate<double, layout<"data">>(
      m, {long_dimension()}, KOKKOS_LAMBDA(index_t i) { return i % 3; });
  auto const falses = (long_dimension() + 2) / 3;
  auto const mask = gather_all(sort<0>(x > 0.));
  CHECK(std::count(mask.begin(), mask.begin() + falses, false) == falses);
  CHECK(std::count(mask.begin() + falses, mask.end(), true) == long_dimension() - falses);
}

TEST_CASE("sort of a sharded dimension: by messages of MPI") {
  messages_of_mpi const scope;
  check<layout<"data", "model">, 0>(shape::of(long_dimension(), 3), few_values);
  check<layout<"data">, 0>(shape::of(3 * long_dimension()), random_element);
}

TEST_CASE("sort of a sharded dimension: the ledger bounds the bytes, and the number of collectives is fixed") {
  for (auto const& element : orders)
    for_each_factorisation([&](auto const& sizes) {
      device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
      index_t const n = 5 * long_dimension();
      auto const x = tensor_of<double, layout<"data">>(m, shape::of(n), [&](index_t g, int) { return element(g, n); });
      recorder<grid> notes;
      m.record(&notes);
      auto const y = sort<0>(x);
      m.record(nullptr);
      CHECK(notes.log.count() == (sizes[0] > 1 ? 3 : 0));
      if (sizes[0] == 1) return;
      CHECK(notes.log.count(collective::all_gather) == 1);
      CHECK(notes.log.count(collective::all_to_all) == 1);
      CHECK(notes.log.count(collective::exchange) == 1);
      index_t const bound = notes.log.bytes_per_rank(collective::exchange);
      CHECK(bound <= 12 * ((n + sizes[0] - 1) / sizes[0]));  // 1.5 elements of 8 bytes
      auto const merged =
          ops_detail::merge_and_route<0, true>(ops_detail::parts_in_order<0>(x).values, call_site::current());
      CHECK(static_cast<index_t>(merged.route->bytes_received(8)) <= bound);
      CHECK(same(gather_all(merged.values), gather_all(y)));
    });
}

TEST_CASE("sort of a sharded dimension: derivatives") {
  // Different elements: a sort has no derivative at ties.
  auto const distinct = [](index_t g, int, int) { return static_cast<double>(g * 7 % 1009) / 8 + 0.25; };
  for (index_t n : {long_dimension() - 2, index_t{17}}) {
    auto const program = [](auto const& x) { return square(sort<0>(x)); };
    check_smooth<"data">(distinct, program, operand<layout<"data", none>>{shape::of(n, 2)});
    check_smooth<"model">(distinct, program, operand<layout<"data", none>>{shape::of(n, 2)});
    check_smooth<"data">(
        distinct, [](auto const& x) { return sort<1>(x) * x; }, operand<layout<"model", "data">>{shape::of(2, n)});
  }
}

namespace {
template <index_t N>
constexpr auto program = [](auto const& h) {
  auto const x = make<float, layout<"data", none>>(h, {N, 8});
  static_assert(std::is_same_v<layout_t<decltype(sort<0>(x))>, layout<"data", none>>);
  static_assert(std::is_same_v<element_t<decltype(argsort<0>(x))>, index_t>);
  (void)sort<0>(x);
};
template <index_t N>
constexpr auto indices = [](auto const& h) {
  (void)argsort<0>(make<float, layout<"data", none>>(h, {N, 8}));
};
constexpr auto gradient = [](auto const& h) {
  (void)value_and_grad<"data">([](auto const& u) { return sum(square(sort<0>(u))); })(
      make<float, layout<"data", none>>(h, {6400, 8}));
};
// 16 samples of each of 4 parts of 1600; each rank gets at most 1600 + 2 * 4 * 99 elements of each line.
constexpr auto samples = 3 * 16 * 8 * 4, counts = 3 * 8 * 16, moved = (1600 + 2 * 4 * 99) * 8 * 4;
static_assert(dry_run(grid{{4, 1}}, program<6400>).count() == 3);
static_assert(dry_run(grid{{4, 1}}, program<6400>).bytes_per_rank(collective::all_gather) == samples);
static_assert(dry_run(grid{{4, 1}}, program<6400>).bytes_per_rank(collective::all_to_all) == counts);
static_assert(dry_run(grid{{4, 1}}, program<6400>).bytes_per_rank(collective::exchange) == moved);
static_assert(dry_run(grid{{4, 1}}, indices<6400>).count() == 4);
static_assert(dry_run(grid{{4, 1}}, indices<6400>).bytes_per_rank(collective::exchange) == 3 * moved);
static_assert(dry_run(grid{{1, 4}}, program<6400>).count() == 0);
static_assert(dry_run(grid{{4, 1}}, program<63>).count() == 1);  // all elements are gathered
static_assert(dry_run(grid{{4, 1}}, program<63>).count(collective::all_gather) == 1);
static_assert(dry_run(grid{{4, 1}}, gradient).count(pass::forward) == 3);
static_assert(dry_run(grid{{4, 1}}, gradient).count(pass::backward, collective::exchange) == 1);

template <index_t N>
void sort_numbers(device_mesh<grid> const& m) {
  (void)sort<0>(full<double, layout<"data">>(m, {N}, 1.));
}
bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("sort of a sharded dimension: ranks that do not call the same learn it") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  double const patience = std::exchange(comm::tuned.patience, 0.01);
  for (bool const messages : {true, false}) {
    variable const by(messages ? "ASHLAR_TRANSPORT" : "ASHLAR_RANKS_PER_NODE", messages ? "mpi" : "");
    for (bool const sorts_too : {true, false}) {
      own_world const world;
      MPI_Barrier(MPI_COMM_WORLD);
      std::string const text = said([&, m = device_mesh<grid>(world, {testing::ranks(), 1})] {
        if (testing::rank() != 0)
          sort_numbers<3000>(m);
        else if (sorts_too)
          sort_numbers<4000>(m);
        else
          (void)cumsum<0>(full<double, layout<"data">>(m, {3000}, 1.));
      });
      MPI_Barrier(MPI_COMM_WORLD);
      CAPTURE(text);
      CHECK(contains(text, "ashlar: "));
    }
  }
  comm::tuned.patience = patience;
}

TEST_CASE("sort of a sharded dimension: a rank that does not come by the deadline is an error") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  variable const deadline("ASHLAR_DEADLINE", "0.5");
  own_world const world;
  bool const absent = testing::rank() == testing::ranks() - 1;
  MPI_Barrier(MPI_COMM_WORLD);
  std::string const text = said([&, m = device_mesh<grid>(world, {testing::ranks(), 1})] {
    if (!absent) sort_numbers<3000>(m);
  });
  MPI_Barrier(MPI_COMM_WORLD);
  CAPTURE(text);
  CHECK((absent || contains(text, "the deadline is over") || contains(text, "which has not come")));
}

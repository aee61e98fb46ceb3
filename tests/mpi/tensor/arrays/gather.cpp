// Whole tensors on one rank, on all, and back: values, messages, errors.
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/item.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <string>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

// All elements of a tensor, row-major.
template <class T>
std::vector<T> elements(shape const& e) {
  std::vector<T> all;
  for (index_t g = 0; g < e.size(); ++g) all.push_back(to_element<T>(small_number(g, 0)));
  return all;
}

template <class L, class T>
void check_round_trip(device_mesh<grid> const& m, shape const& e) {
  auto const all = elements<T>(e);
  bool const first = m.rank() == 0;
  auto const x = [&] {
    std::span<T const> const given(all.data(), first ? all.size() : 0);  // nobody else need have them
    if constexpr (L::rank == 0) {
      return scatter<L>(m, given);
    } else {
      index_t n[L::rank];
      std::copy_n(e.extent, L::rank, n);
      return scatter<L>(m, n, given);
    }
  }();
  using stored = typename tensor_detail::storable<T>::type;
  static_assert(std::is_same_v<decltype(x), sharded_tensor<stored, L, grid> const>);
  CHECK(x.extents() == e);
  CHECK(shard(x) == shard_of<stored>(e, x.layout, m.sizes(), m.rank(), small_number));
  std::vector<stored> const expected(all.begin(), all.end());
  CHECK(gather_all(x) == expected);

  auto const before = m.counters().all_to_all.bytes;
  auto const mpi = pmpi::counted();
  auto const gathered = gather(x);
  CHECK(gathered == (first ? expected : std::vector<stored>()));
  // Each element that rank 0 lacks travels once, in one message a rank.
  auto const used = pmpi::counted() - mpi;
  CHECK(used.collectives() == 0);
  CHECK(used.sends <= 1);
  std::uint64_t sent = m.counters().all_to_all.bytes - before;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sent == static_cast<std::uint64_t>(e.size() - local_region(e, x.layout, m.sizes(), 0).size()) * sizeof(stored));
}

}  // namespace

TEST_CASE("gather, gather_all, scatter: round trips for many layouts and extents") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    check_round_trip<layout<>, float>(m, shape{});
    for (shape const& e : extents_to_try(1)) {
      check_round_trip<layout<none>, float>(m, e);
      check_round_trip<layout<axes("y", "x")>, float>(m, e);
    }
    for (shape const& e : extents_to_try(2)) {
      check_round_trip<layout<"x", none>, float>(m, e);
      check_round_trip<layout<"y", "x">, float>(m, e);
      check_round_trip<layout<none, axes("x", "y")>, float>(m, e);
    }
    for (shape const& e : extents_to_try(3)) check_round_trip<layout<none, "y", "x">, float>(m, e);
    check_round_trip<layout<none, "x", none, none, "y", none, none, none>, float>(m, shape::of(2, 3, 1, 2, 5, 2, 1, 2));
  });
}

TEST_CASE_TEMPLATE("gather, gather_all, scatter: every element type", T, double, std::int32_t, std::int64_t,
                   std::complex<float>, std::complex<double>) {
  int const p = world_size();
  check_round_trip<layout<"y", "x">, T>(device_mesh<grid>(MPI_COMM_WORLD, {p % 2 ? 1 : 2, p % 2 ? p : p / 2}),
                                        shape::of(5, 7));
}

TEST_CASE("gather: elementwise expressions are evaluated") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = tensor_of<double, layout<none, "y">>(m, shape::of(3, 7), small_number);
  auto expected = elements<double>(x.extents());
  for (double& v : expected) v = 2 * v + 1;
  CHECK(gather_all(x * 2. + 1.) == expected);
}

TEST_CASE("scatter: replicas get their shard from a replica, not from rank 0") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  std::vector<float> const all(24, 1.f);
  auto const before = m.counters();
  auto const x = scatter<layout<none, "y">>(m, {4, 6}, all);
  CHECK(m.counters().all_to_all == before.all_to_all);
  CHECK(m.counters().broadcast.calls - before.broadcast.calls == (m.size() > 1 ? 1 : 0));
  CHECK(gather_all(x) == all);
}

TEST_CASE("scatter: wrong input is the same error on every rank") {
  int const p = world_size();
  device_mesh<grid> const m(MPI_COMM_WORLD, {p, 1});
  std::vector<float> const right(12), wrong(11);
  CHECK(
      said([&] {
        (void)scatter<layout<"x", none>>(m, {3, 4}, m.rank() == 0 ? wrong : right);
      })
          .find("ashlar::scatter: rank 0 gives all elements of the tensor; extents (3, 4) make 12, found 11; called at "
                "gather.cpp:") == 0);
  CHECK(said([&] { (void)scatter<layout<"x", none>>(m, {3, 4}, m.rank() == 0 ? right : wrong); }) == "");
  CHECK(said([&] {
          (void)scatter<layout<"x", none>>(m, {-3, -4}, right);
        }).find("ashlar::make: an extent is 0 or more; found (-3, -4); called at gather.cpp:") == 0);
  if (p > 1)
    CHECK(said([&] {
            (void)scatter<layout<"x", none>>(m, {3, m.rank() == p - 1 ? 5 : 4}, right);
          })
              .find("ashlar::scatter: the extents differ between ranks: value 1 is 4 on rank 0 and 5 on rank " +
                    std::to_string(p - 1) + "; give all ranks the same; called at gather.cpp:") == 0);
}

TEST_CASE("item: a scalar's number on every rank, of tensors and of expressions") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const x =
        tensor_of<double, partial<layout<>, axes("x", "y")>>(m, shape{}, [](index_t, int s) { return s + 1.; });
    double const p = world_size();
    CHECK(item(all_reduce(x)) == p * (p + 1) / 2);
    CHECK(item(all_reduce(x) * 2. + 1.) == p * (p + 1) + 1);
    CHECK(item(tensor_of<std::int64_t, layout<>>(m, shape{}, [](index_t, int) { return 42; })) == 42);
  });
}

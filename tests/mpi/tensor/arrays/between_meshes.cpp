// Redistribution between meshes of the same ranks against the dense result.
#include "ashlar/tensor/arrays/between_meshes.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"z">>;
using grid = mesh<axis<"x">, axis<"y">>;

// From a layout of one mesh to one of the other and back, with what travels counted.
template <class L1, class L2, class M1, class M2>
void check_there_and_back(device_mesh<M1> const& m1, device_mesh<M2> const& m2, shape const& e) {
  auto const x = tensor_of<std::int64_t, L1>(m1, e, small_number);
  auto const expected = gather_all(x);
  auto const sent = m1.counters().all_to_all.bytes;
  auto const collectives = m1.collectives_run();
  auto const y = redistribute<L2>(x, m2);
  static_assert(std::is_same_v<layout_t<decltype(y)>, L2> && std::is_same_v<mesh_t<decltype(y)>, M2>);
  CHECK(m1.collectives_run() - collectives == (m1.size() > 1 ? 1 : 0));
  std::int64_t traffic[2]{static_cast<std::int64_t>((m1.counters().all_to_all.bytes - sent) / sizeof(std::int64_t)), 0};
  auto const had = positions(e, x.layout, m1.sizes(), m1.rank()),
             needed = positions(e, y.layout, m2.sizes(), m2.rank());
  for (index_t p : needed) traffic[1] += !std::binary_search(had.begin(), had.end(), p);
  MPI_Allreduce(MPI_IN_PLACE, traffic, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(traffic[0] == traffic[1]);  // what ranks lack, each element once
  CHECK(gather_all(y) == expected);
  CHECK(gather_all(redistribute<L1>(y, m1)) == expected);
}

// The same where tensors are partial: before, afterwards, or both.
template <class L1, class L2, class M1, class M2>
void check_pending(device_mesh<M1> const& m1, device_mesh<M2> const& m2, shape const& e) {
  auto const x = tensor_of<std::int64_t, L1>(m1, e, small_number);
  auto const y = redistribute<L2>(x, m2);
  static_assert(std::is_same_v<layout_t<decltype(y)>, L2> && std::is_same_v<mesh_t<decltype(y)>, M2>);
  CHECK(denotes(y, denoted<std::int64_t>(e, x.layout, m1.sizes(), small_number)));
}

void check_all() {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (shape const& e : {shape::of(13, 7), shape::of(world_size(), 1), shape::of(0, 5)}) {
      check_there_and_back<layout<"z", none>, layout<"x", "y">>(row, m, e);
      check_there_and_back<layout<none, "z">, layout<"y", none>>(row, m, e);
      check_there_and_back<layout<none, none>, layout<axes("y", "x"), none>>(row, m, e);
      check_there_and_back<layout<cyclic("z", 2), none>, layout<"x", cyclic("y", 3)>>(row, m, e);
      check_pending<partial<layout<none, none>, "z">, layout<"x", "y">>(row, m, e);
      check_pending<partial<layout<none, none>, "z", op::max>, layout<none, none>>(row, m, e);
      check_pending<partial<layout<"x", none>, "y">, layout<none, "z">>(m, row, e);
      check_pending<layout<none, "z">, partial<layout<"x", none>, "y", op::prod>>(row, m, e);
      check_pending<layout<none, none>, partial<layout<none, none>, axes("x", "y")>>(row, m, e);
      check_pending<partial<partial<layout<none, none>, "x", op::min>, "y">, layout<"z", none>>(m, row, e);
      check_there_and_back<layout<"y", "x">, layout<"x", none>>(
          m, device_mesh<grid>(MPI_COMM_WORLD, {sizes[1], sizes[0]}), e);
    }
  });
}

}  // namespace

TEST_CASE("between meshes: there and back") { check_all(); }

TEST_CASE("between meshes: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_all();
}

TEST_CASE("between meshes: the bytes of the dry run are those of the rank that receives most") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const counted = dry_run(row.shape(), [&](auto const& a) {
      (void)redistribute<layout<"x", "y">>(make<double, layout<"z", none>>(a, {13, 7}), m.shape());
    });
    auto const x = tensor_of<double, layout<"z", none>>(row, shape::of(13, 7), small_number);
    auto const had = positions(x.extents(), x.layout, row.sizes(), row.rank());
    auto const y = redistribute<layout<"x", "y">>(x, m);
    std::int64_t lacked = 0;
    for (index_t p : positions(y.extents(), y.layout, m.sizes(), m.rank()))
      lacked += !std::binary_search(had.begin(), had.end(), p);
    MPI_Allreduce(MPI_IN_PLACE, &lacked, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(counted.count() == (world_size() > 1 ? 1 : 0));
    CHECK(counted.bytes_per_rank() == lacked * static_cast<index_t>(sizeof(double)));
  });
}

// What is partial in several kinds arrives as it is to be: no step but the exchange, in whatever order the axes stand.
template <class To>
constexpr auto arrives = [](auto const& a) {
  (void)redistribute<To>(make<double, layout<"z", none>>(a, {13, 7}), grid{{2, 2}});
};
using x_outside = partial<partial<layout<none, none>, "y", op::max>, "x">;
using y_outside = partial<partial<layout<none, none>, "x", op::max>, "y">;
static_assert(dry_run(line{{4}}, arrives<x_outside>).count() == 1);
static_assert(dry_run(line{{4}}, arrives<y_outside>).count() == 1);

TEST_CASE("between meshes: other ranks are an error on every rank") {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  auto const x = tensor_of<float, layout<"z">>(row, shape::of(8), small_number);
  doctest::Contains const other_ranks(
      "ashlar::redistribute: the other mesh has the ranks of the tensor's, in the same order; make both from one communicator");
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -row.rank(), &reversed);
  {
    device_mesh<line> const backwards(reversed, {world_size()});
    if (world_size() > 1) CHECK_THROWS_WITH_AS((void)redistribute<layout<none>>(x, backwards), other_ranks, error);
    device_mesh<line> const alone(MPI_COMM_SELF, {1});
    if (world_size() > 1) CHECK_THROWS_WITH_AS((void)redistribute<layout<none>>(x, alone), other_ranks, error);
  }
  MPI_Comm_free(&reversed);
}

// labels: mpich
// Blocks that are not contiguous in a shard: packed, or described by derived datatypes. Both send the same messages.
#include "ashlar/tensor/exchange_of_blocks.hpp"
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/arrays/roll.hpp"
#include "ashlar/ops/products/transpose.hpp"
#include "ashlar/tensor/products/products.hpp"
#include "ashlar/tensor/arrays/roll.hpp"
#include "support/dense.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <optional>
#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;
using algorithm = comm::algorithm;

device_mesh<line> all_ranks() { return device_mesh<line>(MPI_COMM_WORLD, {world_size()}); }

template <class T, class L>
auto numbers(device_mesh<line> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, small_number);
}
template <class X>
auto value_of(X const& x) {
  return denoted<element_t<X>>(x.extents(), x.layout, x.mesh().sizes(), small_number);
}

// Extents that divide and that do not, and shards without elements.
std::vector<shape> shapes() {
  index_t const p = world_size();
  return {shape::of(3 * p, 2 * p, 3), shape::of(p + 1, 2 * p - 1, 5), shape::of(1, 13, 2), shape::of(p, 1, 1),
          shape::of(0, 3, 4)};
}

template <class T>
void check_all(device_mesh<line> const& m) {
  for (shape const& e : shapes()) {
    CAPTURE(e[0]);
    CAPTURE(e[1]);
    auto const rows = numbers<T, layout<"x", none, none>>(m, e);
    auto const columns = numbers<T, layout<none, "x", none>>(m, e);
    auto const last = numbers<T, layout<none, none, "x">>(m, e);
    auto const expected = value_of(rows);
    CHECK(denotes(all_gather<"x">(rows), expected));
    CHECK(denotes(all_gather<"x">(columns), value_of(columns)));
    CHECK(denotes(all_gather<"x">(last), value_of(last)));
    CHECK(denotes(all_to_all<"x", 1>(rows), expected));
    CHECK(denotes(all_to_all<"x", 2>(rows), expected));
    CHECK(denotes(all_to_all<"x", 0>(columns), value_of(columns)));
    CHECK(denotes(all_to_all<"x", 2>(columns), value_of(columns)));
    CHECK(denotes(all_to_all<"x", 0>(last), value_of(last)));
    CHECK(denotes(roll<1>(roll<-2>(columns, 2), -2), value_of(columns)));
    auto const turned = transpose<2, 0, 1>(columns, to_layout<layout<"x", none, none>>);
    CHECK(denotes(transpose<1, 2, 0>(turned, to_layout<layout<none, "x", none>>), value_of(columns)));
  }
}

// As the table says, packed, by types, and each rank in its own way.
std::vector<std::optional<algorithm>> ways() {
  algorithm const own = testing::rank() % 2 == 0 ? algorithm::exchange : algorithm::exchange_by_types;
  return {{}, algorithm::exchange, algorithm::exchange_by_types, own, algorithm::mpi};
}

}  // namespace

TEST_CASE("exchange of blocks: the same result by each algorithm, whatever the other ranks use") {
  for (auto const& way : ways()) {
    messages_of_mpi const scope;
    comm::tuned.forced = way;
    for (std::size_t const limit : {comm_detail::largest_count, std::size_t{7}}) {
      comm::tuned.count_limit = limit;
      auto const m = all_ranks();
      check_all<double>(m);
      check_all<std::int8_t>(m);
    }
  }
}

TEST_CASE("exchange of blocks: the same counts of messages and bytes by each algorithm") {
  ASHLAR_NEEDS(world_size() > 1);
  std::optional<comm::counters> first;
  std::vector<std::uint64_t> types_made;
  for (algorithm const way : {algorithm::exchange, algorithm::exchange_by_types}) {
    messages_of_mpi const scope;
    comm::tuned.forced = way;
    auto const m = all_ranks();
    auto const before = pmpi::counted();
    check_all<double>(m);
    auto const counted = pmpi::counted() - before;
    if (!first) first = m.counters();
    CHECK(m.counters().all_gather.calls == first->all_gather.calls);
    CHECK(m.counters().all_gather.bytes == first->all_gather.bytes);
    CHECK(m.counters().all_to_all.calls == first->all_to_all.calls);
    CHECK(m.counters().all_to_all.bytes == first->all_to_all.bytes);
    CHECK(m.counters().mpi_sends == first->mpi_sends);
    types_made.push_back(counted.types_made);
  }
  CHECK((types_made[1] > types_made[0]) == host_reads_tensors);
}

TEST_CASE("exchange of blocks: a sender describes rows of 64 bytes by a type, and a receiver unpacks") {
  ASHLAR_NEEDS(world_size() > 1 && host_reads_tensors);
  messages_of_mpi const scope;
  comm::tuned.forced = algorithm::exchange;
  auto const m = all_ranks();
  index_t const p = world_size();
  auto const types_made = [](auto const& f) {
    auto const before = pmpi::counted();
    f();
    return (pmpi::counted() - before).types_made;
  };
  CHECK(types_made([&] { (void)all_to_all<"x", 1>(numbers<double, layout<"x", none>>(m, shape::of(4 * p, 8 * p))); }) >
        0);
  CHECK(types_made([&] { (void)all_to_all<"x", 1>(numbers<double, layout<"x", none>>(m, shape::of(4 * p, 7 * p))); }) ==
        0);
  CHECK(types_made([&] { (void)all_to_all<"x", 0>(numbers<double, layout<none, "x">>(m, shape::of(4 * p, 8 * p))); }) ==
        0);
  CHECK(types_made([&] { (void)all_gather<"x">(numbers<double, layout<none, "x">>(m, shape::of(4, 8 * p))); }) == 0);
}

TEST_CASE("derived types: made once for equal blocks, and freed with their communicator") {
  ASHLAR_NEEDS(world_size() > 1 && host_reads_tensors);
  messages_by_types const scope;
  auto const start = pmpi::counted();
  {
    auto const m = all_ranks();
    auto const columns = numbers<float, layout<none, "x">>(m, shape::of(6, 4 * world_size()));
    (void)all_gather<"x">(columns);
    auto const made = (pmpi::counted() - start).types_made;
    CHECK(made > 0);
    for (int i = 0; i < 5; ++i) (void)all_gather<"x">(columns);
    CHECK((pmpi::counted() - start).types_made == made);
    CHECK(m.communicator("x").state().types.size() == 1);
    for (index_t n = 2; n < 100; ++n)
      (void)all_gather<"x">(numbers<float, layout<none, "x">>(m, shape::of(n, 4 * world_size())));
    CHECK(m.communicator("x").state().types.size() == comm_detail::derived_types::most);
  }
  auto const all = pmpi::counted() - start;
  CHECK(all.types_made == all.types_freed);
}

TEST_CASE("exchange of blocks: a send that fails is an error on every rank, and another mesh goes on") {
  ASHLAR_NEEDS(world_size() > 1);
  messages_by_types const scope;
  comm::tuned.patience = 0.05;
  bool const fails = testing::rank() == 0;
  {
    auto const m = all_ranks();
    auto const columns = numbers<double, layout<none, "x">>(m, shape::of(300, 40 * world_size()));
    if (fails) pmpi::refuse_send(1);
    std::string const text = said([&] { (void)all_gather<"x">(columns); });
    CHECK(text.find(fails ? "MPI_Isend" : " has given up after an error") != std::string::npos);
  }
  check_all<double>(all_ranks());
}

TEST_CASE("exchange of blocks: ranks that call another collective learn it") {
  ASHLAR_NEEDS(world_size() > 1);
  messages_by_types const scope;
  comm::tuned.patience = 0.05;
  {
    auto const m = all_ranks();
    auto const columns = numbers<double, layout<none, "x">>(m, shape::of(3 * world_size(), 4 * world_size()));
    std::string const text = said([&] {
      if (testing::rank() == 0)
        (void)all_to_all<"x", 0>(columns);
      else
        (void)all_gather<"x">(columns);
    });
    CHECK(text.find("all_to_all") != std::string::npos);
    CHECK(text.find("all_gather") != std::string::npos);
  }
  check_all<double>(all_ranks());
}

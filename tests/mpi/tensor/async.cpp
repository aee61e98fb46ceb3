// labels: mpich
// Collectives that begin now and are complete later: the same results as of those that block, whatever comes between.
#include "ashlar/ops/async.hpp"
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/arrays/gather.hpp"
#include "ashlar/tensor/memory_use.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include "support/pmpi_counters.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <type_traits>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

// Calls f(mesh, extents) for every mesh; the last ones are too large to travel whole, or in a line of cache.
template <class F>
void on_every_mesh(F f) {
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    CAPTURE(sizes[0]);
    CAPTURE(sizes[1]);
    index_t const p = m.size();
    for (shape const& e :
         {shape::of(2 * p, p), shape::of(p + 1, 5), shape::of(1, 13), shape::of(0, 3), shape::of(257, 131)})
      f(m, e);
  });
}

template <class L>
auto numbers(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<double, L>(m, e, small_number);
}
template <class X>
auto shard_of(X const& x) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x.view());
  return std::vector<double>(host.data(), host.data() + host.size());
}
template <class X, class Y>
bool same(X const& x, Y const& y) {
  static_assert(std::is_same_v<X, Y>);
  return shard_of(x) == shard_of(y);
}

}  // namespace

static_assert(!std::is_copy_constructible_v<pending<sharded_tensor<double, layout<none>, grid>>>);
static_assert(std::is_move_constructible_v<pending<sharded_tensor<double, layout<none>, grid>>>);

TEST_CASE("async: the same bits as of collectives that block") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = numbers<layout<"x", "y">>(m, e);
    auto gathered = all_gather_async<"y">(x);
    CHECK(same(gathered.wait(), all_gather<"y">(x)));
    auto moved = all_to_all_async<"x", 1>(x);
    CHECK(same(moved.wait(), all_to_all<"x", 1>(x)));
    auto const s = numbers<partial<layout<"x", none>, "y">>(m, e);
    auto reduced = all_reduce_async<"y">(s);
    CHECK(same(reduced.wait(), all_reduce<"y">(s)));
    auto whatever = all_reduce_async(s);
    CHECK(same(whatever.wait(), all_reduce(s)));
    auto const largest = numbers<partial<layout<none, none>, axes("x", "y"), op::max>>(m, e);
    auto scattered = reduce_scatter_async<axes("x", "y"), 1>(largest);
    CHECK(same(scattered.wait(), reduce_scatter<axes("x", "y"), 1>(largest)));
    // Several steps; none; and slices alone.
    auto there = redistribute_async<layout<"y", none>>(s);
    CHECK(same(there.wait(), redistribute<layout<"y", none>>(s)));
    CHECK(same(redistribute_async<layout<"x", "y">>(x).wait(), x));
    auto const rows = numbers<layout<"x", none>>(m, e);  // a block goes to several ranks
    CHECK(same(redistribute_async<layout<"y", none>>(rows).wait(), redistribute<layout<"y", none>>(rows)));
    auto const whole = numbers<layout<none, none>>(m, e);
    auto sliced = redistribute_async<layout<"y", "x">>(whole);
    CHECK(sliced.ready());
    CHECK(same(sliced.wait(), redistribute<layout<"y", "x">>(whole)));
  });
}

TEST_CASE("async: several are under way, with others between, and are taken in another order") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = numbers<layout<"x", "y">>(m, e);
    auto const s = numbers<partial<layout<none, "y">, "x">>(m, e);
    auto first = all_gather_async<"x">(x);
    auto second = all_reduce_async<"x">(s);
    auto third = all_gather_async<"y">(x);
    auto fourth = reduce_scatter_async<"x", 0>(s);
    auto const between = all_to_all<"y", 0>(x);
    CHECK(same(fourth.wait(), reduce_scatter<"x", 0>(s)));
    CHECK(same(second.wait(), all_reduce<"x">(s)));
    CHECK(same(third.wait(), all_gather<"y">(x)));
    CHECK(same(first.wait(), all_gather<"x">(x)));
    CHECK(same(between, all_to_all<"y", 0>(x)));
  });
}

namespace {

// Each rank waits for its left neighbour's word, which comes when that has begun its collectives: rank 0 begins them first.
void begin_one_after_the_other() {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  communicator const ranks(MPI_COMM_WORLD);
  for (index_t n : {2, 40, 1000}) {
    auto const x = numbers<layout<"x", none>>(m, shape::of(n, 37));
    auto const s = numbers<partial<layout<none, none>, "x">>(m, shape::of(n, 37));
    auto word = [&](int from, int to, bool sends) {
      char c = 0;
      MPI_Request r = MPI_REQUEST_NULL;
      if (sends)
        MPI_Isend(&c, 1, MPI_CHAR, to, 5, MPI_COMM_WORLD, &r);
      else
        MPI_Irecv(&c, 1, MPI_CHAR, from, 5, MPI_COMM_WORLD, &r);
      ranks.wait(r);
    };
    int const me = m.rank(), p = world_size();
    if (me > 0) word(me - 1, me, false);
    auto sums = all_reduce_async<"x">(s);
    if (me + 1 < p) word(me, me + 1, true);
    CHECK(same(sums.wait(), all_reduce<"x">(s)));
    if (me > 0) word(me - 1, me, false);
    auto rows = all_gather_async<"x">(x);
    if (me + 1 < p) word(me, me + 1, true);
    // Looking alone brings it to its end.
    while (!rows.ready()) sched_yield();
    CHECK(same(rows.wait(), all_gather<"x">(x)));
  }
}

}  // namespace

TEST_CASE("async: nobody waits at the begin") { begin_one_after_the_other(); }

TEST_CASE("async: nor where collectives that block compare themselves first") {
  collectives_of_mpi const scope;
  comm::tuned.agree_every = 1;
  begin_one_after_the_other();
}

TEST_CASE("async: of several of one kind each rank may have got on with others") {
  ASHLAR_NEEDS(world_size() > 1);
  messages_of_mpi const scope;
  comm::tuned.forced = comm::algorithm::exchange_in_parts;
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const s = numbers<partial<layout<none, none>, "y">>(m, shape::of(40, 20)), t = plan_detail::materialize(3.0 * s);
  auto const expected = all_reduce<"y">(s), other = all_reduce<"y">(t);
  // Looks until this rank has posted the second part of its messages.
  auto const look = [&](auto& sums) {
    for (auto const posted = m.counters().mpi_sends; m.counters().mpi_sends == posted;) {
      (void)sums.ready();
      sched_yield();
    }
  };
  for (int const early : {0, world_size() - 1}) {
    auto first = all_reduce_async<"y">(s);
    MPI_Barrier(MPI_COMM_WORLD);
    if (m.rank() == early) look(first);
    MPI_Barrier(MPI_COMM_WORLD);
    auto second = all_reduce_async<"y">(t), third = all_reduce_async<"y">(s);
    MPI_Barrier(MPI_COMM_WORLD);
    if (m.rank() == early) {
      look(third);
      look(second);
    }
    CHECK(same(first.wait(), expected));
    CHECK(same(second.wait(), other));
    CHECK(same(third.wait(), expected));
  }
}

TEST_CASE("async: one that fails where its rank looks is over, on every rank") {
  ASHLAR_NEEDS(world_size() > 1);
  messages_of_mpi const scope;
  comm::tuned.patience = 0.05;
  comm::tuned.forced = comm::algorithm::exchange_in_parts;
  for (bool const waits : {false, true}) {
    bool const fails = testing::rank() == 0;
    {
      device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
      auto s = numbers<partial<layout<none, none>, "y">>(m, shape::of(40, 20));
      auto sums = all_reduce_async<"y">(s);
      if (fails) {
        pmpi::refuse_send(1);
        std::string const text = said([&] {
          while (!sums.ready()) sched_yield();
        });
        CHECK(text.find("MPI_Isend") != std::string::npos);
        if (waits) CHECK(said([&] { (void)sums.wait(); }) == text);
        fill(s, 1.0);  // nobody reads it any more
      } else {
        CHECK(said([&] { (void)sums.wait(); }).find(" has given up after an error") != std::string::npos);
      }
    }
    CHECK(comm_detail::collective_log::instance().begun() == comm_detail::collective_log::instance().done());
    device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});  // and goes on
    auto const s = numbers<partial<layout<none, none>, "y">>(m, shape::of(40, 20));
    CHECK(same(all_reduce_async<"y">(s).wait(), all_reduce<"y">(s)));
  }
}

TEST_CASE("async: an operand that is updated, or given up, meanwhile is not touched") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto x = numbers<layout<"x", none>>(m, e);
    auto const before = all_gather<"x">(x);
    auto rows = all_gather_async<"x">(x);
    fill(x, 3.0);
    CHECK(same(rows.wait(), before));
    // On one rank along y, y's memory is x's until one of the two is updated.
    auto y = redistribute<layout<"x", "y">>(x);
    auto const expected = all_gather<"x">(y);
    auto again = all_gather_async<"x">(y);
    fill(x, 4.0);
    fill(y, 5.0);
    CHECK(same(again.wait(), expected));
    auto gone = [&] {
      auto const doubled = 2.0 * x;
      return all_gather_async<"x">(doubled);
    }();
    CHECK(same(gone.wait(), plan_detail::materialize(2.0 * all_gather<"x">(x))));
  });
}

TEST_CASE("async: an operand that has had another tensor's memory keeps its own when that one changes") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto x = numbers<layout<"x", none>>(m, e);
    auto y = redistribute<layout<"x", "y">>(x);  // x's memory, on one rank along y, until one of the two is updated
    fill(y, 1.0);
    auto const expected = all_gather<"x">(y);
    auto rows = all_gather_async<"x">(y);
    fill(x, 2.0);
    auto other = numbers<layout<"x", "y">>(m, e);
    fill(other, 7.0);
    CHECK(same(rows.wait(), expected));
  });
}

TEST_CASE("async: what is dropped is complete, what is taken or moved is gone") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const s = numbers<partial<layout<none, none>, "y">>(m, shape::of(300, 20));
  for (int i = 0; i < 20; ++i) {
    auto const dropped = all_reduce_async<"y">(s);
  }
  auto one = all_reduce_async<"y">(s), other = all_reduce_async<"y">(s);
  one = std::move(other);  // which drops the first
  CHECK(same(one.wait(), all_reduce<"y">(s)));
  std::string const sentence =
      "ashlar::pending: the result was taken before, or the object was moved from; wait once, where it is now";
  CHECK(said([&] { (void)one.wait(); }) == sentence);
  CHECK(said([&] { (void)other.ready(); }) == sentence);
  CHECK(same(all_reduce_async<"y">(s).wait(), all_reduce<"y">(s)));
}

TEST_CASE("async: a collective that blocks elsewhere is another one") {
  if (world_size() == 1) return;
  double const patience = std::exchange(comm::tuned.patience, 0.05);
  {
    device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
    auto const x = numbers<layout<"x", none>>(m, shape::of(world_size(), 600));
    std::string const text = said([&] {
      if (m.rank() == 1)
        (void)all_gather<"x">(x);
      else
        (void)all_gather_async<"x">(x).wait();
    });
    // Who comes late finds that the others have gone.
    bool const late = m.rank() != 1 && text.find(" has given up after an error") != std::string::npos;
    CHECK((late || text.find("the ranks do not call the same, in the same order") != std::string::npos));
  }
  comm::tuned.patience = patience;
}

TEST_CASE("async: chunks overlap with what is done with them, each once and in order") {
  on_every_mesh([](auto const& m, shape const& e) {
    auto const x = numbers<layout<"x", "y">>(m, e);
    for (index_t n : {0, 1, 2, 5}) {
      index_t used = 0;
      overlap_chunks(
          n, [&](index_t i) { return all_gather_async<"x">(plan_detail::materialize(static_cast<double>(i) * x)); },
          [&](index_t i, auto const& whole) {
            CHECK(i == used++);
            CHECK(same(whole, plan_detail::materialize(static_cast<double>(i) * all_gather<"x">(x))));
          });
      CHECK(used == n);
    }
  });
}

TEST_CASE("async: the same memory serves again and again") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const s = numbers<partial<layout<none, none>, "x">>(m, shape::of(300, 50));
  auto const x = numbers<layout<none, "x">>(m, shape::of(300, 50));
  auto const step = [&] {
    auto sums = all_reduce_async<"x">(s);
    auto whole = all_gather_async<"x">(x);
    (void)sums.wait();
    (void)whole.wait();
  };
  for (int i = 0; i < 3; ++i) step();
  using pool = tensor_detail::pool<Kokkos::DefaultExecutionSpace::memory_space>;
  std::size_t const before = pool::allocations();
  for (int i = 0; i < 50; ++i) step();
  CHECK(pool::allocations() == before);
}

TEST_CASE("async: a collective under way holds no more memory than one that blocks") {
  index_t const p = world_size();
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  for (shape const& e : {shape::of(6, 2 * p, 3 * p), shape::of(5, p + 1, p + 2), shape::of(2, 7 * p, 1)}) {
    auto const x = tensor_of<double, layout<none, "x", none>>(m, e, small_number);  // neither side lies in order
    auto const most = [&](auto f) {
      std::size_t const before = memory_in_use().bytes;
      reset_peak_memory();
      (void)f();
      return memory_in_use().peak - before;
    };
    std::size_t const blocks = most([&] { return all_to_all<"x", 2>(x); });
    CHECK(most([&] { return all_to_all_async<"x", 2>(x).wait(); }) == blocks);
  }
}

namespace {
constexpr auto program = [](auto const& m) {
  auto const x = make<float, layout<"x", none>>(m, {8, 6});
  auto a = all_gather_async<"x">(x);
  auto b = redistribute_async<layout<none, "x">>(x);
  (void)a.wait();
  (void)b.wait();
};
constexpr auto begun = dry_run(grid{{2, 1}}, program);
static_assert(begun.count() == 2 && begun.count(collective::all_gather, "x") == 1 &&
              begun.count(collective::all_to_all, "x") == 1);
static_assert(begun.bytes_per_rank() == 4 * 6 * 4 + 4 * 3 * 4);
}  // namespace

TEST_CASE("async: messages of its own are not taken for MPI's collectives, after which ranks compare") {
  ASHLAR_NEEDS(world_size() > 1);
  collectives_of_mpi const scope;
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const s = tensor_of<double, partial<layout<none>, "y">>(m, shape::of(100), small_number);
  (void)all_reduce_async<"y">(s).wait();
  CHECK_FALSE(m.communicator().state().desync.used_collectives);
  (void)all_reduce<"y">(s);
  CHECK(m.communicator().state().desync.used_collectives);
}

TEST_CASE("async: a collective of another thread is an error there, and the collective goes on here") {
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_WORLD, {world_size()});
  if (m.size() == 1) return;
  auto const x = tensor_of<double, layout<"x">>(m, shape::of(m.size() + 1), small_number);
  auto in_flight = all_gather_async<"x">(x);
  std::string begin;
  std::thread([&] { begin = said([&] { (void)all_gather<"x">(x); }); }).join();
  CHECK(begin.find("ashlar: another thread of this process has called collectives before") == 0);
  CHECK(denotes(in_flight.wait(), denoted<double>(x.extents(), x.layout, m.sizes(), small_number)));
}

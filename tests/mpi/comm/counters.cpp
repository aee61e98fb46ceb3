#include <ashlar/comm/counters.hpp>

#include <doctest/doctest.h>

#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "cases.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;
using namespace cases;

namespace {

struct used {
  comm::counters ours;
  pmpi::counts mpi;
};

// What f adds to the counters of a communicator and to MPI's. One serves all cases: making one takes longer than most.
template <class F>
used measure(F f) {
  static communicator const c(MPI_COMM_WORLD);
  c.counters() = {};
  auto const before = pmpi::counted();
  f(c);
  return {c.counters(), pmpi::counted() - before};
}

std::uint64_t calls(comm::counters const& n) {
  return n.all_reduce.calls + n.all_gather.calls + n.reduce_scatter.calls + n.all_to_all.calls + n.permute.calls +
         n.broadcast.calls + n.agreement.calls;
}

}  // namespace

TEST_CASE("counters: they say what MPI is asked to do, for every collective and every way") {
  for_each_way(communicator(MPI_COMM_WORLD), [](tuning const& how) {
    for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(50)}) {
      CAPTURE(n);
      int p = 0, r = 0;
      MPI_Comm_size(MPI_COMM_WORLD, &p);
      MPI_Comm_rank(MPI_COMM_WORLD, &r);
      bool const silent = n == 0 || p == 1;
      auto const check = [&](auto collective, comm::counters::entry comm::counters::*entry, std::size_t elements) {
        used const u = measure(collective);
        CHECK(u.ours.mpi_collectives == u.mpi.collectives() + u.mpi.persistent_starts);
        CHECK(u.ours.mpi_sends == u.mpi.sends);
        CHECK(u.mpi.communicators_made == 0);
        CHECK((u.ours.*entry).calls == (silent ? 0 : 1));
        CHECK((u.ours.*entry).bytes == (silent ? 0 : elements * sizeof(int)));
        CHECK(calls(u.ours) == (u.ours.*entry).calls);
        CHECK((u.mpi.communication() == 0) == silent);
      };
      std::size_t const others = std::size_t(p - 1);
      std::vector<int> x(n * std::size_t(p) + 1), y(n * std::size_t(p) + 1);
      int *const a = x.data(), *const b = y.data();
      auto const reduce = [=](communicator const& c) { comm::all_reduce<op::sum>(c, a, b, n, how); };
      check(reduce, &comm::counters::all_reduce, n);
      check([=](communicator const& c) { comm::all_gather(c, a, n, b, how); }, &comm::counters::all_gather, n);
      check([=](communicator const& c) { comm::reduce_scatter<op::sum>(c, a, b, n, how); },
            &comm::counters::reduce_scatter, others * n);
      check([=](communicator const& c) { comm::all_to_all(c, a, n, b, how); }, &comm::counters::all_to_all, others * n);
      check([=](communicator const& c) { comm::broadcast(c, a, n, 0, how); }, &comm::counters::broadcast,
            r == 0 ? n : 0);
    }
  });
}

TEST_CASE("counters: MPI's own collectives are one call of MPI each") {
  tuning const how{.forced = algorithm::mpi};
  communicator const c(MPI_COMM_WORLD);
  auto const p = std::size_t(c.size());
  std::uint64_t const one = p > 1;
  std::vector<double> x(5 * p), y(5 * p);
  std::vector<std::size_t> counts(p, 1);
  counts.back() = 3;
  auto const f = [&](auto collective) { return measure(collective).mpi; };

  auto mpi = f([&](communicator const& k) { comm::all_reduce<op::sum>(k, x.data(), 5, how); });
  CHECK(mpi.all_reduce == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::all_gather(k, x.data(), 5, y.data(), how); });
  CHECK(mpi.all_gather == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::all_gather(k, x.data(), counts, how); });
  CHECK(mpi.all_gather == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::reduce_scatter<op::sum>(k, x.data(), y.data(), 5, how); });
  CHECK(mpi.reduce_scatter == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::reduce_scatter<op::sum>(k, x.data(), y.data(), counts, how); });
  CHECK(mpi.reduce_scatter == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::all_to_all(k, x.data(), 5, y.data(), how); });
  CHECK(mpi.all_to_all == one);
  CHECK(mpi.communication() == one);
  mpi = f([&](communicator const& k) { comm::broadcast(k, x.data(), 5, 0, how); });
  CHECK(mpi.broadcast == one);
  CHECK(mpi.communication() == one);
}

TEST_CASE("counters: an exchange is a message to each other rank and one from it") {
  tuning const whole{.forced = algorithm::exchange}, parts{.forced = algorithm::exchange_in_parts};
  communicator const c(MPI_COMM_WORLD);
  auto const p = std::size_t(c.size());
  std::vector<float> x(10 * p), y(10 * p);
  auto const sends = [&](auto collective) {
    auto const mpi = measure(collective).mpi;
    CHECK(mpi.communication() == 2 * mpi.sends);
    return mpi.sends;
  };
  CHECK(sends([&](communicator const& k) { comm::all_reduce<op::sum>(k, x.data(), 10 * p, whole); }) == p - 1);
  CHECK(sends([&](communicator const& k) { comm::all_reduce<op::sum>(k, x.data(), 10 * p, parts); }) == 2 * (p - 1));
  CHECK(sends([&](communicator const& k) { comm::all_gather(k, x.data(), 10, whole); }) == p - 1);
  CHECK(sends([&](communicator const& k) { comm::reduce_scatter<op::sum>(k, x.data(), y.data(), 10, whole); }) ==
        p - 1);
  CHECK(sends([&](communicator const& k) { comm::all_to_all(k, x.data(), 10, y.data(), whole); }) == p - 1);
  CHECK(sends([&](communicator const& k) {
          int const to = (k.rank() + 1) % k.size(), from = (k.rank() + k.size() - 1) % k.size();
          comm::permute(k, x.data(), 10, to, y.data(), 10, from, whole);
        }) == (p > 1 ? 1 : 0));
}

TEST_CASE("counters: agreeing is one small collective, counted apart") {
  used const u = measure([](communicator const& c) {
    comm::collectively(c, [] {});
    comm::on_root(c, [] {});
    index_t const values[] = {1, 2, 3};
    comm::require_equal(c, values, "values");
  });
  bool const alone = communicator(MPI_COMM_WORLD).size() == 1;
  CHECK(u.mpi.all_reduce == (alone ? 0 : 3));
  CHECK(u.mpi.communication() == u.mpi.all_reduce);
  CHECK(u.ours.mpi_collectives == u.mpi.all_reduce);
  CHECK(u.ours.agreement.calls == u.mpi.all_reduce);
  CHECK(calls(u.ours) == u.ours.agreement.calls);
}

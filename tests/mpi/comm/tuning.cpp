// labels: mpich
#include <ashlar/comm/collectives/tuning.hpp>

#include <doctest/doctest.h>

#include <array>

#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"
#include "cases.hpp"
#include "support/mpi_main.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;
using namespace cases;

namespace {

// An element of this file alone, for which it chooses.
struct metres {
  double x;
  friend metres operator+(metres a, metres b) { return {a.x + b.x}; }
  friend bool operator==(metres, metres) = default;
};

std::vector<comm::collective_call> asked;
algorithm answer = algorithm::exchange;

constexpr std::array all_collectives{collective::all_reduce, collective::all_gather, collective::reduce_scatter,
                                     collective::all_to_all};

}  // namespace

template <>
struct ashlar::comm::mpi_datatype<metres> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <>
struct ashlar::comm::algorithm_for<metres> {
  static algorithm of(collective_call const& c) {
    asked.push_back(c);
    return answer;
  }
};

TEST_CASE("algorithm_for: a specialisation decides, and is asked what all ranks know") {
  ASHLAR_NEEDS(testing::ranks() > 1);
  communicator const c(MPI_COMM_WORLD);
  auto const p = std::size_t(c.size());
  std::vector<metres> x(3 * p, metres{1}), y(3 * p);
  struct expected {
    collective what;
    bool in_place;
    std::size_t elements;
  };
  auto const check = [&](auto collective, expected e) {
    for (algorithm a : {algorithm::exchange, algorithm::mpi, algorithm::persistent}) {
      asked.clear();
      answer = a;
      auto const before = pmpi::counted();
      collective(tuning{});
      auto const used = pmpi::counted() - before;
      REQUIRE(asked.size() == 1);
      CHECK(asked[0].what == e.what);
      CHECK(asked[0].in_place == e.in_place);
      CHECK(asked[0].ranks == c.size());
      CHECK(asked[0].bytes == e.elements * sizeof(metres));
      CHECK(asked[0].may_exchange);
      CHECK((used.sends > 0) == (a == algorithm::exchange));
      CHECK(used.collectives() ==
            (a == algorithm::mpi || (a == algorithm::persistent && !comm_detail::persists(e.what)) ? 1 : 0));
      CHECK(used.persistent_starts == (a == algorithm::persistent && comm_detail::persists(e.what) ? 1 : 0));
      collective(tuning{.exchange_ranks = 1});
      CHECK(!asked.back().may_exchange);
      collective(tuning{.forced = algorithm::exchange});  // is not asked for
      CHECK(asked.size() == 2);
    }
  };
  check([&](tuning const& how) { comm::all_reduce<op::sum>(c, x.data(), y.data(), 5, how); },
        {collective::all_reduce, false, 5});
  CHECK(y[4] == metres{double(p)});
  std::vector<metres> z(2, metres{1});
  check([&](tuning const& how) { comm::all_reduce<op::sum>(c, z.data(), 2, how); }, {collective::all_reduce, true, 2});
  check([&](tuning const& how) { comm::all_gather(c, x.data(), 3, y.data(), how); },
        {collective::all_gather, false, 3 * p});
  check([&](tuning const& how) { comm::reduce_scatter<op::sum>(c, x.data(), y.data(), 3, how); },
        {collective::reduce_scatter, false, 3 * p});
  check([&](tuning const& how) { comm::all_to_all(c, x.data(), 3, y.data(), how); },
        {collective::all_to_all, false, 3 * p});
}

TEST_CASE("tuning_table: exchanges for ranks that may exchange, and else MPI's own") {
  for (collective v : all_collectives)
    for (bool in_place : {false, true})
      for (int ranks : {2, 3, 4, 16, 17, 100000})
        for (std::size_t bytes = 1; bytes < std::size_t(1) << 40; bytes *= 2) {
          if (in_place && v != collective::all_reduce) continue;
          comm::collective_call call{v, in_place, ranks, bytes};
          CHECK(comm_detail::is_exchange(comm_detail::look_up(comm_detail::measured_rows, call)));
          call.may_exchange = false;
          CHECK(!comm_detail::is_exchange(comm_detail::look_up(comm_detail::measured_rows, call)));
          call = {v, in_place, ranks, bytes, true, true};
          if (v == collective::all_gather || v == collective::all_to_all)
            CHECK(comm_detail::is_exchange(comm_detail::look_up(comm_detail::measured_rows, call)));
        }
}

TEST_CASE("look_up: the first row that fits, and else the usual one") {
  using enum algorithm;
  comm_detail::tuning_row const rows[]{{collective::all_reduce, false, 2, 100, exchange_in_parts, persistent},
                                       {collective::all_reduce, false, 4, 200, exchange, mpi_in_place},
                                       {collective::all_gather, false, 2, 100, exchange_by_types, mpi, true}};
  auto const found = [&](collective v, bool in_place, int ranks, std::size_t bytes, bool exchanges) {
    return comm_detail::look_up(rows, {v, in_place, ranks, bytes, exchanges});
  };
  CHECK(found(collective::all_reduce, false, 2, 100, true) == exchange_in_parts);
  CHECK(found(collective::all_reduce, false, 2, 100, false) == persistent);
  CHECK(found(collective::all_reduce, false, 2, 101, false) == mpi_in_place);
  CHECK(found(collective::all_reduce, false, 3, 100, true) == exchange);
  CHECK(found(collective::all_reduce, false, 4, 201, true) == exchange);
  CHECK(found(collective::all_reduce, false, 5, 1 << 20, true) == exchange_in_parts);
  CHECK(found(collective::all_reduce, true, 2, 1, false) == mpi_in_place);
  CHECK(found(collective::reduce_scatter, false, 2, 1, false) == mpi);
  CHECK(found(collective::broadcast, false, 2, 1, true) == mpi);
  CHECK(found(collective::all_gather, false, 2, 100, true) == exchange);
  CHECK(comm_detail::look_up(rows, {collective::all_gather, false, 2, 100, true, true}) == exchange_by_types);
  CHECK(comm_detail::look_up(rows, {collective::all_gather, false, 2, 101, true, true}) == exchange);
  CHECK(comm_detail::look_up(rows, {collective::all_gather, false, 2, 100, false, true}) == mpi);
}

TEST_CASE("tuning: what MPI alone reads is neither combined nor copied here") {
  communicator const c(MPI_COMM_WORLD);
  for (algorithm a : {algorithm::exchange, algorithm::exchange_in_parts, algorithm::exchange_by_types,
                      algorithm::persistent, algorithm::mpi, algorithm::mpi_in_place}) {
    tuning const how{.forced = a, .host_memory = false};
    CHECK(comm_detail::choose(c, comm_detail::element_type_of<float>, collective::all_reduce, 10, how) ==
          algorithm::mpi);
    CHECK(comm_detail::choose(c, comm_detail::element_type_of<float>, collective::all_reduce, 10, how, true) ==
          algorithm::mpi_in_place);
    CHECK(!comm_detail::is_exchange(
        comm_detail::choose(c, comm_detail::element_type_of<float>, collective::all_to_all, 10, how)));
  }
}

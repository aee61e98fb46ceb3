// A trace holds what the compiler counted, for every rank.
#include "ashlar/comm/trace.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/pending.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include <doctest/doctest.h>
#include <cstdio>
#include <fstream>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;

constexpr auto program = [](auto const& m) {
  auto x = make<float, layout<"x", none>>(m, {24, 10});
  (void)all_gather<"x">(x);
  (void)all_to_all<"x", 1>(x);
  (void)all_reduce(sum(x));
  (void)all_reduce<"x">(bundle(sum<0>(x), sum(x)));
  (void)redistribute<layout<"x", none>>(x);  // nothing
};

// A file of this run's alone: several may run in this folder. Collective: over all ranks, the first time.
std::string path() {
  static int const process = [] {
    int rank_0 = getpid();
    MPI_Bcast(&rank_0, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return rank_0;
  }();
  return "trace_of_" + std::to_string(process) + ".json";
}

}  // namespace

TEST_CASE(
    "trace: a row for each rank, with the collectives that the dry run lists, their bytes and lines, one after the other") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  program(m);  // before: not in the trace
  {
    comm::trace trace(m.communicator(), path());
    program(m);
    trace.write();
    program(m);  // behind
  }
  if (m.rank() != 0) return;
  std::ifstream in(path());
  auto const all = nlohmann::json::parse(in).at("traceEvents");
  auto const expected = dry_run(m.shape(), program);
  std::map<int, std::vector<nlohmann::json>> row;
  for (auto const& e : all) row[e.at("pid")].push_back(e);
  CHECK(row.size() == static_cast<std::size_t>(world_size()));
  for (auto const& [rank, events] : row) {
    REQUIRE(events.size() == static_cast<std::size_t>(expected.count()) + 1);
    CHECK(events[0].at("args").at("name") == "rank " + std::to_string(rank));
    double last = 0;
    for (std::size_t i = 1; i < events.size(); ++i) {
      auto const& note = expected[static_cast<int>(i) - 1];
      CHECK(events[i].at("name") == std::string(to_text(note.what)) + " over x");
      CHECK(events[i].at("args").at("line") == "trace.cpp:" + std::to_string(note.line));
      CHECK(events[i].at("args").at("bytes") <= note.bytes_per_rank);  // of the rank that receives most
      if (24 % world_size() == 0 && 10 % world_size() == 0 && note.what != collective::all_reduce)
        CHECK(events[i].at("args").at("bytes") == note.bytes_per_rank);
      CHECK(events[i].at("ts") >= last);
      last = events[i].at("ts").get<double>() + events[i].at("dur").get<double>() - 0.01;
    }
  }
  std::remove(path().c_str());
}

TEST_CASE("trace: a collective that is completed later has its bytes once") {
  ASHLAR_NEEDS(world_size() > 1);
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const x = make<float, layout<"x", none>>(m, {24, 10});
  comm::trace trace(m.communicator(), path());
  (void)all_gather_async<"x">(x).wait();
  trace.write();
  if (m.rank() != 0) return;
  std::ifstream in(path());
  index_t bytes = 0, entries = 0;
  auto const all = nlohmann::json::parse(in).at("traceEvents");
  for (auto const& e : all)
    if (e.at("name") == "all_gather over x") ++entries, bytes += e.at("args").at("bytes").get<index_t>();
  CHECK(entries == 2 * world_size());
  CHECK(bytes == (world_size() - 1) * 24 * 10 * static_cast<index_t>(sizeof(float)));
  std::remove(path().c_str());
}

TEST_CASE("trace: a file that cannot be written is an error on every rank") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  CHECK_THROWS_WITH_AS(comm::trace(m.communicator(), "/nowhere/trace.json"),
                       "ashlar::trace: cannot write /nowhere/trace.json; choose a file in a folder that may be written",
                       error);
  if (!std::filesystem::exists("/dev/full")) return;  // a device of Linux, on which no byte has room
  comm::trace full(m.communicator(), "/dev/full");
  program(m);
  CHECK_THROWS_WITH_AS(full.write(),
                       doctest::Contains("ashlar::trace: writing /dev/full failed; free room on its file system, or "
                                         "choose a file elsewhere"),
                       error);
}

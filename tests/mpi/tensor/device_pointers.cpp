// Whether MPI is given pointers into a device's memory: what the user says, what the library says, what is tried.
#include "ashlar/tensor/device_probe.hpp"
#include "support/host_memory.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::comm_detail;
using test::said, test::variable;

namespace {

struct outcome {
  device_pointers decided;
  int probes = 0;
};
outcome decide(std::optional<bool> library, bool whole) {
  outcome o;
  o.decided = decide_device_pointers(MPI_COMM_WORLD, library, [&] { return ++o.probes, whole; });
  return o;
}

}  // namespace

TEST_CASE("the library is believed when it says no or nothing, and tried when it says yes") {
  for (std::optional<bool> const library : {std::optional<bool>(), std::optional(false)}) {
    outcome const o = decide(library, true);
    CHECK(!o.decided.direct);
    CHECK(o.probes == 0);
  }
  for (bool const whole : {false, true}) {
    outcome const o = decide(true, whole);
    CHECK(o.decided.direct == whole);
    CHECK(o.probes == 1);
  }
  for (device_kind const k : {device_kind::cuda, device_kind::hip, device_kind::sycl}) {
    auto const says = library_takes_pointers_of(k);
    CHECK(decide(says, true).decided.direct == says.value_or(false));
  }
}

TEST_CASE("one rank that cannot is enough for all to stage") {
  for (int rank = 0; rank < testing::ranks(); ++rank) {
    bool const mine = testing::rank() == rank;
    outcome const silent = decide(mine ? std::nullopt : std::optional(true), true);
    CHECK(!silent.decided.direct);
    CHECK(silent.probes == 0);
    CHECK(!decide(true, !mine).decided.direct);
    variable const user("ASHLAR_GPU_AWARE", mine ? "0" : "1");
    outcome const stages = decide(true, true);
    CHECK(stages.decided.because == "ASHLAR_GPU_AWARE=0");
    CHECK(stages.probes == 0);
  }
}

TEST_CASE("the user's word counts before the library's, and is tried") {
  {
    variable const user("ASHLAR_GPU_AWARE", "0");
    CHECK(!decide(true, true).decided.direct);
  }
  variable const user("ASHLAR_GPU_AWARE", "1");
  for (std::optional<bool> const library : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    CHECK(decide(library, true).decided.direct);
    CHECK(said([&] {
            decide(library, false);
          }).find("ASHLAR_GPU_AWARE is 1, and a message from a device's memory did not arrive whole") !=
          std::string::npos);
  }
  for (int rank = 0; rank < testing::ranks(); ++rank) {
    variable const other("ASHLAR_GPU_AWARE", testing::rank() == rank ? "yes" : "1");
    CHECK(said([&] { decide(true, true); }).find("expected ASHLAR_GPU_AWARE to be 0 or 1") != std::string::npos);
  }
}

TEST_CASE("messages of memory that MPI reads arrive whole; where the host reads it nothing is decided") {
  CHECK(ashlar::tensor_detail::messages_arrive_whole<Kokkos::DefaultHostExecutionSpace>(MPI_COMM_WORLD));
  if constexpr (ashlar::test::host_reads_tensors) {
    ashlar::tensor_detail::decide_for_default_device();
    CHECK(!device_memory.direct);
    CHECK(ashlar::comm::tuned.host_memory);
  }
}

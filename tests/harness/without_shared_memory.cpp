// Ranks of a node that cannot read each other's memory: a run for each case, since a process asks for its memory once.
#include "ashlar/tensor/describe.hpp"
#include "support/four_collectives.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;

constexpr char const* no_segment = "the system refuses shared memory, or ASHLAR_SHARED_MEMORY is 0";
constexpr char const* not_mapped = "a rank cannot map another one's memory; are they in separate containers?";

// What f() writes to stderr on this rank.
template <class F>
std::string written_by(F f) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  int const before = dup(2);
  dup2(fileno(file), 2);
  f();
  std::fflush(stderr);
  dup2(before, 2);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

device_mesh<line> mesh_on(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return device_mesh<line>(comm, {ranks});
}

// All ranks use messages, get what is right, and know why.
void check_messages(device_mesh<line> const& m, char const* reason) {
  CHECK(m.without_shared_memory() == (m.size() > 1 ? reason : ""));
  CHECK(std::string_view(m.transport()) == (m.size() > 1 ? "MPI" : "none"));
  std::ostringstream out;
  describe(out, m);
  CHECK((out.str().find(std::string("\nno shared memory: ") + reason + "\n") != std::string::npos) == (m.size() > 1));
  for (index_t const n : {1, 7, 3000}) check_four_collectives(m, n);
}

// Rank 0 says it, and nobody else.
void check_said(std::string const& text, char const* reason) {
  CHECK(
      text ==
      (testing::rank() == 0 ? std::string("ashlar: ranks of a node exchange messages of MPI: ") + reason + "\n" : ""));
}

bool is_last() { return testing::rank() == testing::ranks() - 1; }

}  // namespace

TEST_CASE("memory: one rank has none") {
  std::optional<variable> none;
  if (is_last()) none.emplace("ASHLAR_SHARED_MEMORY", "0");
  check_said(written_by([] {
               check_messages(mesh_on(MPI_COMM_WORLD), no_segment);
               check_messages(mesh_on(MPI_COMM_WORLD), no_segment);
             }),
             no_segment);
}

TEST_CASE("memory: nobody has any, and meshes are made of parts") {
  variable const none("ASHLAR_SHARED_MEMORY", "0");
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, testing::rank() / 2, 0, &part);
  check_said(written_by([&] {
               check_messages(mesh_on(part), no_segment);
               check_messages(mesh_on(MPI_COMM_WORLD), no_segment);
             }),
             no_segment);
  MPI_Comm_free(&part);
}

// As in a container of its own, but for the reason: there is no room for the others' memory.
TEST_CASE("memory: one rank cannot map the others'") {
  variable const size("ASHLAR_SHARED_MEMORY", "1G");
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  if (is_last()) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    REQUIRE(pages > 0);
    rlimit const own_alone{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t(3) << 29), before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &own_alone) == 0);
  }
  check_said(written_by([] { check_messages(mesh_on(MPI_COMM_WORLD), not_mapped); }), not_mapped);
  setrlimit(RLIMIT_AS, &before);
}

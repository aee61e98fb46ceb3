// Ranks of a node that cannot read each other's memory: a run for each case, since a process asks for its memory once.
#include "ashlar/comm/thread.hpp"
#include "ashlar/io/npy_files.hpp"
#include "ashlar/tensor/products/describe.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/four_collectives.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"
#include "support/shared_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace ashlar;
using namespace ashlar::io;
using namespace ashlar::test;

namespace {

using line = mesh<axis<"x">>;

constexpr char const* no_segment = "the system refuses shared memory, or ASHLAR_SHARED_MEMORY is 0";
constexpr char const* no_addresses =
    "the limit of address space (ulimit -v) leaves no room for the memory of all ranks of the node; raise it, or give "
    "ASHLAR_SHARED_MEMORY a smaller size, such as 1G";

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

// A limit of the address space: `bytes` more than this process has.
class little_more {
 public:
  explicit little_more(rlim_t bytes) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    REQUIRE(pages > 0);
    REQUIRE(getrlimit(RLIMIT_AS, &before_) == 0);
    rlimit const little{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  }
  little_more(little_more const&) = delete;
  little_more& operator=(little_more const&) = delete;
  ~little_more() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

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

TEST_CASE("memory: one rank cannot map the others', since its address space is limited") {
  variable const size("ASHLAR_SHARED_MEMORY", "1G");
  std::optional<little_more> own_alone;
  if (is_last()) own_alone.emplace(rlim_t(3) << 29);
  check_said(written_by([] { check_messages(mesh_on(MPI_COMM_WORLD), no_addresses); }), no_addresses);
}

TEST_CASE("memory: one rank has no room for a buffer, a thread or a whole tensor, and says how much it lacks") {
  shared_folder const folder;
  device_mesh<line> const m = mesh_on(MPI_COMM_WORLD);
  auto const x = zeros<double, layout<"x">>(m, {index_t{1} << 21});
  auto const limited = [&](auto const& f) {
    std::optional<little_more> limit;
    if (is_last()) limit.emplace(rlim_t(1) << 20);
    return said(f);
  };
  auto const says = [](std::string const& sentence, std::string const& part) {
    CHECK_MESSAGE(sentence.find(part) != sentence.npos, sentence);
  };
  std::string const last = std::to_string(m.size() - 1);
  // Two buffers of 2 MiB, by which the elements travel.
  says(limited([&] { save_npy(m, folder.path / "x.npy", x); }),
       "ashlar: the memory does not suffice for 4194304 bytes more (on rank " + last +
           "); called at without_shared_memory.cpp:");
  CHECK(said([&] { save_npy(m, folder.path / "x.npy", x); }) == "");
  comm_detail::joined_thread thread;
  std::string const refused = limited([&] { thread.start([](void*) {}, nullptr); });
  if (is_last()) says(refused, "does not suffice for a thread more with a stack of ");
  little_more const everywhere(rlim_t(1) << 20);
  says(said([&] { (void)gather_all(x); }),
       "ashlar::gather_all: the memory does not suffice for a tensor of extents (2097152), of which this rank has "
       "2097152 elements of 8 bytes, 16777216 bytes in all; called at without_shared_memory.cpp:");
}

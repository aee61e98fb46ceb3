// solver_culprit HOW: the ranks call solvers of ScaLAPACK, and rank 1 does not come to the first one. Each of the others has to
// learn it before the library is called.
// leaves, throws: it leaves main, or throws an error of its own. stops: it is stopped until the others have given up by the
// deadline. inside: all come, and rank 1 is late for SECONDS within the library, which waits in MPI. descriptor: the first call
// is of scalapack_descriptor, which makes a grid of BLACS, and rank 1 leaves main.
#include <ashlar/ashlar.hpp>
#include <ashlar/linalg/cholesky.hpp>
#include "../support/culprit.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ashlar;
using namespace ashlar::linalg;
using namespace ashlar::test;

namespace {

constexpr int culprit = 1;
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<cyclic("p", 2), cyclic("q", 2)>;

struct definite {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return i == j ? 9 : 1; }
};

// True if each of the ranks has heard an error with this part. One of them says so.
bool report(MPI_Comm ranks, std::string const& heard, std::string const& part) {
  int right = heard.find(part) != std::string::npos, all = 0, rank = 0;
  if (right == 0) std::printf("heard %s\n", heard.c_str());
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, ranks);
  MPI_Comm_rank(ranks, &rank);
  if (all != 0 && rank == 0) std::printf("all others heard: %s\n", heard.c_str());
  std::fflush(stdout);
  MPI_Barrier(ranks);  // before one of them ends the run
  return all != 0;
}

}  // namespace

int main(int count, char** arguments) {
  environment const env;
  std::string const how = arguments[1];
  int rank = 0, ranks = 0, process = getpid();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == culprit, rank, &others);
  MPI_Bcast(&process, 1, MPI_INT, culprit, MPI_COMM_WORLD);

  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks, 1});
  auto const a = generate<double, blocks>(m, {9, 9}, definite{});
  if (how == "inside") {
    unsigned const seconds = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 4;
    auto const late = [&](auto const&) -> char const* {
      if (rank == culprit) sleep(seconds);
      MPI_Barrier(MPI_COMM_WORLD);
      return nullptr;
    };
    std::string const heard = said([&] { linalg_detail::call_solver("linalg::late", call_site::current(), late, a); });
    if (!heard.empty()) std::printf("heard %s\n", heard.c_str());
    return !heard.empty();
  }
  if (how == "stops" && rank == culprit) {
    std::raise(SIGSTOP);
    return 0;
  }
  if (how == "stops")
    while (!is_stopped(process)) sched_yield();
  std::string const heard = said([&] {
    if (rank != culprit && how == "descriptor") (void)linalg::scalapack_descriptor(a);
    if (rank != culprit) (void)linalg::cholesky(a);
    if (rank == culprit && how == "throws") throw error("an error of its own");
  });
  if (rank == culprit) return how == "throws";
  std::string const call = "call 1 of the mesh, linalg::cholesky over p+q, solver_culprit.cpp:";
  if (how != "stops") {
    report(others, heard, how == "descriptor" ? "scalapack_descriptor" : " waits in " + call);
    return 1;
  }
  if (!report(others, heard, " s in " + call)) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) kill(process, SIGCONT);
  return 0;
}

// saver FOLDER STEPS [async] [kill MICROSECONDS] [limit BYTES]: goes on from the newest checkpoint in FOLDER, whose every element must be
// what its step says, and saves after each of STEPS more steps. Prints "resumed S" and "saved S". With kill one of its ranks ends itself
// by SIGKILL so long after its first save began; with limit no file of the last rank may become longer. An error ends it with status 3 and its sentence, wrong elements with 4.
#include <ashlar/tensor/environment.hpp>
#include <ashlar/checkpoint/checkpoints.hpp>

#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"copies">, axis<"x">>;

namespace {

// Elements that differ from step to step and from place to place, in each of two layouts.
template <class A, class B>
struct pair_of {
  A rows;
  B whole;
  static constexpr auto names = ashlar::names("rows", "whole");
};
struct element {
  index_t step;
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>(step * 1000000 + i * 64 + j);
  }
};
auto state_at(device_mesh<grid> const& m, index_t step) {
  return build<pair_of>(generate<double, layout<none, "x">>(m, {203, 64}, element{step}),
                        generate<double, layout<none, none>>(m, {9, 64}, element{-step}));
}
bool equal(device_mesh<grid> const& m, index_t step, auto const& found) {
  bool same = true;
  auto const expected = state_at(m, step);
  for_each_leaf([&](auto const& a, auto const& b) { same = same && gather_all(a) == gather_all(b); }, expected, found);
  return same;
}

int run(int argc, char** argv) {
  std::string const folder = argv[1];
  index_t const steps = std::atol(argv[2]);
  bool asynchronous = false;
  long kill_after = -1, limit = -1;
  for (int i = 3; i < argc; ++i) {
    if (std::string(argv[i]) == "async") asynchronous = true;
    if (std::string(argv[i]) == "kill") kill_after = std::atol(argv[++i]);
    if (std::string(argv[i]) == "limit") limit = std::atol(argv[++i]);
  }
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const copies = ranks % 4 == 0 ? 2 : 1;
  device_mesh<grid> const m(MPI_COMM_WORLD, {copies, ranks / copies});
  auto const report = [&](char const* what, index_t step) {
    if (m.rank() == 0) std::printf("%s %ld\n", what, static_cast<long>(step)), std::fflush(stdout);
  };

  checkpoints c(m.communicator(), folder, {.every = 1, .keep = 2, .asynchronous = asynchronous});
  auto state = state_at(m, -1);
  long counted = 0;
  index_t step = 0;
  if (auto const found = c.resume(checkpoint_part("state", state), checkpoint_part("counted", counted))) {
    step = *found;
    if (counted != step || !equal(m, step, state)) {
      report("wrong", step);
      return 4;
    }
  }
  report("resumed", step);
  if (limit >= 0 && m.rank() == m.size() - 1) {
    std::signal(SIGXFSZ, SIG_IGN);  // then writing fails
    rlimit const most{static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  std::thread killer;
  if (kill_after >= 0 && m.rank() == static_cast<int>(kill_after / 100 % m.size()))
    killer = std::thread([=] {
      std::this_thread::sleep_for(std::chrono::microseconds(kill_after));
      ::kill(::getpid(), SIGKILL);
    });
  for (index_t const last = step + steps; step < last;) {
    state = state_at(m, ++step);
    counted = step;
    c.after_step(step, checkpoint_part("state", state), checkpoint_part("counted", counted));
    report("saved", asynchronous ? step - 1 : step);  // of asynchronous saves one is finished when the next begins
  }
  c.finish();
  if (asynchronous) report("saved", step);
  if (killer.joinable()) killer.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  environment const env;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return argc >= 3 ? run(argc, argv) : 2;
  } catch (std::exception const& e) {
    if (rank == 0) std::fprintf(stderr, "saver: %s\n", e.what());
    return 3;
  }
}

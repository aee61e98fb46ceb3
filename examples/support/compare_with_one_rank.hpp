// A program on a mesh against the same program on one rank.
#pragma once
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <ashlar/comm/agree.hpp>
#include <ashlar/comm/device_mesh.hpp>

namespace examples {

using namespace ashlar;

/// Runs program(m, false) on all ranks, then program(one, true) on rank 0, where `one` is a mesh of rank 0 alone. Each
/// returns its loss. Rank 0 writes both times and losses: "one rank: 0.131 s, loss 0.8123; mesh of 2: 0.162 s, loss
/// 0.8123". Roundings differ from mesh to mesh, and grow: a relu whose argument is next to 0 is on in one run and off
/// in another. So compare runs of few steps.
/// Pre: program(one, true) has no collective of other ranks.
/// Collective: all ranks of m; the others wait for rank 0.
/// Error: ashlar::error on every rank if the losses differ by more than `tolerance`, relative to the loss of one
/// rank. An infinite tolerance compares nothing.
/// Example: compare_with_one_rank(m, 1e-10, [&](auto const& on, bool alone) { return train(on, alone ? silent : o); });
template <class M, class Program>
void compare_with_one_rank(device_mesh<M> const& m, double tolerance, Program program) {
  using clock = std::chrono::steady_clock;
  struct result {
    double loss, seconds;
  };
  auto const run = [&](device_mesh<M> const& on, bool alone) {
    auto const start = clock::now();
    double const loss = program(on, alone);
    return result{loss, std::chrono::duration<double>(clock::now() - start).count()};
  };
  result const together = run(m, false);
  comm::on_root(m.communicator(), [&] {
    std::array<int, static_cast<std::size_t>(M::axes)> ones;
    ones.fill(1);
    result const alone = run(device_mesh<M>(MPI_COMM_SELF, std::span<int const>(ones)), true);
    std::printf("\none rank: %.3f s, loss %.4f; mesh of %d: %.3f s, loss %.4f\n", alone.seconds, alone.loss, m.size(),
                together.seconds, together.loss);
    if (std::isinf(tolerance)) return;
    if (!(std::abs(together.loss - alone.loss) <= tolerance * std::abs(alone.loss)))
      throw error("compare_with_one_rank: the losses of one rank and of the mesh differ: " +
                  std::to_string(alone.loss) + " and " + std::to_string(together.loss) +
                  "; look for an operation that depends on the number of ranks, or raise the tolerance");
  });
}

}  // namespace examples

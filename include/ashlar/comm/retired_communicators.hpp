// SPDX-License-Identifier: BSL-1.0
// MPI communicators of meshes that have ended.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/desync/fingerprint.hpp"
#include "ashlar/comm/mpi.hpp"

namespace ashlar::comm_detail {

/// The communicators of meshes made from one communicator of the program, from the end of each mesh to its release.
/// Other ranks may be in a call that this rank has skipped, and their messages on their way here. MPI would give the
/// number of a freed communicator to the next one, and these messages arrive there. All ranks free the communicators of
/// a mesh at the same meeting, after all have retired them and made the same calls there. Otherwise no rank frees them.
/// Collective: all ranks add the same meshes in the same order, and settle with the same sums.
class retired_communicators {
 public:
  /// A communicator of a mesh: the number of the mesh, its own number there, and its first rank in the mesh. The last two
  /// tell communicators of the mesh apart, also if other ranks have them.
  struct place {
    std::uint64_t mesh_number = 0;
    unsigned part = 0;
    int first = 0;
  };

  /// Pre: numbers ascend.
  void add_mesh(std::uint64_t number) { meshes_[number]; }
  /// This rank has one more communicator of a mesh.
  void expect(std::uint64_t mesh_number) { ++meshes_.at(mesh_number).balance[in_use]; }
  /// Keeps a communicator, whose rank and size are given, until all ranks have retired it. `calls` is equal on its ranks if
  /// they have made the same calls.
  void retire(place const& p, int rank, int size, std::uint64_t calls, MPI_Comm c);
  /// The same for a communicator that no rank may free: this rank had an error there.
  void keep(std::uint64_t mesh_number);
  /// Calls end(handle) before it frees the communicators of a mesh, for an object of another library that uses one.
  void end_before(std::uint64_t mesh_number, void (*end)(int), int handle) {
    meshes_.at(mesh_number).retired.insert({-1, {MPI_COMM_NULL, end, handle}});
  }

  /// Three numbers for each mesh, which the ranks add up: communicators in use, communicators with errors, and a third one.
  /// Its sum is 0 if the ranks of each communicator have made the same calls.
  std::vector<std::uint64_t> balances() const;
  /// Frees the communicators of meshes that have ended well on all ranks. Forgets communicators of meshes that have
  /// ended otherwise. `sums`: the balances of all ranks, added up.
  void settle(std::span<std::uint64_t const> sums);

 private:
  enum { in_use, with_error, difference, numbers };
  struct retired_one {
    MPI_Comm handle;
    void (*end)(int);  // null for a communicator
    int user;
  };
  struct mesh {
    std::array<std::uint64_t, numbers> balance{};
    std::multimap<std::int64_t, retired_one> retired;  // in order
  };
  std::map<std::uint64_t, mesh> meshes_;  // by number
};

}  // namespace ashlar::comm_detail

#if ASHLAR_IMPL
#include "ashlar/comm/impl/retired_communicators.ipp"
#endif

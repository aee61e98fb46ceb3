// MPI communicators of meshes that have ended.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/comm/desync/fingerprint.hpp"
#include "ashlar/comm/mpi.hpp"

namespace ashlar::comm_detail {

/// An object of another library that uses a communicator, and ends before it.
struct user_of_communicator {
  void (*end)(int);
  int handle;
};

/// Frees a communicator after its users.
inline void free_communicator(MPI_Comm c, std::vector<user_of_communicator> const& users) {
  for (user_of_communicator const& u : users) u.end(u.handle);
  MPI_Comm_free(&c);
}

/// The communicators of meshes made from one communicator of the program, from the end of each mesh to its release. Other
/// ranks may be in a call that this rank has skipped, and their messages on their way here. MPI would give the number of a
/// freed communicator to the next one, and these messages arrive there. So all ranks free the communicators of a mesh at
/// the same meeting, if all of them have retired them and made the same calls there. Otherwise no rank frees them.
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

  void add_mesh(std::uint64_t number) { meshes_.push_back({number, 0, 0, 0, {}}); }
  /// This rank has one more communicator of a mesh.
  void expect(std::uint64_t mesh_number) { ++of(mesh_number).live; }
  /// Keeps a communicator, whose rank and size are given, until all ranks have retired it. `calls` is equal on its ranks if
  /// they have made the same calls.
  void retire(place const& p, int rank, int size, std::uint64_t calls, MPI_Comm c,
              std::vector<user_of_communicator> users);
  /// The same for a communicator that no rank may free: this rank had an error there.
  void keep(std::uint64_t mesh_number);

  /// Three numbers for each mesh. The ranks add them up: communicators in use, ranks' communicators with errors, and a
  /// number that is 0 if the ranks of each communicator have made the same calls.
  std::vector<std::uint64_t> balances() const;
  /// Frees the communicators of meshes that have ended well on all ranks, and forgets those of meshes that have ended
  /// otherwise. `sums`: the balances of all ranks, added up.
  void settle(std::span<std::uint64_t const> sums);

 private:
  struct retired {
    unsigned part;
    MPI_Comm handle;
    std::vector<user_of_communicator> users;
  };
  struct ending_mesh {
    std::uint64_t number, live, kept, difference;
    std::vector<retired> communicators;  // by part
  };
  ending_mesh& of(std::uint64_t mesh_number);

  std::vector<ending_mesh> meshes_;
};

}  // namespace ashlar::comm_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/comm/compiled/retired_communicators.hpp"
#endif

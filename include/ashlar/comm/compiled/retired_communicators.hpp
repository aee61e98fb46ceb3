// The functions of comm/retired_communicators.hpp.
#pragma once
#include <algorithm>

#include "ashlar/comm/retired_communicators.hpp"

namespace ashlar::comm_detail {

ASHLAR_INLINE void retired_communicators::retire(place const& p, int rank, int size, std::uint64_t calls, MPI_Comm c,
                                                 std::vector<user_of_communicator> users) {
  ending_mesh& m = of(p.mesh_number);
  --m.live;
  // The weights of the ranks of a communicator add up to 0.
  auto const weight = rank == 0 ? std::uint64_t{1} - static_cast<std::uint64_t>(size) : std::uint64_t{1};
  m.difference += weight * fingerprint_of(collective::exchange, p.mesh_number, p.part, p.first, calls);
  auto const at = std::find_if(m.communicators.begin(), m.communicators.end(),
                               [&](retired const& other) { return other.part > p.part; });
  m.communicators.insert(at, {p.part, c, std::move(users)});
}

ASHLAR_INLINE void retired_communicators::keep(std::uint64_t mesh_number) {
  ending_mesh& m = of(mesh_number);
  --m.live;
  ++m.kept;
}

ASHLAR_INLINE std::vector<std::uint64_t> retired_communicators::balances() const {
  std::vector<std::uint64_t> b;
  for (ending_mesh const& m : meshes_) b.insert(b.end(), {m.live, m.kept, m.difference});
  return b;
}

ASHLAR_INLINE void retired_communicators::settle(std::span<std::uint64_t const> sums) {
  std::vector<ending_mesh> in_use;
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    if (sums[3 * i] != 0) {
      in_use.push_back(std::move(meshes_[i]));
    } else if (sums[3 * i + 1] == 0 && sums[3 * i + 2] == 0) {
      for (retired const& r : meshes_[i].communicators) free_communicator(r.handle, r.users);
    }
  }
  meshes_ = std::move(in_use);
}

ASHLAR_INLINE retired_communicators::ending_mesh& retired_communicators::of(std::uint64_t mesh_number) {
  return *std::find_if(meshes_.begin(), meshes_.end(), [&](ending_mesh const& m) { return m.number == mesh_number; });
}

}  // namespace ashlar::comm_detail

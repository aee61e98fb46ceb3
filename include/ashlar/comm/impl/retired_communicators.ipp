// SPDX-License-Identifier: BSL-1.0
// The functions of comm/retired_communicators.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE void retired_communicators::retire(place const& p, int rank, int size, std::uint64_t calls, MPI_Comm c) {
  mesh& m = meshes_.at(p.mesh_number);
  --m.balance[in_use];
  // The weights of the ranks of a communicator add up to 0.
  auto const weight = rank == 0 ? std::uint64_t{1} - static_cast<std::uint64_t>(size) : std::uint64_t{1};
  m.balance[difference] += weight * fingerprint_of(collective::exchange, p.mesh_number, p.part, p.first, calls);
  m.retired.insert({p.part, {c, nullptr, 0}});
}

ASHLAR_INLINE void retired_communicators::keep(std::uint64_t mesh_number) {
  auto& balance = meshes_.at(mesh_number).balance;
  --balance[in_use];
  ++balance[with_error];
}

ASHLAR_INLINE std::vector<std::uint64_t> retired_communicators::balances() const {
  std::vector<std::uint64_t> all;
  for (auto const& [number, m] : meshes_) all.insert(all.end(), m.balance.begin(), m.balance.end());
  return all;
}

ASHLAR_INLINE void retired_communicators::settle(std::span<std::uint64_t const> sums) {
  for (auto m = meshes_.begin(); m != meshes_.end(); sums = sums.subspan(numbers)) {
    if (sums[in_use] != 0) {
      ++m;
      continue;
    }
    if (sums[with_error] == 0 && sums[difference] == 0)
      for (auto& [order, r] : m->second.retired) r.end ? r.end(r.user) : static_cast<void>(MPI_Comm_free(&r.handle));
    m = meshes_.erase(m);
  }
}

}  // namespace ashlar::comm_detail

// SPDX-License-Identifier: BSL-1.0
// The functions of comm/retired_communicators.hpp.
#include <utility>

namespace ashlar::comm_detail {

ASHLAR_INLINE void retired_communicators::add_mesh(std::uint64_t number) {
  meshes_.push_back(number);
  balances_.resize(balances_.size() + numbers);
}

ASHLAR_INLINE void retired_communicators::retire(place const& p, int rank, int size, std::uint64_t calls, MPI_Comm c) {
  std::uint64_t* const b = balance(p.mesh_number);
  --b[in_use];
  // The weights of the ranks of a communicator add up to 0.
  auto const weight = rank == 0 ? std::uint64_t{1} - static_cast<std::uint64_t>(size) : std::uint64_t{1};
  b[difference] += weight * fingerprint_of(collective::exchange, p.mesh_number, p.part, p.first, calls);
  add({p.mesh_number, p.part, c, nullptr, 0});
}

ASHLAR_INLINE void retired_communicators::keep(std::uint64_t mesh_number) {
  std::uint64_t* const b = balance(mesh_number);
  --b[in_use];
  ++b[with_error];
}

ASHLAR_INLINE void retired_communicators::end_before(std::uint64_t mesh_number, void (*end)(int), int handle) {
  add({mesh_number, -1, MPI_COMM_NULL, end, handle});
}

ASHLAR_INLINE void retired_communicators::settle(std::span<std::uint64_t const> sums) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    std::uint64_t const* const sum = sums.data() + numbers * i;
    if (sum[in_use] == 0) {
      release(meshes_[i], sum[with_error] == 0 && sum[difference] == 0);
      continue;
    }
    meshes_[left] = meshes_[i];
    for (std::size_t k = 0; k < numbers; ++k) balances_[numbers * left + k] = balances_[numbers * i + k];
    ++left;
  }
  meshes_.resize(left);
  balances_.resize(numbers * left);
}

ASHLAR_INLINE std::uint64_t* retired_communicators::balance(std::uint64_t mesh_number) {
  std::size_t i = 0;
  while (meshes_[i] != mesh_number) ++i;
  return &balances_[numbers * i];
}

ASHLAR_INLINE void retired_communicators::add(retired const& r) {
  retired_.push_back(r);
  for (std::size_t i = retired_.size() - 1; i > 0 && retired_[i].order < retired_[i - 1].order; --i)
    std::swap(retired_[i], retired_[i - 1]);
}

ASHLAR_INLINE void retired_communicators::release(std::uint64_t mesh_number, bool frees) {
  std::size_t left = 0;
  for (retired& r : retired_) {
    if (r.mesh_number != mesh_number) {
      retired_[left++] = r;
    } else if (frees && r.end != nullptr) {
      r.end(r.user);
    } else if (frees) {
      MPI_Comm_free(&r.handle);
    }
  }
  while (retired_.size() > left) retired_.pop_back();
}

}  // namespace ashlar::comm_detail

// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/arrays/between_meshes.hpp.

namespace ashlar::tensor_detail {

ASHLAR_INLINE step_transfers transfers_between(layout_value const& from, mesh_shape const& before,
                                               layout_value const& to, mesh_shape const& after, shape const& extents,
                                               int rank) {
  region const source = local_region(extents, from, before, rank), destination = local_region(extents, to, after, rank);
  step_transfers m;
  m.source = source.extents();
  m.destination = destination.extents();
  m.fingerprint = fingerprint_of_extents(
      collective::exchange,
      fingerprint_of(collective::exchange, encode(from), encode_blocks(from), encode(to), encode_blocks(to)), extents);
  for (int a = 0; a < after.axes; ++a)
    m.fingerprint = fingerprint_of(collective::exchange, m.fingerprint, after.size[a]);
  for (int p = 0; p < before.ranks(); ++p) {
    m.send(source, local_region(extents, to, after, p), sends_to(from, before, rank, p));
    m.receive(destination, local_region(extents, from, before, p), sends_to(from, before, p, rank));
  }
  m.finish(source, destination, rank);
  return m;
}

ASHLAR_INLINE void require_same_ranks(communicator const& a, communicator const& b) {
  int relation = MPI_IDENT;
  if (a.size() == b.size() && a.size() > 1)
    comm_detail::check_mpi(MPI_Comm_compare(a.get(), b.get(), &relation), "MPI_Comm_compare");
  if (a.size() != b.size() || (relation != MPI_IDENT && relation != MPI_CONGRUENT))
    throw error(
        "ashlar::redistribute: the other mesh has the ranks of the tensor's, in the same order; make both from one communicator");
}

}  // namespace ashlar::tensor_detail

// SPDX-License-Identifier: BSL-1.0
// The functions of comm/collectives/persistent.hpp.

namespace ashlar::comm_detail {

ASHLAR_INLINE persistent_collective::~persistent_collective() {
  // MPI may still write to the buffers of a collective that an error has left under way.
  if (is_under_way)
    static_cast<void>(room_.release());
  else if (request != MPI_REQUEST_NULL && mpi_is_usable())
    MPI_Request_free(&request);
}

}  // namespace ashlar::comm_detail

// SPDX-License-Identifier: BSL-1.0
// The MPI type of pairs of value and index, so that collectives reduce results of argmax.
#pragma once
#include "ashlar/comm/mpi.hpp"
#include "ashlar/ops/extremum_index.hpp"

namespace ashlar::comm {

/// Bytes, which extremum combines.
template <class T, class Less>
struct mpi_datatype<ops_detail::extremum<T, Less>> {
  static MPI_Datatype get() {
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL) {
      comm_detail::check_mpi(MPI_Type_contiguous(sizeof(ops_detail::extremum<T, Less>), MPI_BYTE, &type),
                             "MPI_Type_contiguous");
      comm_detail::check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    }
    return type;
  }
};
template <class T, class Less>
struct mpi_op<op::sum, ops_detail::extremum<T, Less>> {
  struct first_of_two : op::sum {};
  static constexpr bool is_own = false;
  static MPI_Op get() { return mpi_op<first_of_two, ops_detail::extremum<T, Less>>::get(); }
};

}  // namespace ashlar::comm

// SPDX-License-Identifier: BSL-1.0
// The MPI type of softmax_part, so that collectives reduce tensors of parts.
#pragma once
#include "ashlar/comm/mpi.hpp"
#include "ashlar/ops/sharded_cross_entropy.hpp"

namespace ashlar::comm {

/// Three numbers, which MPI sends and softmax_part combines.
template <class T>
struct mpi_datatype<ops_detail::softmax_part<T>> {
  static MPI_Datatype get() {
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL) {
      comm_detail::check_mpi(MPI_Type_contiguous(3, mpi_datatype<T>::get(), &type), "MPI_Type_contiguous");
      comm_detail::check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    }
    return type;
  }
};
template <class T>
struct mpi_op<op::sum, ops_detail::softmax_part<T>> {
  struct sum_of_parts : op::sum {};
  static constexpr bool is_own = false;
  static MPI_Op get() { return mpi_op<sum_of_parts, ops_detail::softmax_part<T>>::get(); }
};

}  // namespace ashlar::comm

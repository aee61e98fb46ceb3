// SPDX-License-Identifier: BSL-1.0
// The MPI type of elements that hold several numbers, and that the sum of two combines.
#pragma once
#include "ashlar/comm/mpi.hpp"
#include "ashlar/layout/op.hpp"

namespace ashlar::tensor_detail {

/// An element of several numbers, which says so by a member of this name.
template <class T>
concept part_of_a_sum = requires { typename T::part_of_a_sum; };

}  // namespace ashlar::tensor_detail

namespace ashlar::comm {

/// Bytes, which operator+ combines.
template <tensor_detail::part_of_a_sum T>
struct mpi_datatype<T> {
  static MPI_Datatype get() {
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL) {
      comm_detail::check_mpi(MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type), "MPI_Type_contiguous");
      comm_detail::check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    }
    return type;
  }
};
template <tensor_detail::part_of_a_sum T>
struct mpi_op<op::sum, T> {
  struct sum_of_parts : op::sum {};
  static constexpr bool is_own = false;
  static MPI_Op get() { return mpi_op<sum_of_parts, T>::get(); }
};

}  // namespace ashlar::comm

// SPDX-License-Identifier: BSL-1.0
// The MPI type of elements that hold several numbers, and that the sum of two combines.
#pragma once
#include "ashlar/comm/mpi.hpp"
#include "ashlar/ops/batch_norm.hpp"
#include "ashlar/ops/extremum_index.hpp"
#include "ashlar/ops/sharded_cross_entropy.hpp"

namespace ashlar::tensor_detail {

template <class>
inline constexpr bool is_part = false;
template <class T, class Less>
inline constexpr bool is_part<ops_detail::extremum<T, Less>> = true;
template <class T>
inline constexpr bool is_part<ops_detail::softmax_part<T>> = true;
template <>
inline constexpr bool is_part<ops_detail::channel_part> = true;

}  // namespace ashlar::tensor_detail

namespace ashlar::comm {

/// Bytes, which operator+ combines.
template <class T>
  requires(tensor_detail::is_part<T>)
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
template <class T>
  requires(tensor_detail::is_part<T>)
struct mpi_op<op::sum, T> {
  struct sum_of_parts : op::sum {};
  static constexpr bool is_own = false;
  static MPI_Op get() { return mpi_op<sum_of_parts, T>::get(); }
};

}  // namespace ashlar::comm

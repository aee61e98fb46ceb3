// Cross-entropy of real logits whose classes axes shard.
#pragma once
#include "ashlar/ops/local/vocabulary.hpp"
#include "ashlar/ops/softmax.hpp"

namespace ashlar::comm {

/// Three numbers, which MPI sends and softmax_part adds up.
template <class T>
struct mpi_datatype<softmax_part<T>> {
  static MPI_Datatype get() {
    static MPI_Datatype type = MPI_DATATYPE_NULL;
    if (type == MPI_DATATYPE_NULL) {
      check(MPI_Type_contiguous(3, mpi_datatype<T>::get(), &type), "MPI_Type_contiguous");
      check(MPI_Type_commit(&type), "MPI_Type_commit");
    }
    return type;
  }
};
template <class T>
struct mpi_op<op::sum, softmax_part<T>> {
  struct sum_of_parts : op::sum {};
  static constexpr bool is_own = false;
  static MPI_Op get() { return mpi_op<sum_of_parts, softmax_part<T>>::get(); }
};

}  // namespace ashlar::comm

namespace ashlar {

template <class T, class L, class M, class S, class Z, class Y>
void evaluate(softmax_parts_op const&, sharded_tensor<softmax_part<T>, L, M, S>& parts, Z const& logits, Y const& labels) {
  region const part = logits.local_region();
  detail::rows_of const r(part.extents());
  local::softmax_parts(S{}, static_cast<T const*>(logits.data()), labels.data(), r.rows, part.dim[part.rank - 1], parts.data());
}
template <class T, class L, class M, class S, class Z, class Y, class P>
void evaluate(vocabulary_cross_entropy_op const&, sharded_tensor<T, L, M, S>& loss, Z const& logits, Y const& labels, P const& parts) {
  local::loss_of_parts(S{}, static_cast<softmax_part<T> const*>(parts.data()), labels.data(), labels.local_size(),
                       detail::rows_of(logits.extents()).n, loss.data());
  local::map(S{}, shape{}, loss.data(), fn::scale<T>{detail::one_over_rows<T>(logits.extents())}, local::strided<T>{loss.data(), {}});
}
template <class T, class L, class M, class S, class Ct, class Z, class Y, class P>
void evaluate(vocabulary_cross_entropy_pullback_op const&, sharded_tensor<T, L, M, S>& g, Ct const& ct, Z const& logits, Y const& labels, P const& parts) {
  region const part = logits.local_region();
  detail::rows_of const r(part.extents());
  local::vocabulary_vjp(S{}, static_cast<T const*>(logits.data()), labels.data(), static_cast<softmax_part<T> const*>(parts.data()), r.rows,
                        part.dim[part.rank - 1], detail::rows_of(logits.extents()).n, static_cast<T const*>(ct.data()),
                        detail::one_over_rows<T>(logits.extents()), g.data());
}

}  // namespace ashlar

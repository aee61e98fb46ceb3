// Which equations are a batch of products of matrices, by their labels alone.
#include "ashlar/tensor/products/product_route.hpp"

namespace {

using namespace ashlar;
template <equation E>
constexpr tensor_detail::product_dims dims(layout_detail::parse(E));

static_assert(dims<"mk,kn->mn">.is_batch_of_matrices);
static_assert(dims<"km,nk->nm">.is_batch_of_matrices);
static_assert(dims<"bmk,bkn->bmn">.is_batch_of_matrices);
static_assert(dims<"mbk,kbn->nbm">.is_batch_of_matrices);
static_assert(dims<"abmk,abkn->abmn">.is_batch_of_matrices);
static_assert(dims<"bsk,kn->bsn">.is_batch_of_matrices);
static_assert(dims<"km,nk->nm">.of_a == 0 && dims<"km,nk->nm">.of_b == 1);
static_assert(dims<"mbk,kbn->nbm">.of_a == 2 && dims<"mbk,kbn->nbm">.of_b == 0);

// The labels of a role are in another order, or apart.
static_assert(!dims<"abmk,bakn->abmn">.is_batch_of_matrices);
static_assert(!dims<"bsk,kn->sbn">.is_batch_of_matrices);
static_assert(!dims<"bks,kn->bsn">.is_batch_of_matrices);
// No row of a matrix is contiguous.
static_assert(!dims<"mkb,knb->mnb">.is_batch_of_matrices);
// Two labels are summed, none, or one in one operand alone.
static_assert(!dims<"mkl,kln->mn">.is_batch_of_matrices);
static_assert(!dims<"bm,bn->bmn">.is_batch_of_matrices);
static_assert(!dims<"mkl,kn->mn">.is_batch_of_matrices);
// No rows, or no columns.
static_assert(!dims<"mk,k->m">.is_batch_of_matrices);
static_assert(!dims<"k,k->">.is_batch_of_matrices);

// "mbk" of 2 rows, 3 matrices and 5 terms.
constexpr tensor_detail::role_strides s = dims<"mbk,kbn->nbm">.strides(0, shape::of(2, 3, 5));
using enum tensor_detail::label_role;
static_assert(s.extent_of(row) == 2 && s.extent_of(batch) == 3 && s.extent_of(summed) == 5);
static_assert(s.stride_of(row) == 15 && s.stride_of(batch) == 5 && s.stride_of(summed) == 1);
static_assert(s.extent_of(column) == 1 && s.stride_of(column) == 0);
// Two labels of rows are one dimension.
static_assert(dims<"bsk,kn->bsn">.strides(2, shape::of(2, 3, 5)).extent_of(row) == 6);

}  // namespace

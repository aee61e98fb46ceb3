// Products compile with a vendor's own header of CBLAS, whose enumerations and integers have other names.
#undef ASHLAR_CBLAS_HEADER
#define ASHLAR_CBLAS_HEADER "support/mkl_cblas.h"
#include "ashlar/kernels/products/einsum.hpp"

using namespace ashlar;

template <class T>
void product(T const* a, T const* b, T* c) {
  static constexpr auto e = ops_detail::einsum_op<"ij,jk->ik">::eq;
  kernels::contract(Kokkos::DefaultHostExecutionSpace{}, e, a, shape::of(2, 3), b, shape::of(3, 4), c, shape::of(2, 4));
}
template void product(float const*, float const*, float*);
template void product(double const*, double const*, double*);

// Products compile with a vendor's own header of CBLAS, whose enumerations and integers have other names.
#undef ASHLAR_CBLAS_HEADER
#define ASHLAR_CBLAS_HEADER "support/mkl_cblas.h"
#include "ashlar/kernels/products/einsum.hpp"

using namespace ashlar;

template <class T>
void product(T const* a, T const* b, T* c) {
  static constexpr auto e = ops_detail::einsum_op<"ij,jk->ik">::eq;
  Kokkos::DefaultHostExecutionSpace const space;
  kernels_detail::contract_call<Kokkos::DefaultHostExecutionSpace, T> const call{space, T(1), T(0)};
  call({{e.in[0], shape::of(2, 3)}, {e.in[1], shape::of(3, 4)}, {e.out, shape::of(2, 4)}}, a, b, c);
}
template void product(float const*, float const*, float*);
template void product(double const*, double const*, double*);

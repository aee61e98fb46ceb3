// A product of complex and real operands has one precision, in einsum and in a product of any layouts.
// EXPECT: ashlar::einsum: the operands have different element types; write cast<T>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"
#include <complex>

using namespace ashlar;
constexpr mesh<axis<"p">> m{{2}};

#ifdef ASHLAR_CONTROL
using real_number = double;
#else
using real_number = float;
#endif
constexpr auto x = make<std::complex<double>, layout<"p", none>>(m, {8, 4});
constexpr auto y = make<real_number, layout<none, "p">>(m, {4, 6});
constexpr auto z = make<real_number, layout<none, none>>(m, {4, 6});
constexpr auto of_any_layouts = matmul<layout<"p", none>>(x, y);
constexpr auto alone = einsum<"ij,jk->ik">(x, z);
constexpr auto of_three = einsum<"ij,jk,jk->ik">(x, z, z);
constexpr auto in_chunks =
    einsum_all_reduce<"ij,kj->ik", "p">(make<std::complex<double>, layout<none, "p">>(m, {8, 6}), y, 2);

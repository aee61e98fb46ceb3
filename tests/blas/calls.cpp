// Counts calls of BLAS: a product of a tensor with itself, or with its conjugate, is computed by half. The program is linked
// with --wrap for each of these functions. Run it with one thread per rank.
#include "ashlar/kernels/products/einsum.hpp"
#include "ashlar/ops/complex.hpp"
#include "ashlar/ops/products/matmul.hpp"
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/tensor.hpp"

#include <cstdio>

namespace {

struct calls {
  int gemm = 0, syrk = 0, herk = 0;
  friend bool operator==(calls const&, calls const&) = default;
};
calls made;

}  // namespace

// The enumerations and integers of CBLAS are passed as int.
#define ASHLAR_TEST_GEMM(name, Factor, T)                                                                         \
  void __real_cblas_##name(int, int, int, int, int, int, Factor, T const*, int, T const*, int, Factor, T*, int);  \
  void __wrap_cblas_##name(int order, int of_a, int of_b, int m, int n, int k, Factor alpha, T const* a, int lda, \
                           T const* b, int ldb, Factor beta, T* c, int ldc) {                                     \
    ++made.gemm;                                                                                                  \
    __real_cblas_##name(order, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                         \
  }
#define ASHLAR_TEST_HALF(name, count, Factor, T)                                                           \
  void __real_cblas_##name(int, int, int, int, int, Factor, T const*, int, Factor, T*, int);               \
  void __wrap_cblas_##name(int order, int uplo, int of_a, int n, int k, Factor alpha, T const* a, int lda, \
                           Factor beta, T* c, int ldc) {                                                   \
    ++made.count;                                                                                          \
    __real_cblas_##name(order, uplo, of_a, n, k, alpha, a, lda, beta, c, ldc);                             \
  }
extern "C" {
ASHLAR_TEST_GEMM(dgemm, double, double)
ASHLAR_TEST_GEMM(zgemm, void const*, void)
ASHLAR_TEST_HALF(dsyrk, syrk, double, double)
ASHLAR_TEST_HALF(zsyrk, syrk, void const*, void)
ASHLAR_TEST_HALF(zherk, herk, double, void)
}

using namespace ashlar;
using ring = mesh<axis<"p">>;
using by_rows = layout<"p", none>;
using whole = layout<none, none>;
using complex_number = Kokkos::complex<double>;

namespace {

int failures = 0;

// The calls of `multiply` on each rank.
template <class Multiply>
void expect(char const* what, calls const& expected, Multiply const& multiply) {
  made = {};
  (void)multiply();
  if (made == expected) return;
  std::printf("%s: expected %d gemm, %d syrk, %d herk, found %d, %d, %d\n", what, expected.gemm, expected.syrk,
              expected.herk, made.gemm, made.syrk, made.herk);
  ++failures;
}

}  // namespace

int main(int, char**) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<ring> const m(MPI_COMM_WORLD, {ranks});
  index_t const k = 70 * ranks, n = 40;
  auto const x = generate<double, by_rows>(
      m, {k, n}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<double>(i % 7 + j); });
  auto const other = x * 1.;
  auto const z = generate<complex_number, by_rows>(m, {k, n}, [] KOKKOS_FUNCTION(index_t i, index_t j) {
    return complex_number(static_cast<double>(i % 7), static_cast<double>(j % 5));
  });
  auto const wide = redistribute<whole>(x);
  auto const wide_z = redistribute<whole>(z);
  calls const gemm{.gemm = 1}, syrk{.syrk = 1}, herk{.herk = 1};
  expect("x^T x", syrk, [&] { return einsum<"ki,kj->ij">(x, x); });
  expect("x^T x of complex numbers", syrk, [&] { return einsum<"ki,kj->ij">(z, z); });
  expect("x x^T", syrk, [&] { return einsum<"ik,jk->ij">(wide, wide); });
  expect("x^T x by einsum to_layout", syrk, [&] { return einsum<"ki,kj->ij">(x, x, to_layout<whole>); });
  expect("x^H x", herk, [&] { return einsum<"ki,kj->ij">(conj(z), z); });
  expect("x x^H", herk, [&] { return einsum<"ik,jk->ij">(wide_z, conj(wide_z)); });
  expect("x^H x by einsum to_layout", herk, [&] { return einsum<"ki,kj->ij">(conj(z), z, to_layout<whole>); });
  expect("x^T y", gemm, [&] { return einsum<"ki,kj->ij">(x, other); });
  expect("x^T y by einsum to_layout", gemm, [&] { return einsum<"ki,kj->ij">(x, other, to_layout<whole>); });
  return failures == 0 ? 0 : 1;
}

// Cosine and sine transforms of one rank's array, by FFTW.
#pragma once
#include "ashlar/kernels/fft.hpp"
#include "ashlar/ops/dct.hpp"

namespace ashlar::kernels_detail {

constexpr int real_kind(ops_detail::wave w, int type) {
  constexpr int cosine[]{FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11};
  constexpr int sine[]{FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return (w == ops_detail::wave::cosine ? cosine : sine)[type - 1];
}

/// The transpose of a transform is a transform between two diagonal matrices. This is the factor of element k: 1 except
/// at the ends of a line.
template <class Op>
constexpr double transpose_factor(bool before, index_t k, index_t n) {
  if (!Op::transposed || Op::type == 4) return 1;
  bool const cosine = Op::family == ops_detail::wave::cosine;
  if (Op::type == 1) return cosine && (k == 0 || k == n - 1) ? (before ? 2 : 0.5) : 1;
  bool const at_end = k == (cosine ? 0 : n - 1);
  if (before) return Op::type == 2 && at_end ? 2 : 1;
  return Op::type == 3 && at_end ? 0.5 : 1;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <int Dim, ops_detail::wave W, int Type, bool Transposed, class S, class T>
void run(ops_detail::dct_op<Dim, W, Type, Transposed> const& op, S const& space, scratch_memory scratch,
         shard<T> const& y, shard<T const> const& x) {
  using namespace kernels_detail;
  using Op = ops_detail::dct_op<Dim, W, Type, Transposed>;
  using R = ops_detail::component_t<T>;
  auto l = lines_along(Dim, x.local_extents(), y.local_extents());
  l.inner *= static_cast<index_t>(sizeof(T) / sizeof(R));  // both parts of complex numbers
  R const* const in = numbers_of(without_const(x.data));
  R* const out = numbers_of(y.data);
  index_t const n = l.n;
  constexpr transform_name name{transform_kind::real_to_real,
                                real_kind(W, Transposed ? ops_detail::inverse_type(Type) : Type)};
  auto const after = [n, factor = op.factor](R r, index_t k) {
    return r * static_cast<R>(factor * transpose_factor<Op>(false, k, n));
  };
  if constexpr (Transposed)
    transform_lines<R>(
        space, scratch, name, l, in, out,
        [n](R r, index_t k) { return r * static_cast<R>(transpose_factor<Op>(true, k, n)); }, after);
  else if (op.factor == 1)
    transform_lines<R>(space, scratch, name, l, in, out, unchanged{}, unchanged{});
  else
    transform_lines<R>(space, scratch, name, l, in, out, unchanged{}, after);
}

}  // namespace ashlar::kernels

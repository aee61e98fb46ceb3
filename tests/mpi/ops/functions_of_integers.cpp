// Every public function of the elements of tensors, of int, std::uint8_t and bool: the value of NumPy, to the type of the result.
// Other functions have a sentence, as in tests/fail/train/functions_of_integers.cpp. The test tree.functions_of_integers compares the names of
// the rows with the headers, so that a new function without a row or a sentence fails.
#include "ashlar/blas.hpp"
#include "ashlar/kernels/kernels.hpp"
#include "ashlar/ops/fft/fftshift.hpp"
#include "ashlar/ops/ops.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::nn;
using namespace ashlar::transforms;

namespace {

using line = mesh<axis<"x">>;
using numbers = std::vector<std::int64_t>;

struct larger {
  KOKKOS_FUNCTION auto operator()(auto x, auto y) const { return x < y ? y : x; }
};
template <class T>
struct elements {
  T e[6];
  KOKKOS_FUNCTION T operator()(index_t i, index_t j) const { return e[3 * i + j]; }
  KOKKOS_FUNCTION T operator()(index_t, index_t i, index_t j, index_t) const { return e[3 * i + j]; }
};

template <class T>
struct table {
  elements<T> first, second;

  // `name` is what NumPy says of arrays of np.int32, np.uint8 and np.bool_, row-major.
  template <class Y>
  void row(char const* name, Y const& y, numbers const& ints, numbers const& bytes, numbers const& bits) const {
    CAPTURE(name);
    auto const found = gather_all(all_reduce(y));
    CHECK(numbers(found.begin(), found.end()) == (std::is_same_v<T, int>    ? ints
                                                  : std::is_same_v<T, bool> ? bits
                                                                            : bytes));
  }
  void rows() const {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const a = generate<T, layout<"x", none>>(m, {2, 3}, first),
               b = generate<T, layout<"x", none>>(m, {2, 3}, second);
    auto const w = redistribute<layout<none, none>>(a), v = redistribute<layout<none, none>>(b);
    auto const index = generate<int, layout<none>>(
        m, {3}, KOKKOS_LAMBDA(index_t i) { return i == 1 ? 0 : 1; });
    auto const image = generate<T, layout<none, none, none, none>>(m, {1, 2, 3, 1}, first);
    row("operator+", a + b, {-1, 5, 0, 10, -121, 6}, {44, 5, 5, 10, 6, 6}, {1, 1, 1, 1, 1, 1});
    if constexpr (!std::is_same_v<T, bool>)  // which NumPy refuses, too
      row("operator-", a - b, {-5, -5, 4, 4, -135, 4}, {100, 251, 255, 4, 248, 4}, {});
    if constexpr (!std::is_same_v<T, bool>)  // which NumPy refuses, too
      row("operator- of one", -a, {3, 0, -2, -7, 128, -5}, {56, 0, 254, 249, 1, 251}, {});
    row("operator*", a * b, {-6, 0, -4, 21, -896, 5}, {32, 0, 6, 21, 249, 5}, {1, 0, 0, 0, 1, 0});
    if constexpr (!std::is_same_v<T, bool>)  // which NumPy refuses, too
      row("operator/", a / b, {-1, 0, -1, 2, -18, 5}, {2, 0, 0, 2, 36, 5}, {});
    row("relu", relu(a), {0, 0, 2, 7, 0, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("square", square(a), {9, 0, 4, 49, 16384, 25}, {64, 0, 4, 49, 1, 25}, {1, 0, 1, 1, 1, 0});
    row("abs", abs(a), {3, 0, 2, 7, 128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("maximum", maximum(a, b), {2, 5, 2, 7, 7, 5}, {200, 5, 3, 7, 255, 5}, {1, 1, 1, 1, 1, 1});
    row("minimum", minimum(a, b), {-3, 0, -2, 3, -128, 1}, {100, 0, 2, 3, 7, 1}, {1, 0, 0, 0, 1, 0});
    if constexpr (!std::is_same_v<T, bool>) {
      row("maximum", maximum(a, T(1)), {1, 1, 2, 7, 1, 5}, {200, 1, 2, 7, 255, 5}, {});
      row("minimum", minimum(T(2), a), {-3, 0, 2, 2, -128, 2}, {2, 0, 2, 2, 2, 2}, {});
    }
    row("floor", floor(a), {-3, 0, 2, 7, -128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    if constexpr (!std::is_same_v<T, bool>)
      row("pow", pow(a, T(3)), {-27, 0, 8, 343, -2097152, 125}, {0, 0, 8, 87, 255, 125}, {});
    row("clamp", clamp(a, T(1), T(5)), {1, 1, 2, 5, 1, 5}, {5, 1, 2, 5, 5, 5}, {1, 1, 1, 1, 1, 1});
    row("cast", cast<std::int8_t>(a), {-3, 0, 2, 7, -128, 5}, {-56, 0, 2, 7, -1, 5}, {1, 0, 1, 1, 1, 0});
    row("operator<", a < b, {1, 1, 0, 0, 1, 0}, {0, 1, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 1});
    row("operator==", a == b, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 1, 0});
    row("where", where(a < b, a, b), {-3, 0, -2, 3, -128, 1}, {100, 0, 2, 3, 7, 1}, {1, 0, 0, 0, 1, 0});
    row("conj", conj(a), {-3, 0, 2, 7, -128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("real", real(a), {-3, 0, 2, 7, -128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("elementwise", elementwise(larger{}, a, b), {2, 5, 2, 7, 7, 5}, {200, 5, 3, 7, 255, 5}, {1, 1, 1, 1, 1, 1});
    row("sum", sum<0>(a), {4, -128, 7}, {207, 255, 7}, {2, 1, 1});
    row("prod", prod<1>(a), {0, -4480}, {0, 8925}, {0, 0});
    row("max", max<1>(a), {2, 7}, {200, 255}, {1, 1});
    row("min", min(a), {-128}, {0}, {0});
    row("cumsum", cumsum<1>(a), {-3, -3, -1, 7, -121, -116}, {200, 200, 202, 7, 262, 267}, {1, 1, 2, 1, 2, 2});
    row("sum_of_squares", sum_of_squares(a), {16471}, {105103}, {4});
    row("argmax", element_index(argmax<1>(a)), {2, 0}, {0, 1}, {0, 0});
    row("element_index", element_index(argmax<1>(b)), {1, 1}, {0, 1}, {0, 1});
    row("argmin", element_index(argmin<1>(a)), {0, 1}, {1, 2}, {1, 2});
    row("element_value", element_value(argmin<1>(a)), {-3, -128}, {0, 5}, {0, 0});
    row("sort", sort<1>(a), {-3, 0, 2, -128, 5, 7}, {0, 2, 200, 5, 7, 255}, {0, 1, 1, 0, 1, 1});
    row("argsort", argsort<1>(a), {0, 1, 2, 1, 2, 0}, {1, 2, 0, 2, 0, 1}, {1, 0, 2, 2, 0, 1});
    row("top_k", top_k<1>(a, 2).values, {2, 0, 7, 5}, {200, 2, 255, 7}, {1, 1, 1, 1});
    row("take", take(w, index), {7, -128, 5, -3, 0, 2, 7, -128, 5}, {7, 255, 5, 200, 0, 2, 7, 255, 5},
        {1, 1, 0, 1, 0, 1, 1, 1, 0});
    row("nn::embedding", embedding(w, index), {7, -128, 5, -3, 0, 2, 7, -128, 5}, {7, 255, 5, 200, 0, 2, 7, 255, 5},
        {1, 1, 0, 1, 0, 1, 1, 1, 0});
    row("take_along", take_along<1>(a, argsort<1>(b)), {2, -3, 0, 5, 7, -128}, {2, 0, 200, 5, 7, 255},
        {1, 1, 0, 1, 1, 0});
    row("scatter_add", scatter_add(take(w, index), index, w), {-3, 0, 2, 14, -256, 10}, {200, 0, 2, 14, 254, 10},
        {1, 0, 1, 1, 1, 0});
    row("einsum", einsum<"ij,kj->ik">(w, v), {-10, -7, -636, -870}, {38, 90, 198, 19}, {1, 1, 1, 1});
    row("einsum of one", einsum<"ij->j">(a), {4, -128, 7}, {207, 255, 7}, {2, 1, 1});
    row("matmul", matmul(w, transpose<1, 0>(v), to_layout<layout<none, none>>), {-10, -7, -636, -870},
        {38, 90, 198, 19}, {1, 1, 1, 1});
    row("einsum into a layout", einsum<"ij,kj->ik">(w, v, to_layout<layout<none, none>>), {-10, -7, -636, -870},
        {38, 90, 198, 19}, {1, 1, 1, 1});
    row("expand", expand<0>(select(w, 1), w), {7, -128, 5, 7, -128, 5}, {7, 255, 5, 7, 255, 5}, {1, 1, 0, 1, 1, 0});
    row("transpose", transpose<1, 0>(a), {-3, 7, 0, -128, 2, 5}, {200, 7, 0, 255, 2, 5}, {1, 1, 0, 1, 1, 0});
    row("select", select(w, 1), {7, -128, 5}, {7, 255, 5}, {1, 1, 0});
    row("slice", slice(a, {0, 1}, {2, 2}), {0, 2, -128, 5}, {0, 2, 255, 5}, {0, 1, 1, 0});
    row("pad", pad(a, {1, 0}, {0, 1}), {0, 0, 0, 0, -3, 0, 2, 0, 7, -128, 5, 0},
        {0, 0, 0, 0, 200, 0, 2, 0, 7, 255, 5, 0}, {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0});
    row("shift", shift<1>(a, 1), {0, -3, 0, 0, 7, -128}, {0, 200, 0, 0, 7, 255}, {0, 1, 0, 0, 1, 1});
    row("concatenate", concatenate<1>(a, b), {-3, 0, 2, 2, 5, -2, 7, -128, 5, 3, 7, 1},
        {200, 0, 2, 100, 5, 3, 7, 255, 5, 3, 7, 1}, {1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1});
    row("paste", paste(a, {0, 1}, slice(b, {0, 0}, {2, 2})), {-3, 2, 5, 7, 3, 7}, {200, 100, 5, 7, 3, 7},
        {1, 1, 1, 1, 0, 1});
    row("flatten", flatten<0, 1>(w), {-3, 0, 2, 7, -128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("unflatten", unflatten<0>(w, {1, 2}), {-3, 0, 2, 7, -128, 5}, {200, 0, 2, 7, 255, 5}, {1, 0, 1, 1, 1, 0});
    row("transforms::fftshift", fftshift<1>(a), {2, -3, 0, 5, 7, -128}, {2, 200, 0, 5, 7, 255}, {1, 1, 0, 0, 1, 1});
    row("transforms::inverse_fftshift", inverse_fftshift<1>(a), {0, 2, -3, -128, 5, 7}, {0, 2, 200, 255, 5, 7},
        {0, 1, 1, 1, 0, 1});
    row("nn::max_pool2d", max_pool2d<2>(image), {7}, {255}, {1});
    row("full_like", full_like(a, T(1)), {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1});
    row("zeros_like", zeros_like(a), {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0});
    row("ones_like", ones_like(a), {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1});
  }
};

}  // namespace

TEST_CASE("functions of integers: the values of NumPy, of int") {
  table<int>{{{-3, 0, 2, 7, -128, 5}}, {{2, 5, -2, 3, 7, 1}}}.rows();
}
TEST_CASE("functions of integers: the values of NumPy, of bytes") {
  table<std::uint8_t>{{{200, 0, 2, 7, 255, 5}}, {{100, 5, 3, 3, 7, 1}}}.rows();
}
TEST_CASE("functions of integers: the values of NumPy, of masks") {
  table<bool>{{{true, false, true, true, true, false}}, {{true, true, false, false, true, true}}}.rows();
}

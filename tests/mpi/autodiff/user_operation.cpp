// Operations that users write, on all meshes: values against loops, gradients against one rank and difference quotients.
#include "support/adjoint.hpp"
#include "ashlar/tensor/arrays/gather.hpp"

using namespace ashlar;
using namespace ashlar::test;

namespace {

// y[b, h] = x[b, h] s[h] sum of x[b, :]
struct competition_by_x : user_operation<"bh,bh,h->bh", "h", linearity::linear_in_first> {
  template <class G, class Ct, class X, class S>
  ASHLAR_FUNCTION void forward(index_t const*, G g, Ct ct, X x, S s) const {
    double total = 0, drawn = 0;
    for (index_t h = 0; h < x.extent(0); ++h) total += x(h), drawn += ct(h) * s(h) * x(h);
    for (index_t h = 0; h < x.extent(0); ++h) g(h) = ct(h) * s(h) * total + drawn;
  }
};
struct competition_by_s : user_operation<"bh,bh->bh", "h", linearity::linear_in_first> {
  template <class G, class Ct, class X>
  ASHLAR_FUNCTION void forward(index_t const*, G g, Ct ct, X x) const {
    double total = 0;
    for (index_t h = 0; h < x.extent(0); ++h) total += x(h);
    for (index_t h = 0; h < x.extent(0); ++h) g(h) = ct(h) * x(h) * total;
  }
};
struct competition : user_operation<"bh,h->bh", "h"> {
  template <class Y, class X, class S>
  ASHLAR_FUNCTION void forward(index_t const*, Y y, X x, S s) const {
    double total = 0;
    for (index_t h = 0; h < x.extent(0); ++h) total += x(h);
    for (index_t h = 0; h < x.extent(0); ++h) y(h) = x(h) * s(h) * total;
  }
  template <int I>
  static auto pullback(auto const& ct, auto const&, auto const& x, auto const& s) {
    if constexpr (I == 0)
      return apply(competition_by_x{}, ct, x, s);
    else
      return sum<0>(apply(competition_by_s{}, ct, x));
  }
};

// y[h] = sum over b of (1 + h) x[b, h]: the whole label is the first, and the result lacks it.
struct weighted_columns_back : user_operation<"h,bh->bh", "b", linearity::linear_in_first> {
  template <class G, class Ct, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, G g, Ct ct, X x) const {
    for (index_t b = 0; b < x.extent(0); ++b) g(b) = static_cast<double>(1 + at[1]) * ct();
  }
};
struct weighted_columns : user_operation<"bh->h", "b", linearity::linear> {
  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    y() = 0;
    for (index_t b = 0; b < x.extent(0); ++b) y() += static_cast<double>(1 + at[0]) * x(b);
  }
  template <int>
  static auto pullback(auto const& ct, auto const&, auto const& x) {
    return apply(weighted_columns_back{}, ct, x);
  }
};

// y[b, h] = (1 + h) x[n - 1 - b, h], which is its own adjoint: columns upside down.
struct reversed_columns : user_operation<"bh->bh", "b", linearity::linear> {
  template <class Y, class X>
  ASHLAR_FUNCTION void forward(index_t const* at, Y y, X x) const {
    for (index_t b = 0; b < x.extent(0); ++b) y(b) = static_cast<double>(1 + at[1]) * x(x.extent(0) - 1 - b);
  }
  template <int>
  static auto pullback(auto const& ct, auto const&, auto const&) {
    return apply(reversed_columns{}, ct);
  }
};

struct plus {
  KOKKOS_FUNCTION double operator()(double x, index_t number) const { return x + static_cast<double>(number); }
};
// Adds to each element its number in the global array.
struct plus_number : user_operation<"bh->bh", "", linearity::nonlinear> {};
// [shards]
template <class Space, class T>
void run(plus_number const&, Space const& space, ashlar::kernels::scratch_memory, kernels::shard<T> const& y,
         kernels::shard<T const> const& x) {
  kernels::global_index number{0, {}};
  for (int d = 0; d < x.owned.rank; ++d) number.base += x.owned.dim[d].begin * (number.stride[d] = x.global.stride(d));
  kernels::map(space, x.local_extents(), y.data, plus{}, kernels::contiguous(x.data, x.local_extents()), number);
}
// [shards]

}  // namespace

TEST_CASE("user operation: several operands, one without the rows' label") {
  auto const f = [](auto const& x, auto const& s) { return apply(competition{}, x, s); };
  check_smooth<axes("data", "model")>(reals, f, operand<layout<"data", none>>{shape::of(7, 5)},
                                      operand<layout<none>>{shape::of(5)});
  check_smooth<axes("data", "model")>(reals, f, operand<layout<axes("model", "data"), none>>{shape::of(7, 5)},
                                      operand<layout<none>>{shape::of(5)});
}

TEST_CASE("user operation: a whole label that the result lacks, partial sums, block-cyclic dimensions, empty shards") {
  auto const f = [](auto const& x) { return apply(weighted_columns{}, x); };
  check_linear<"data">(f, operand<layout<none, axes("data", "model")>>{shape::of(4, 13)});
  check_linear<"data">(f, operand<layout<none, cyclic("model", 2)>>{shape::of(4, 13)});
  check_linear<"data">(f, operand<layout<none, "model">>{shape::of(0, 3)});
  auto const g = [](auto const& x) { return apply(reversed_columns{}, x); };
  check_linear<"data">(g, operand<partial<layout<none, "model">, "data">>{shape::of(4, 7)});
  check_linear<"data">(g, operand<layout<none, cyclic("data", 3)>>{shape::of(3, 13)});
  check_linear<"data">(g, operand<layout<none, "model">>{shape::of(3, 1)});
}

namespace {

// Whole numbers; functors, since nvcc takes no extended lambda inside a generic one.
struct score {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(3 * i - 2 * j + 1); }
};
struct weight_of {
  KOKKOS_FUNCTION double operator()(index_t j) const { return static_cast<double>(j * j - 3); }
};

}  // namespace

TEST_CASE("user operation: values") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const x = generate<double, layout<"model", none>>(m, {7, 5}, score{});
    auto const s = generate<double, layout<none>>(m, {5}, weight_of{});
    auto const y = gather_all(apply(competition{}, x, s));
    for (index_t i = 0; i < 7; ++i)
      for (index_t j = 0; j < 5; ++j) {
        double total = 0;
        for (index_t k = 0; k < 5; ++k) total += score{}(i, k);
        CHECK(y[static_cast<std::size_t>(5 * i + j)] == score{}(i, j) * weight_of{}(j)*total);
      }
    CHECK_THROWS_WITH_AS(
        (void)apply(competition{}, x, generate<double, layout<none>>(m, {4}, weight_of{})),
        doctest::Contains("ashlar::user_operation: a label has one extent in all operands; found (7, 5) "
                          "and (4); the operands are layout<\"model\", none> (7, 5) and layout<none> (4)"),
        error);
  });
}

TEST_CASE("user operation: a kernel of its own sees whole shards") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const check = [](auto const& x) {
      auto const y = gather_all(apply(plus_number{}, x));
      REQUIRE(y.size() == 35);
      for (index_t i = 0; i < 7; ++i)
        for (index_t j = 0; j < 5; ++j)
          CHECK(y[static_cast<std::size_t>(5 * i + j)] == score{}(i, j) + static_cast<double>(5 * i + j));
    };
    check(generate<double, layout<"model", "data">>(m, {7, 5}, score{}));
    check(generate<double, layout<none, axes("data", "model")>>(m, {7, 5}, score{}));
  });
}

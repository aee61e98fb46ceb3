// numpy_arrays FOLDER: computes array functions of FOLDER/x.npy and others in several layouts, and compares each result with
// FOLDER/NAME.npy, which NumPy wrote. Prints "right: LAYOUT NAME" for each. Ends with 1 if one is wrong.
#include <ashlar/io/npy_files.hpp>
#include <ashlar/tensor/environment.hpp>
#include <ashlar/tensor/arrays/print.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"p">, axis<"q">>;

namespace {

bool all_right = true;

// Results are equal up to the rounding of sums and functions.
bool is_near(double found, double expected) {
  if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
  return std::abs(found - expected) <= 1e-12 * std::max(1., std::abs(expected));
}

struct folder {
  device_mesh<grid> const& m;
  std::filesystem::path path;
  char const* layout_name;

  template <class L>
  auto load(char const* name) const {
    return load_npy<double, L>(m, path / (std::string(name) + ".npy"));
  }
  template <class X>
  void compare(char const* name, X const& x) const {
    using T = element_t<X>;
    auto const expected = load_npy<T, std::conditional_t<rank_v<X> == 1, layout<none>, layout<none, none>>>(
        m, path / (std::string(name) + ".npy"));
    auto const found = gather_all(all_reduce(x)), wanted = gather_all(expected);
    bool right = x.extents() == expected.extents();
    for (std::size_t i = 0; right && i < found.size(); ++i)
      right = is_near(static_cast<double>(found[i]), static_cast<double>(wanted[i]));
    all_right = all_right && right;
    if (m.rank() == 0) std::printf("%s: %s %s\n", right ? "right" : "wrong", layout_name, name);
  }
};

struct tilted {
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double x) const {
    return x + static_cast<double>(100 * at[0] - 7 * at[1]);
  }
};

// L is the layout of the matrices, V of the vector.
template <class L, class V>
void compare_all(folder const& f) {
  auto const x = f.load<L>("x"), y = f.load<L>("y"), holes = f.load<L>("holes");
  auto const v = f.load<V>("v");
  index_t const rows = x.extent(0), columns = x.extent(1);

  f.compare("sum_0", sum<0>(x));
  f.compare("sum_1", sum<1>(x));
  f.compare("max_0", max<0>(x));
  f.compare("min_1", min<1>(x));
  f.compare("prod_1", prod<1>(where(y > 0., full_like(y, 1.), where(y < 0., full_like(y, -1.), zeros_like(y)))));
  f.compare("mean_0", mean<0>(x));
  f.compare("keepdims", x - expand<1>(all_reduce(max<1>(x)), x));
  f.compare("product", sum<0>(x * y));
  f.compare("argmax_0", element_index(all_reduce(argmax<0>(x))));
  f.compare("argmin_1", element_index(all_reduce(argmin<1>(x))));
  f.compare("argmax_holes", element_index(all_reduce(argmax<0>(holes))));
  f.compare("cumsum_0", cumsum<0>(x));
  f.compare("cumsum_1", cumsum<1>(x));

  f.compare("slice", slice(x, {5, 1}, {200, 3}));
  f.compare("paste", paste(y, {11, 2}, slice(x, {5, 1}, {200, 3})));
  f.compare("pad", pad(x, {1, 0}, {2, 3}, 0.5));
  f.compare("concatenate_0", concatenate<0>(x, y));
  f.compare("concatenate_1", concatenate<1>(x, y, x));
  f.compare("shift", shift<0>(x, 3));

  f.compare("sort_0", sort<0>(x));
  f.compare("sort_1", sort<1>(x));
  f.compare("sort_holes", sort<0>(holes));
  f.compare("sort_v", sort<0>(v));
  f.compare("argsort_0", argsort<0>(x));
  f.compare("argsort_holes", argsort<0>(holes));
  f.compare("argsort_v", argsort<0>(v));
  f.compare("top_0", top_k<0>(x, 5).values);
  f.compare("top_of_v", top_k<0>(v, 20).indices);
  using Lines = layout<"p", none>;
  f.compare("roll", roll<0>(redistribute<Lines>(x), 17));
  f.compare("take_along", take_along<1>(redistribute<Lines>(y), argsort<1>(redistribute<Lines>(x))));

  f.compare("where", where(x > y, x, -2. * y));
  f.compare("exp", exp(x / 9.));
  f.compare("log", log(abs(x) + 1.));
  f.compare("sqrt", sqrt(abs(y)));
  f.compare("tanh", tanh(x));
  f.compare("sin", sin(x));
  f.compare("cos", cos(y));
  f.compare("floor", floor(x / 3.));
  f.compare("maximum", maximum(x, y));
  f.compare("minimum", minimum(x, y));
  f.compare("arithmetic", (x + y) * (x - 2. * y) / (abs(y) + 1.));
  f.compare("indices", elementwise(tilted{}, x));
  f.compare("matmul", einsum<"ij,ik->jk">(redistribute<Lines>(x), redistribute<Lines>(y)));
  if (rows != 301 || columns != 7) all_right = false;
}

}  // namespace

int main(int, char** argv) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<grid> const m(MPI_COMM_WORLD, {ranks % 2 == 0 ? 2 : 1, ranks % 2 == 0 ? ranks / 2 : ranks});
  compare_all<layout<"q", "p">, layout<"q">>({m, argv[1], "blocks"});
  compare_all<layout<axes("q", "p"), none>, layout<axes("p", "q")>>({m, argv[1], "rows of two axes"});
#ifdef ASHLAR_LONG_TESTS
  compare_all<layout<none, none>, layout<none>>({m, argv[1], "whole"});
  compare_all<layout<"p", none>, layout<"p">>({m, argv[1], "rows"});
#endif
  return all_right ? 0 : 1;
}

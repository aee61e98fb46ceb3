// Tensors and drawings as text.
#include "ashlar/ops/arrays/compare.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <iomanip>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

// Rank 0 writes, nobody else.
template <class X>
void check_printed(X const& x, std::string const& expected) {
  std::ostringstream out;
  print(out, x);
  CHECK(out.str() == (x.mesh().rank() == 0 ? expected : ""));
}

std::string sizes(device_mesh<grid> const& m) {
  return "x=" + std::to_string(m.sizes().size[0]) + " y=" + std::to_string(m.sizes().size[1]) + "\n";
}

template <class T, class L>
auto counted(device_mesh<grid> const& m, shape const& e) {
  return tensor_of<T, L>(m, e, [](index_t g, int) { return static_cast<int>(g); });
}

template <class L>
std::string drawn(grid const& m, shape const& e) {
  std::ostringstream out;
  draw<L>(out, m, e);
  return out.str();
}

}  // namespace

TEST_CASE("print: small tensors whole, the same for every mesh") {
  for_each_factorisation([](auto const& s) {
    device_mesh<grid> const m(MPI_COMM_WORLD, s);
    check_printed(counted<std::int32_t, layout<>>(m, shape{}), "int32, layout<>, (), " + sizes(m) + "0\n");
    check_printed(counted<float, layout<axes("x", "y")>>(m, shape::of(12)),
                  "float, layout<axes(\"x\", \"y\")>, (12), " + sizes(m) + "[ 0  1  2  3  4  5  6  7  8  9 10 11]\n");
    check_printed(counted<double, layout<"y", "x">>(m, shape::of(2, 3)) / 2.,
                  "double, layout<\"y\", \"x\">, (2, 3), " + sizes(m) + "[[  0 0.5   1]\n [1.5   2 2.5]]\n");
    check_printed(counted<std::int64_t, layout<none, "y", "x">>(m, shape::of(2, 2, 3)),
                  "int64, layout<none, \"y\", \"x\">, (2, 2, 3), " + sizes(m) +
                      "[[[ 0  1  2]\n  [ 3  4  5]]\n\n [[ 6  7  8]\n  [ 9 10 11]]]\n");
    check_printed(counted<std::complex<double>, layout<"x">>(m, shape::of(3)),
                  "complex<double>, layout<\"x\">, (3), " + sizes(m) + "[0+0i 1+0i 2+0i]\n");
    check_printed(counted<float, layout<"x">>(m, shape::of(3)) > 0.5f,
                  "bool, layout<\"x\">, (3), " + sizes(m) + "[0 1 1]\n");
    check_printed(counted<float, layout<"x", none>>(m, shape::of(3, 0)),
                  "float, layout<\"x\", none>, (3, 0), " + sizes(m) + "[]\n");
  });
}

TEST_CASE("print: long rows are broken") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = counted<std::int32_t, layout<"x">>(m, shape::of(100));
  std::ostringstream out;
  print(out, x);
  if (m.rank() != 0) return;
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  int numbers = 0, n = 0, broken = 0;
  for (; std::getline(lines, line); ++broken) {
    CHECK(line.size() <= 80);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '[' || c == ']'; }, ' ');
    for (std::istringstream diagnostics(line); diagnostics >> n; ++numbers) CHECK(n == numbers);
  }
  CHECK(numbers == 100);
  CHECK(broken == 4);
}

TEST_CASE("print: the stream's precision and format") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = counted<double, layout<none>>(m, shape::of(2)) / 3.;
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  print(out, x);
  if (m.rank() == 0) CHECK(out.str() == "double, layout<none>, (2), " + sizes(m) + "[0.00 0.33]\n");
}

TEST_CASE("print: of large tensors the ends, and no more than these is moved") {
  for_each_factorisation([](auto const& s) {
    device_mesh<grid> const m(MPI_COMM_WORLD, s);
    check_printed(counted<std::int32_t, layout<"y">>(m, shape::of(1001)),
                  "int32, layout<\"y\">, (1001), " + sizes(m) + "[   0    1    2 ...  998  999 1000]\n");
    auto const before = m.counters().all_to_all.bytes;
    check_printed(counted<std::int32_t, layout<"x", "y">>(m, shape::of(300, 1000)),
                  "int32, layout<\"x\", \"y\">, (300, 1000), " + sizes(m) +
                      "[[     0      1      2 ...    997    998    999]\n"
                      " [  1000   1001   1002 ...   1997   1998   1999]\n"
                      " [  2000   2001   2002 ...   2997   2998   2999]\n"
                      " ...\n"
                      " [297000 297001 297002 ... 297997 297998 297999]\n"
                      " [298000 298001 298002 ... 298997 298998 298999]\n"
                      " [299000 299001 299002 ... 299997 299998 299999]]\n");
    std::uint64_t moved = m.counters().all_to_all.bytes - before;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(moved < 36 * sizeof(std::int32_t));
    check_printed(counted<std::int32_t, layout<none, axes("y", "x")>>(m, shape::of(2, 600)),
                  "int32, layout<none, axes(\"y\", \"x\")>, (2, 600), " + sizes(m) +
                      "[[   0    1    2 ...  597  598  599]\n [ 600  601  602 ... 1197 1198 1199]]\n");
  });
}

TEST_CASE("draw: blocks, uneven ones, replicas, summands, ranks without elements") {
  CHECK(drawn<layout<"x", "y">>(grid{{2, 2}}, shape::of(7, 10)) ==
        "       0:5      5:10\n"
        "    +--------+--------+\n"
        "0:4 |   0    |   1    |\n"
        "    +--------+--------+\n"
        "4:7 |   2    |   3    |\n"
        "    +--------+--------+\n");
  CHECK(drawn<layout<none, "y">>(grid{{2, 3}}, shape::of(784, 200)) ==
        "         0:67     67:134    134:200\n"
        "      +---------+---------+---------+\n"
        "0:784 |   0,3   |   1,4   |   2,5   |\n"
        "      +---------+---------+---------+\n");
  CHECK(drawn<layout<axes("x", "y")>>(grid{{2, 2}}, shape::of(3)) ==
        "   0:1      1:2      2:3\n"
        "+--------+--------+--------+\n"
        "|   0    |   1    |   2    |\n"
        "+--------+--------+--------+\n"
        "no elements: rank 3\n");
  CHECK(drawn<partial<layout<"x", none>, "y">>(grid{{2, 2}}, shape::of(4, 3)) ==
        "       0:3\n"
        "    +--------+\n"
        "0:2 |  0+1   |\n"
        "    +--------+\n"
        "2:4 |  2+3   |\n"
        "    +--------+\n"
        "+ joins ranks whose blocks are still to be reduced\n");
  CHECK(drawn<layout<>>(grid{{8, 1}}, shape{}) == "+----------+\n| 0,1,..,7 |\n+----------+\n");
  CHECK(drawn<layout<"x", none, "y">>(grid{{2, 2}}, shape::of(10, 4, 3)) ==
        "ranks   dim 0   dim 1   dim 2\n"
        "0       0:5     0:4     0:2\n"
        "1       0:5     0:4     2:3\n"
        "2       5:10    0:4     0:2\n"
        "3       5:10    0:4     2:3\n");
  CHECK(drawn<layout<"x", "y">>(grid{{2, 2}}, shape::of(0, 5)) == "no elements: ranks 0,1,2,3\n");
}

TEST_CASE("draw: many blocks fit the width and are not many lines") {
  for (std::string const& text : {drawn<layout<"x", "y">>(grid{{64, 64}}, shape::of(100'000, 100'000)),
                                  drawn<layout<"x", "y", none>>(grid{{64, 64}}, shape::of(100'000, 100'000, 7))}) {
    std::istringstream lines(text);
    int n = 0;
    for (std::string line; std::getline(lines, line); ++n) CHECK(line.size() <= 80);
    CHECK(n < 40);
    CHECK(text.find("4095") != std::string::npos);
  }
}

TEST_CASE("draw: a tensor is drawn on rank 0, an abstract one by everybody") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {1, world_size()});
  auto const x = counted<float, layout<none, "y">>(m, shape::of(4, 9));
  std::string const expected = drawn<layout<none, "y">>(m.shape(), x.extents());
  std::ostringstream of_real, of_abstract;
  draw(of_real, x);
  CHECK(of_real.str() == (m.rank() == 0 ? expected : ""));
  draw(of_abstract, make<float, layout<none, "y">>(m.shape(), {4, 9}));
  CHECK(of_abstract.str() == expected);
}

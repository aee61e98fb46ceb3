#include "ashlar/data/batch_stream.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using namespace ashlar::datasets;
using line = mesh<axis<"x">>;

// A function of the global index gives elements, not summands.
namespace generate_a_partial {
struct own_index {
  KOKKOS_FUNCTION float operator()(index_t i) const { return static_cast<float>(i); }
};
auto right(device_mesh<line> const& m) { return generate<float, layout<none>>(m, {4}, own_index{}); }
// error: ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>
auto wrong(device_mesh<line> const& m) { return generate<float, partial<layout<none>, "x">>(m, {4}, own_index{}); }
}  // namespace generate_a_partial

// A matrix has two indices. The functions of the last two also say it of tensors with a halo.
namespace generate_by_a_function_of_one_index {
using field = layout<halo("x", 1, boundary::given), none>;
namespace right {
struct slope {
  KOKKOS_FUNCTION double operator()(index_t i, index_t) const { return static_cast<double>(i); }
};
auto matrix(device_mesh<line> const& m) { return generate<double, layout<"x", none>>(m, {8, 8}, slope{}); }
auto grid(device_mesh<line> const& m) { return generate<double, field>(m, {8, 8}, slope{}); }
void border(sharded_tensor<double, field, line>& u) { set_boundary(u, slope{}); }
}  // namespace right
namespace wrong {
struct slope {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
};
// error on each line: ashlar::generate: the function takes one index_t per dimension; write f(i, j) for a matrix
auto matrix(device_mesh<line> const& m) { return generate<double, layout<"x", none>>(m, {8, 8}, slope{}); }
auto grid(device_mesh<line> const& m) { return generate<double, field>(m, {8, 8}, slope{}); }
// error: ashlar::set_boundary: the function takes one index_t per dimension; write f(i, j) for a matrix
void border(sharded_tensor<double, field, line>& u) { set_boundary(u, slope{}); }
}  // namespace wrong
}  // namespace generate_by_a_function_of_one_index

// Functions of the index that give fractions or complex numbers, which the elements cannot be. The last two have a halo.
namespace generate_numbers_of_another_kind {
using field = layout<halo("x", 1, boundary::given)>;
struct fraction {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i) / 2; }
};
struct complex_number {
  KOKKOS_FUNCTION Kokkos::complex<double> operator()(index_t i) const { return static_cast<double>(i); }
};
namespace right {
using whole = double;
constexpr int factor = 1;
auto by_fractions(device_mesh<line> const& m) { return generate<whole, layout<"x">>(m, {8}, fraction{}); }
auto by_complex_numbers(device_mesh<line> const& m) {
  return generate<Kokkos::complex<double>, layout<"x">>(m, {8}, complex_number{});
}
auto cells(device_mesh<line> const& m) { return generate<whole, field>(m, {8}, fraction{}); }
void border(sharded_tensor<whole, field, line>& u) { set_boundary(u, fraction{}); }
void fill_with(sharded_tensor<int, layout<"x">, line>& x) { fill(x, factor); }
auto pixels(device_mesh<line> const& m, dataset const& d) {
  return labelled_stream<std::uint8_t, layout<"x">, layout<"x">>(m, d, factor).count();
}
}  // namespace right
namespace wrong {
using whole = int;
constexpr float factor = 1.f / 255;
// error on each line: ashlar::generate: the function gives floating numbers and the elements are integers or bool, or complex numbers and they are real; make a tensor of the function's type, or convert in the function
auto by_fractions(device_mesh<line> const& m) { return generate<whole, layout<"x">>(m, {8}, fraction{}); }
auto by_complex_numbers(device_mesh<line> const& m) { return generate<double, layout<"x">>(m, {8}, complex_number{}); }
auto cells(device_mesh<line> const& m) { return generate<whole, field>(m, {8}, fraction{}); }
void border(sharded_tensor<bool, field, line>& u) { set_boundary(u, fraction{}); }
// error: ashlar::full: the number is floating and the elements are integers or bool, or it is complex and they are real; make a tensor of the number's type
void fill_with(sharded_tensor<int, layout<"x">, line>& x) { fill(x, factor); }
// error: ashlar::full: the number is floating and the elements are integers or bool, or it is complex and they are real; make a tensor of the number's type
auto pixels(device_mesh<line> const& m, dataset const& d) {
  return labelled_stream<std::uint8_t, layout<"x">, layout<"x">>(m, d, factor).count();
}
}  // namespace wrong
}  // namespace generate_numbers_of_another_kind

// Each rank would generate the whole value, and print has no sum.
namespace partial_halos_of_numbers {
using line = mesh<axis<"x">, axis<"q">>;
using field = layout<halo("x", 1)>;
struct number {
  ASHLAR_FUNCTION double operator()(index_t i) const { return static_cast<double>(i); }
};
void right(std::ostream& out, device_mesh<line> const& m) {
  print(out, generate<double, field>(m, {8}, number{}), with_halos);
}
// error: ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>
// error: ashlar::print: the layout is partial; all_reduce it first
void wrong(std::ostream& out, device_mesh<line> const& m) {
  print(out, generate<double, partial<field, "q">>(m, {8}, number{}), with_halos);
}
}  // namespace partial_halos_of_numbers

// Random integers by the function of random numbers in an interval.
namespace uniform_integers {
auto right(device_mesh<line> const& m) { return cast<int>(6.f * uniform<float, layout<"x">>(m, {8}, prng_key{1})); }
// error: ashlar::random: numbers are drawn as float or double; draw float, and write cast<T>(x)
auto wrong(device_mesh<line> const& m) { return uniform<int, layout<"x">>(m, {8}, prng_key{1}); }
}  // namespace uniform_integers

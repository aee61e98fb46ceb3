// Functions of the index that give fractions or complex numbers, which the elements cannot be. The last two have a halo.
// EXPECT: ashlar::generate: the function gives floating numbers and the elements are integers or bool, or complex numbers
// EXPECT: ashlar::full: the number is floating and the elements are integers or bool
#include "ashlar/data/batch_stream.hpp"
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
using field = stale<layout<halo("x", 1, edge::given)>>;

struct fraction {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i) / 2; }
};
struct complex_number {
  KOKKOS_FUNCTION Kokkos::complex<double> operator()(index_t i) const { return static_cast<double>(i); }
};
#ifdef ASHLAR_CONTROL
using whole = double;
using component = Kokkos::complex<double>;
constexpr int factor = 1;
#else
using whole = int;
using component = double;
constexpr float factor = 1.f / 255;
#endif

auto by_fractions(device_mesh<line> const& m) { return generate<whole, layout<"x">>(m, {8}, fraction{}); }
auto by_complex_numbers(device_mesh<line> const& m) {
  return generate<component, layout<"x">>(m, {8}, complex_number{});
}
auto cells(device_mesh<line> const& m) { return generate<whole, field>(m, {8}, fraction{}); }
void border(sharded_tensor<whole, field, line> const& u) { set_beyond(u, fraction{}); }
void fill_with(sharded_tensor<int, layout<"x">, line>& x) { fill(x, factor); }
auto pixels(device_mesh<line> const& m, dataset const& d) {
  return labelled_stream<std::uint8_t, layout<"x">, layout<"x">>(m, d, factor).count();
}

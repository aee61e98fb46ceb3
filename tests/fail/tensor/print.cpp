#include "ashlar/tensor/arrays/print.hpp"
#include "ashlar/tensor/tensor.hpp"
#include <iostream>

using namespace ashlar;
using namespace ashlar::planning;
using line = mesh<axis<"x">>;

// A tensor sent to a stream by one rank or by all: only print tells which ranks take part.
namespace output_by_an_operator {
void right(sharded_tensor<float, layout<"data">> const& x) { print(std::cout, x); }
// error: ashlar::print: a tensor is printed by all ranks together; write print(std::cout, x) on every rank
void wrong(sharded_tensor<float, layout<"data">> const& x) { std::cout << x << "\n"; }
}  // namespace output_by_an_operator

// Only a tensor with a halo has halo cells to show.
namespace print_halos_without_a_halo {
void right(std::ostream& out, device_mesh<line> const& m) {
  auto const x = make<float, layout<halo("x", 1)>>(m, {8});
  print(out, x, with_halos);
  draw(out, x, with_halos);
}
void wrong(std::ostream& out, device_mesh<line> const& m) {
  auto const x = make<float, layout<"x">>(m, {8});
  // error: ashlar::print: the layout has no halo; leave with_halos out
  print(out, x, with_halos);
  // error: ashlar::planning::draw: the layout has no halo; leave with_halos out
  draw(out, x, with_halos);
}
}  // namespace print_halos_without_a_halo

// Summands are no elements to print.
namespace of_a_partial {
void right(std::ostream& out, sharded_tensor<float, layout<none>, line> const& x) { print(out, x); }
// error: ashlar::print: the layout is partial; all_reduce or reduce_scatter it first
void wrong(std::ostream& out, sharded_tensor<float, partial<layout<none>, "x">, line> const& x) { print(out, x); }
}  // namespace of_a_partial

// A tensor is printed without a stream.
namespace without_a_stream {
using rows = sharded_tensor<double, layout<"x", none>, line>;
void right(rows const& x) { print(std::cout, x); }
// error: ashlar::print: a tensor is printed to a stream; write print(std::cout, x) on every rank
void wrong(rows const& x) { print(x); }
}  // namespace without_a_stream

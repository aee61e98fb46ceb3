// A field goes to a .npy file from blocks, and comes back by columns.
#include <ashlar/io.hpp>
#include <ashlar/tensor.hpp>

#include <cstdio>

using namespace ashlar;
using namespace ashlar::io;
using grid = mesh<axis<"y">, axis<"x">>;
using line = mesh<axis<"r">>;

struct field {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return 0.5 * static_cast<double>(1000 * i + j); }
};

int main() {
  return run_program("npy", [] {
    index_t const rows = 193, columns = 131;
    device_mesh<grid> const m(MPI_COMM_WORLD);
    device_mesh<line> const n(MPI_COMM_WORLD);
    save_npy(m, "field.npy", generate<double, layout<"y", "x">>(m, {rows, columns}, field{}));
    auto const u = load_npy<double, layout<none, "r">>(n, "field.npy");
    double const error =
        item(all_reduce(max(abs(u - generate<double, layout<none, "r">>(n, {rows, columns}, field{})))));
    if (n.rank() == 0) std::printf("written and read, error %g\n", error);
    return error == 0 ? 0 : 1;
  });
}

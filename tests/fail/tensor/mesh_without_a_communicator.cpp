// A mesh of ranks from its sizes alone.
// EXPECT: ashlar::device_mesh: sizes alone are no ranks; name the communicator first, as in device_mesh<grid> m\(MPI_COMM_WORLD, \{2, 4\}\)
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
device_mesh<grid> from_a_value() { return device_mesh<grid>(MPI_COMM_WORLD, {2, 4}); }
#else
device_mesh<grid> from_a_value() { return device_mesh<grid>(grid{{2, 4}}); }
device_mesh<grid> from_sizes() { return device_mesh<grid>({2, 4}); }
#endif

// The functions of tensor/environment.hpp.
#pragma once
#include "ashlar/tensor/environment.hpp"

namespace ashlar {

ASHLAR_INLINE environment::environment() {
  start([] { Kokkos::initialize(); });
}

ASHLAR_INLINE environment::environment(int& argc, char** argv) {
  start([&] { Kokkos::initialize(argc, argv); });
}

ASHLAR_INLINE environment::~environment() {
  if (owns_kokkos_ && !Kokkos::is_finalized()) Kokkos::finalize();
}

}  // namespace ashlar

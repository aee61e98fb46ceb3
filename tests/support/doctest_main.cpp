// The main of tests that need neither MPI nor Kokkos.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// doctest, for programs with a main of their own that share the tests' precompiled headers.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

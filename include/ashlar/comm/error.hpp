// The one exception of the library, for the layers that know MPI.
#pragma once
#include "ashlar/meta/error.hpp"

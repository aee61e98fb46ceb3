// SPDX-License-Identifier: BSL-1.0
// Umbrella header: layouts and their rules, without MPI and Kokkos.
#pragma once
#include "ashlar/layout/by_rank.hpp"
#include "ashlar/layout/einsum.hpp"
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/layout/halo.hpp"
#include "ashlar/layout/layout.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/layout/window.hpp"

// Planning and dry runs of generic code: no MPI, no Kokkos.
#pragma once
#include "ashlar/layout/layouts.hpp"
#include "ashlar/plan/activations.hpp"
#include "ashlar/plan/bundle.hpp"
#include "ashlar/plan/einsum.hpp"
#include "ashlar/plan/gather.hpp"
#include "ashlar/plan/losses.hpp"
#include "ashlar/plan/metrics.hpp"
#include "ashlar/plan/norm.hpp"
#include "ashlar/plan/planner.hpp"
#include "ashlar/plan/random.hpp"
#include "ashlar/plan/softmax.hpp"
#include "ashlar/plan/view.hpp"

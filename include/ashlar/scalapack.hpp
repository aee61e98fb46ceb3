// SPDX-License-Identifier: BSL-1.0
// What the target ashlar::scalapack offers: dense solvers of matrices that ranks share.
#pragma once
#include "ashlar/linalg/cholesky.hpp"
#include "ashlar/linalg/descriptor.hpp"
#include "ashlar/linalg/eigh.hpp"
#include "ashlar/linalg/lstsq.hpp"
#include "ashlar/linalg/lu.hpp"
#include "ashlar/linalg/norm.hpp"
#include "ashlar/linalg/qr.hpp"
#include "ashlar/linalg/svd.hpp"
#include "ashlar/linalg/tall_skinny_qr.hpp"
#include "ashlar/linalg/triangular_solve.hpp"
#include "ashlar/tensor/environment.hpp"

// SPDX-License-Identifier: BSL-1.0
// Umbrella header: plans between layouts, their cost, and the ledger of a dry run.
#pragma once
#include "ashlar/layout/layouts.hpp"
#include "ashlar/plan/dry_run.hpp"
#include "ashlar/plan/candidates.hpp"
#include "ashlar/plan/links.hpp"
#include "ashlar/plan/planner.hpp"
#include "ashlar/plan/static_extents.hpp"

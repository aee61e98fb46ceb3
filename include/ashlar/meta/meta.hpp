// SPDX-License-Identifier: BSL-1.0
// Umbrella header: names, literals, trees, random numbers, the exception.
#pragma once
#include "ashlar/meta/check.hpp"
#include "ashlar/meta/choose.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/meta/literal.hpp"
#include "ashlar/meta/names.hpp"
#include "ashlar/meta/philox.hpp"
#include "ashlar/meta/tree.hpp"

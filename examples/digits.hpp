// Handwritten digits for the training programs.
#pragma once
#include "options.hpp"

// The digits that the options name, on every rank.
ashlar::digit_data load_digits(ashlar::communicator const& c, options const& o);

// What the numbers of a run on these digits depend on.
conditions conditions_of(ashlar::digit_data const& data);

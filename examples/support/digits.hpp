// Handwritten digits for the training programs.
#pragma once
#include "options.hpp"

// The digits that the options name, on every rank.
ashlar::digit_data load_digits(ashlar::communicator const& c, options const& o);

// What the numbers of a run on these digits depend on.
ashlar::run_conditions conditions_of(ashlar::digit_data const& data);

// The same for digits that each rank reads when it needs them.
ashlar::digit_sets open_digits(ashlar::communicator const& c, options const& o);
ashlar::run_conditions conditions_of(ashlar::communicator const& c, options const& o, ashlar::dataset const& d);

// Handwritten digits for the training programs: MNIST's, or drawn ones.
#pragma once
#include "open_mnist.hpp"
#include "options.hpp"

namespace examples {

// The digits that the options name, on every rank.
io::digit_data load_digits(communicator const& c, options const& o);

// What the numbers of a run on these digits depend on.
run_conditions conditions_of(io::digit_data const& data);

// The same for digits that each rank reads when it needs them.
digit_sets open_digits(communicator const& c, options const& o);
run_conditions conditions_of(communicator const& c, options const& o, datasets::dataset const& d);

}  // namespace examples

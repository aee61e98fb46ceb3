// A strategy that splits the kernel of a first layer by columns and that of a second one by rows.
#pragma once
#include <ashlar/train/strategies/place.hpp>

namespace examples {

using namespace ashlar;
using namespace ashlar::training;

/// Tensor parallelism of two layers, "d1" and "d2". Model splits the first kernel by columns and the second kernel by
/// rows, so the hidden layer stays split. `place` sums the output of the second over Model. Batch names the axes that
/// split the batch. All else is replicated.
/// Example: step<columns_then_rows<"data", "model">>(sequential<784>(dense<"d1", 200>(relu()), dense<"d2", 10>()), cross_entropy, adam{})
/// Source: Shoeybi et al., Megatron-LM, 2019.
// [strategy]
template <dimension Batch, dimension Model>
struct columns_then_rows : data_parallel<Batch> {
  template <class Parameter>
  using parameter_layout = std::conditional_t<
      Parameter::is("d1/kernel"), layout<none, Model>,
      std::conditional_t<Parameter::is("d2/kernel"), layout<Model, none>, replicated<Parameter::rank>>>;
  template <class Output>
  using output_layout = std::conditional_t<Output::is("d2"), batch_sharded<Batch, Output::rank>, void>;
};
// [strategy]

}  // namespace examples

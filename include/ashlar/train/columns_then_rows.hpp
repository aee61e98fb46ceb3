// SPDX-License-Identifier: BSL-1.0
// A strategy that splits the kernels of numbered layers by columns and by rows in turn.
#pragma once
#include "ashlar/train/place.hpp"

namespace ashlar {

/// Tensor parallelism of layers whose names end in a number, such as "d1" and "d2". Model splits the kernels of odd
/// layers by columns and the kernels of even layers by rows, so the hidden layer stays split. `place`
/// sums the output of an even layer over Model. Batch names the axes that split the batch. All else is replicated.
/// Example: init<columns_then_rows<"data", "model">>(m, build<layer_pair>(dense_of(784, 200), dense_of(200, 10)), key)
/// Source: Shoeybi et al., Megatron-LM, 2019.
// [strategy]
template <dimension Batch, dimension Model>
struct columns_then_rows : data_parallel<Batch> {
  template <class Parameter>
  using parameter_layout = std::conditional_t<
      Parameter::has("[13579]/kernel"), layout<none, Model>,
      std::conditional_t<Parameter::has("[02468]/kernel"), layout<Model, none>, replicated<Parameter::rank>>>;
  template <class Output>
  using output_layout = std::conditional_t<Output::has("[02468]"), batch_sharded<Batch, Output::rank>, void>;
};
// [strategy]

}  // namespace ashlar
